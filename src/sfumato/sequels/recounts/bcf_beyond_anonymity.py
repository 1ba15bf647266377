"""Beyond BCF-anonymity, recounted: a requirement on values, asked about what attacks leave of each target's classes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from sfumato.sequels.recounts import bcf_anonymity
from sfumato.sequels.recounts._residuals import residuals
from sfumato.sequels.recounts._texts import Label, Level, Parents, Release

__all__ = ["Inner", "applies", "level"]

Inner = Callable[[Mapping[tuple[Label, ...], Mapping[tuple[str], int]], Mapping[str, int]], Level]
"""The plain judgement of the requirement on values: of groups, and of the newest release as a whole."""

applies = bcf_anonymity.applies


def level(releases: Sequence[Release], *, parents: Sequence[Parents], k: int, inner: Inner) -> Level:
    """Judge the records left by number, and their values by the plain judgement of the inner requirement."""
    counted = bcf_anonymity.level(releases, parents=parents, k=k)
    left = {key: held for key, held in residuals(releases, parents).items() if held}
    whole = sum((Counter(held) for held in releases[-1].values()), Counter[str]())
    found = inner({key: {(value,): count for value, count in held.items()} for key, held in left.items()}, whole)
    return Level(found.measured, counted.violating + found.violating, counted.satisfied and found.satisfied)
