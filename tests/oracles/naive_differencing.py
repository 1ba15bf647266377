"""Two releases about the same persons, by brute force: every person against every row, every joint world written out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import permutations, product
from typing import Any

from oracles.naive_attacks import Covers, join

__all__ = ["candidates", "isolated", "worlds"]


def candidates(
    rows: Sequence[Sequence[Any]], values: Sequence[Any], persons: Sequence[Sequence[Any]], covers: Sequence[Covers]
) -> list[Counter[Any]]:
    """Return the sensitive values, with counts, of the rows that cover each person."""
    return [Counter(values[row] for row in found) for found in join(rows, persons, covers)]


def worlds(
    one: Sequence[Sequence[int]], two: Sequence[Sequence[int]], values: Sequence[list[Any]]
) -> list[tuple[Any, ...]]:
    """Return all ways to give values to persons that agree with both releases.

    A release is a list of groups of persons; ``values`` holds the lists of the groups of both, one after the other.
    """
    persons = sum(len(group) for group in one)
    found = set()
    for chosen in product(*(set(permutations(listed)) for listed in values[: len(one)])):
        world: list[Any] = [None] * persons
        for group, given in zip(one, chosen, strict=True):
            for person, value in zip(group, given, strict=True):
                world[person] = value
        if all(
            Counter(world[person] for person in group) == Counter(listed)
            for group, listed in zip(two, values[len(one) :], strict=True)
        ):
            found.add(tuple(world))
    return sorted(found)


def isolated(
    one: Sequence[tuple[Any, ...]], two: Sequence[tuple[Any, ...]], k: int
) -> dict[tuple[Any, ...], Counter[Any]]:
    """Return the few rows that one release has beside all rows of the other, for label tuples that both have."""
    out = {}
    for key in {row[:-1] for row in one} & {row[:-1] for row in two}:
        first, second = (Counter(row[-1] for row in rows if row[:-1] == key) for rows in (one, two))
        more, less = first - second, second - first
        if not (more and less) and 0 < (more + less).total() < k:
            out[key] = more + less
    return out
