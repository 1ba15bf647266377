"""Nuggets: frequent sets of items that a release should keep, beside the moles that it must not; counts by item, borders."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

import numpy as np

from sfumato.data.frozen import frozen
from sfumato.errors import BadRequest
from sfumato.itemsets import Database, frequent_sets
from sfumato.kernels.arrays import Bools, Codes, Ints
from sfumato.transactions.baskets import Baskets

__all__ = ["Border", "Family", "border", "nuggets"]

Itemset = tuple[str, ...]


@frozen
class Border:
    """The smallest and the largest members of a family of sets, small ones first, then by name."""

    minimal: tuple[Itemset, ...]
    maximal: tuple[Itemset, ...]


def border(sets: Iterable[Itemset]) -> Border:
    """Return the members that contain no other member, and those that no other contains.

    >>> border([("a",), ("b",), ("a", "b"), ("c", "d")])
    Border(minimal=(('a',), ('b',), ('c', 'd')), maximal=(('a', 'b'), ('c', 'd')))
    """
    family = {tuple(sorted(one)) for one in sets}
    minimal, covered = [], set()
    for one in family:
        parts = {part for size in range(1, len(one)) for part in combinations(one, size)}
        covered |= parts
        if not parts & family:
            minimal.append(one)
    order = sorted(family - covered, key=lambda one: (len(one), one))
    return Border(tuple(sorted(minimal, key=lambda one: (len(one), one))), tuple(order))


def nuggets(baskets: Baskets, least: int, most: int, *, public: bool = False) -> list[Itemset]:
    """Return the sets of at most ``most`` items that ``least`` baskets or more hold, small ones first, then by name.

    Private items count unless only ``public`` ones are wanted.

    >>> nuggets(Baskets.of([{"a", "b"}, {"a", "b"}, {"c"}]), 2, 2)
    [('a',), ('b',), ('a', 'b')]
    """
    held = baskets.without(baskets.private) if public else baskets
    return [
        tuple(held.items[code] for code in members)
        for members in (one for sets in frequent_codes(held, least, most) for one in sets.tolist())
    ]


def frequent_codes(baskets: Baskets, least: int, most: int) -> list[Codes]:
    """Return the frequent sets as rows of codes, one array for each size."""
    for name, value in (("least", least), ("most", most)):
        if value < 1:
            raise BadRequest("must be at least 1", parameter=name, value=value)
    database = Database.of(baskets.starts, baskets.codes, len(baskets.items))
    return [sets.members for sets in frequent_sets(database, least, most)]


class Family:
    """Sets of items, of which those with an item can be taken away: how many are left, in all and with each item."""

    def __init__(self, sets: Sequence[Codes], width: int) -> None:
        held = [one for one in sets if len(one)]
        flat = np.concatenate([one.ravel() for one in held] or [np.empty(0, np.int32)]).astype(np.int64)
        sizes = np.concatenate([np.full(len(one), one.shape[1]) for one in held] or [np.empty(0, np.int64)])
        self._starts = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
        self._flat = flat
        order = np.argsort(flat, kind="stable")
        self._owner = np.repeat(np.arange(len(sizes)), sizes)[order]
        self.counts: Ints = np.bincount(flat, minlength=width).astype(np.int64)
        self._by_item = np.concatenate(([0], np.cumsum(self.counts)))
        self._there: Bools = np.ones(len(sizes), np.bool_)
        self.left = len(sizes)

    def drop(self, item: int) -> None:
        """Take all sets with an item away; only these are touched."""
        mine = self._owner[self._by_item[item] : self._by_item[item + 1]]
        fall = mine[self._there[mine]]
        self._there[fall] = False
        self.left -= len(fall)
        first, sizes = self._starts[fall], self._starts[fall + 1] - self._starts[fall]
        places = np.repeat(first - np.concatenate(([0], np.cumsum(sizes)))[:-1], sizes) + np.arange(int(sizes.sum()))
        np.subtract.at(self.counts, self._flat[places], 1)
