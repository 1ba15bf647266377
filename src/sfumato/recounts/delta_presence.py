"""delta-presence, recounted: the share of the population's groups that is published."""

from __future__ import annotations

from collections.abc import Mapping

from sfumato.recounts._level import Groups, Key, Level, Number, at_least, at_most
from sfumato.recounts.k_map import refuse_strangers

__all__ = ["level"]


def level(groups: Groups, *, delta_min: float, delta_max: float, people: Mapping[Key, Number]) -> Level:
    """Judge the published share of every group of the population, also where nobody is published."""
    refuse_strangers(groups, people)
    shares = [sum(groups.get(key, {}).values()) / everybody for key, everybody in people.items()]
    safe = [at_least(share, float(delta_min)) and at_most(share, float(delta_max)) for share in shares]
    return Level(max(shares, default=None), safe.count(False), all(safe))
