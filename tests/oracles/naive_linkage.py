"""Linkage attacks from their definitions, record by record, in exact fractions.

candidates     rows whose labels cover all values of a person
confidence     most frequent value of a group over its size
presence       rows of a group over the persons it covers, added up over the groups that cover a person
growth         q - p and q / p of a value that a group holds
change         max q / p, max |q - p|, 1/2 Σ |q - p| over all values
near           records of a group in the fullest interval [v, v + width] that begins at one of its values
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from fractions import Fraction
from math import inf
from typing import Any

__all__ = ["candidates", "change", "confidence", "grouped", "growth", "near", "presence", "shares"]

Covers = Callable[[Any, Any], bool]
Row = Sequence[Any]


def candidates(rows: Sequence[Row], person: Row, covers: Sequence[Covers], *, missing: str = "own-value") -> list[int]:
    """Return the numbers of the rows that may be a person's; missing matches missing, or anything, or nothing."""

    def fits(covered: Covers, label: Any, value: Any) -> bool:
        if missing == "own-value":
            label, value = ("?" if one is None else one for one in (label, value))
            return label == value or covered(label, value)
        if label is None or value is None or (missing == "wildcard" and "?" in (label, value)):
            return missing == "wildcard"
        return covered(label, value)

    return [
        number
        for number, row in enumerate(rows)
        if all(fits(covered, label, value) for covered, label, value in zip(covers, row, person, strict=True))
    ]


def grouped(rows: Sequence[Row], width: int) -> dict[tuple[Any, ...], list[Any]]:
    """Return the value after the first ``width`` columns of the rows of each group."""
    out: dict[tuple[Any, ...], list[Any]] = {}
    for row in rows:
        out.setdefault(tuple(row[:width]), []).append(row[width])
    return out


def shares(values: Sequence[Hashable]) -> dict[Hashable, Fraction]:
    """Return the share of each value."""
    return {value: Fraction(count, len(values)) for value, count in Counter(values).items()}


def confidence(values: Sequence[Hashable]) -> Fraction:
    """Return the share of the most frequent value."""
    return max(shares(values).values())


def presence(rows: Sequence[Row], persons: Sequence[Row], covers: Sequence[Covers]) -> list[Fraction]:
    """Return the probability of each person to be among the rows."""
    groups = Counter(tuple(row) for row in rows)
    inside = {group: sum(bool(candidates([group], person, covers)) for person in persons) for group in groups}
    return [
        min(
            Fraction(1),
            sum(
                (
                    min(Fraction(1), Fraction(size, inside[group]))
                    for group, size in groups.items()
                    if candidates([group], person, covers)
                ),
                Fraction(0),
            ),
        )
        for person in persons
    ]


def growth(group: Sequence[Hashable], table: Sequence[Hashable]) -> dict[Hashable, tuple[Fraction, Fraction]]:
    """Return difference and ratio of the shares of each value that a group holds."""
    before, after = shares(table), shares(group)
    return {value: (after[value] - before[value], after[value] / before[value]) for value in after}


def change(prior: Mapping[Any, Fraction], posterior: Mapping[Any, Fraction]) -> tuple[Any, Fraction, Fraction]:
    """Return the largest ratio, the largest difference and the total variation of two beliefs."""
    values = {*prior, *posterior}
    both = [(prior.get(value, Fraction(0)), posterior.get(value, Fraction(0))) for value in values]
    return (
        max(after / before if before else inf for before, after in both if after),
        max(abs(after - before) for before, after in both),
        sum((abs(after - before) for before, after in both), Fraction(0)) / 2,
    )


def near(values: Sequence[Any], width: Any) -> int:
    """Return how many numbers the fullest interval of a width holds; missing ones lie nowhere."""
    known = [value for value in values if value is not None]
    return max((sum(low <= value <= low + width for value in known) for low in known), default=0)
