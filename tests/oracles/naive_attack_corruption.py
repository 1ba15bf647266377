"""The corruption attack by brute force: every set of members who may tell their values, every posterior counted out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from itertools import combinations
from typing import Any

__all__ = ["fewest_for_certainty", "posterior", "worst"]


def posterior(values: Sequence[Hashable], told: Sequence[Hashable]) -> dict[Hashable, float]:
    """Return the shares of the values of a group that are left after some were told."""
    left = Counter(values)
    left.subtract(Counter(told))
    if any(count < 0 for count in left.values()):
        raise ValueError("told more often than published")
    total = sum(left.values())
    return {value: count / total for value, count in left.items() if count}


def worst(values: Sequence[Hashable], r: int) -> float:
    """Return how sure one can be of a member who did not tell, if up to r others did, whichever they are."""
    best = 0.0
    for count in range(min(r, len(values) - 1) + 1):
        for told in combinations(range(len(values)), count):
            left: list[Any] = [value for at, value in enumerate(values) if at not in told]
            best = max(best, max(Counter(left).values()) / len(left))
    return best


def fewest_for_certainty(values: Sequence[Hashable]) -> int:
    """Return how many members must tell their value before that of another is certain."""
    return next(r for r in range(len(values)) if worst(values, r) == 1)
