"""BCF-anonymity, recounted: what releases of a growing table leave to each target, from their texts and hierarchies."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from sfumato.sequels.recounts._residuals import residuals
from sfumato.sequels.recounts._texts import Level, Parents, Release, refuse_uncut

__all__ = ["Level", "applies", "level"]


def applies(releases: int, targets: str, attacks: str) -> bool:
    """All releases together are a program of many unknowns, and real targets are nobody's to see from outside."""
    return targets == "published" and (attacks == "pairwise" or (attacks == "auto" and releases <= 2))


def level(releases: Sequence[Release], *, parents: Sequence[Parents], k: int) -> Level:
    """Judge the smallest class of each release, and what attacks leave of every two and of all, one beside each group."""
    refuse_uncut(releases, parents)
    left = [sum(held.values()) for release in releases for held in release.values()]
    compared = [*combinations(releases, 2), *([releases] if len(releases) > 2 else [])]
    for some in compared:
        left += [sum(held.values()) for held in residuals(some, parents).values()]
    broken = sum(one < k for one in left)
    return Level(min(left, default=None), broken, broken == 0)
