"""k-map, recounted: how many people of the population share the texts of each published group."""

from __future__ import annotations

from collections.abc import Mapping

from sfumato.errors import BadRequest
from sfumato.recounts._level import Groups, Key, Level, Number, lowest

__all__ = ["level", "refuse_strangers"]


def level(groups: Groups, *, k: int, people: Mapping[Key, Number]) -> Level:
    """Judge the number of people of the population in each published group."""
    refuse_strangers(groups, people)
    return lowest((people[key] for key in groups), k)


def refuse_strangers(groups: Groups, people: Mapping[Key, Number]) -> None:
    """Refuse a population that holds fewer people of a group than are published."""
    lost = sum(people.get(key, 0) < sum(rows.values()) for key, rows in groups.items())
    if lost:
        raise BadRequest(
            f"{lost} of {len(groups)} published groups have more records than the external table has: the published "
            "table must be part of it and both must be recoded in the same way",
            parameter="external",
        )
