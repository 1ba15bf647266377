"""Pieces of knowledge handed out to groups so that a product of chances gets smallest."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

__all__ = ["Chances", "certainly_below", "elsewhere"]


Chances = list[list[float]]
"""What chance is left after so many pieces of one kind and so many of another."""


def elsewhere(groups: Sequence[Chances]) -> list[Chances]:
    """Return for each group the least product of the chances of all others, after at most so many pieces."""
    if not groups:
        return []
    nothing: Chances = [[1.0] * len(groups[0][0]) for _ in groups[0]]
    before = list(accumulate(groups[:-1], _together, initial=nothing))
    after = list(accumulate(groups[:0:-1], _together, initial=nothing))[::-1]
    return [_together(left, right) for left, right in zip(before, after, strict=True)]


def _together(one: Chances, other: Chances) -> Chances:
    return [
        [
            min(one[i][j] * other[first - i][second - j] for i in range(first + 1) for j in range(second + 1))
            for second in range(len(one[0]))
        ]
        for first in range(len(one))
    ]


def certainly_below(value: float, limit: float) -> bool:
    """Tell whether a value is less than a limit; what rounding cannot tell from it counts as reaching it."""
    return value < limit - 1e-9 * abs(limit)
