"""Frequent sets of items: held by enough records, and those of them that no other one contains."""

from __future__ import annotations

from collections.abc import Iterator

from sfumato.itemsets.database import Database
from sfumato.itemsets.violations import Rule, Sets, levels

__all__ = ["frequent_sets", "maximal_frequent_sets"]


def frequent_sets(database: Database, least: int, most: int) -> Iterator[Sets]:
    """Yield the sets of 1, 2, ... up to ``most`` items that at least ``least`` records hold; every part of one is frequent."""
    for level in levels(database, Rule(least), most):
        if not len(level.good):
            return
        yield level.good


def maximal_frequent_sets(database: Database, least: int, most: int | None = None) -> list[tuple[tuple[int, ...], int]]:
    """Return the frequent sets that no frequent set contains, with their supports, in the order of their members.

    Of sets with up to ``most`` items, if that is given.

    >>> import numpy as np
    >>> database = Database.of(np.array([0, 2, 4, 5]), np.array([0, 1, 0, 1, 2], np.int32), 3)
    >>> maximal_frequent_sets(database, 1)
    [((0, 1), 2), ((2,), 1)]
    """
    longest = int((database.items.starts[1:] - database.items.starts[:-1]).max(initial=0))
    found: dict[tuple[int, ...], int] = {}
    for sets in frequent_sets(database, least, min(longest, most or longest) or 1):
        for members, support in zip(sets.members.tolist(), sets.supports.tolist(), strict=True):
            for at in range(len(members)):
                found.pop((*members[:at], *members[at + 1 :]), None)
            found[tuple(members)] = support
    return sorted(found.items())
