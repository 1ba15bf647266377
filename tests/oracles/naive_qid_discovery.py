"""Column sets that identify, by brute force: every subset, every pair of records."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

__all__ = ["all_ratios", "greedy", "minimal", "ratios"]

Row = Sequence[Any]
Places = tuple[int, ...]
Both = tuple[Fraction, Fraction]


def ratios(rows: Sequence[Row], places: Places) -> Both:
    """Return the distinct and the separation ratio of a set of columns, exactly."""
    shown = [tuple(row[place] for place in places) for row in rows]
    pairs = list(combinations(shown, 2))
    apart = sum(1 for one, other in pairs if one != other)
    return (
        Fraction(len(set(shown)), len(shown)) if shown else Fraction(1),
        Fraction(apart, len(pairs)) if pairs else Fraction(1),
    )


def all_ratios(rows: Sequence[Row], columns: int) -> dict[Places, Both]:
    """Return the ratios of every set of at least one column, small sets first."""
    return {
        places: ratios(rows, places) for size in range(1, columns + 1) for places in combinations(range(columns), size)
    }


def minimal(found: dict[Places, Both], which: int, alpha: float, largest: int) -> list[Places]:
    """Return the sets of up to ``largest`` columns that reach a threshold while no part of them does."""
    reaching = [places for places, both in found.items() if len(places) <= largest and float(both[which]) >= alpha]
    return [one for one in reaching if not any(set(other) < set(one) for other in reaching)]


def greedy(rows: Sequence[Row], columns: int, which: int, alpha: float, largest: int) -> Places | None:
    """Add the first of the columns that separate most pairs, until a threshold is reached."""
    held: Places = ()
    while len(held) < largest:
        left = [place for place in range(columns) if place not in held]
        gains = {place: ratios(rows, (*held, place))[1] for place in left}
        best = max(left, key=lambda place: (gains[place], -place))
        if held and gains[best] == ratios(rows, held)[1]:
            return None
        held = (*held, best)
        if float(ratios(rows, held)[which]) >= alpha:
            return tuple(sorted(held))
    return None
