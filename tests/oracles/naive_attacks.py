"""Attacks by brute force: every person against every row, every reconstruction written out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import permutations
from typing import Any

__all__ = ["breach", "interval", "join", "nested_paths", "reconstructions"]

Covers = Callable[[Any, Any], bool]


def nested_paths(nested: Any, above: tuple[str, ...] = ()) -> dict[str, tuple[str, ...]]:
    """Return every leaf of ``{label: [...]}`` with all labels at or above it."""
    if isinstance(nested, str):
        return {nested: (*above, nested)}
    out: dict[str, tuple[str, ...]] = {}
    for label, children in nested.items():
        for child in children:
            out |= nested_paths(child, (*above, label))
    return out


def interval(label: Any, value: Any) -> bool:
    """Tell whether ``[a-b)`` or ``[a-b]`` holds a number, or a label is the value or ``*``; no interval holds ``?``."""
    text = str(label)
    if value == "?":
        return text in ("*", "?")
    if text in ("*", str(value)):
        return True
    if not text.startswith("["):
        return False
    low, high = (float(part) for part in text[1:-1].split("-"))
    return low <= value < high or (text.endswith("]") and value == high)


def same(label: Any, value: Any) -> bool:
    """Tell whether a label and a value are both missing."""
    return label in (None, "?") and value in (None, "?")


def join(rows: Sequence[Sequence[Any]], persons: Sequence[Sequence[Any]], covers: Sequence[Covers]) -> list[list[int]]:
    """Return the numbers of the rows that match each person; what is missing, or published as ``?``, matches missing."""
    return [
        [
            number
            for number, row in enumerate(rows)
            if all(
                same(label, value) or covered("?" if label is None else label, "?" if value is None else value)
                for covered, label, value in zip(covers, row, person, strict=True)
            )
        ]
        for person in persons
    ]


def breach(
    rows: Sequence[Sequence[Any]],
    sensitive: Sequence[Any],
    persons: Sequence[Sequence[Any]],
    owner: Sequence[Any],
    values: set[Any],
    covers: Sequence[Covers],
) -> tuple[Fraction, Fraction]:
    """Return the two breach probabilities of an owner from the definition, group by group."""
    groups: dict[tuple[Any, ...], list[Any]] = {}
    for number in join(rows, [owner], covers)[0]:
        groups.setdefault(tuple(rows[number]), []).append(sensitive[number])
    total = sum(len(members) for members in groups.values())
    outside, inside = Fraction(0), Fraction(0)
    for group, members in groups.items():
        known = sum(bool(matched) for matched in join([group], persons, covers))
        hits = sum(value in values for value in members)
        outside += Fraction(len(members), total) * Fraction(hits, max(known, len(members)))
        inside += Fraction(len(members), total) * Fraction(hits, len(members))
    return outside, inside


def reconstructions(sensitive: Sequence[Any], persons: int, values: set[Any]) -> tuple[int, int]:
    """Count all ways to give rows to distinct persons, and those in which person 0 gets one of the values."""
    possible = breaching = 0
    for chosen in permutations(range(persons), len(sensitive)):
        possible += 1
        breaching += any(person == 0 and value in values for person, value in zip(chosen, sensitive, strict=True))
    return possible, breaching
