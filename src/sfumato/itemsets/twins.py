"""Items that occur in exactly the same records: one of them stands for all, and what is counted is counted for all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from heapq import heappop, heappush
from math import comb

import numpy as np

from sfumato.data.frozen import frozen
from sfumato.itemsets.database import Database, Rows
from sfumato.itemsets.violations import Levels, Rule, levels, walked
from sfumato.kernels.arrays import Codes, Ints

__all__ = ["Twins", "broken_sets"]

_FEW_PAIRS = 100_000_000  # pairs of items in records: fewer are counted before twins are found


@frozen(eq=False)
class Twins:
    """Records with the first of all items that share their records, and by ``starts`` the ``codes`` it stands for.

    ``walk`` are all items in the order in which sets are formed, ``most`` the size of the largest sets.
    What is said of a set of such items holds for every set in which twins take their places, or are added. No minimal
    violation holds two twins: without one of them the same records hold it.
    """

    database: Database
    starts: Ints
    codes: Codes
    walk: Codes
    most: int

    @classmethod
    def of(cls, database: Database, most: int) -> Twins:
        """Find the twins; none where sets are small and few, and where only some sets may be known.

        >>> rows = Rows(np.array([0, 3, 6, 7]), np.array([0, 1, 2, 0, 1, 2, 1], np.int32), 3)
        >>> twins = Twins.of(Database(rows, Rows(np.zeros(4, np.int64), np.empty(0, np.int32), 0)), 3)
        >>> twins.database.items.codes.tolist(), twins.codes.tolist()
        ([0, 1, 0, 1, 1], [0, 2, 1])
        """
        rows = database.items
        every, walk = np.arange(rows.width, dtype=np.int32), walked(rows, most)
        small = most < 2 or (most == 2 and int((np.diff(rows.starts) ** 2).sum()) < _FEW_PAIRS)
        first = every if small or not rows.width or database.only is not None else _first_twins(rows)
        if (first == every).all():
            return cls(database, np.arange(rows.width + 1), every, walk, most)
        order = np.argsort(first, kind="stable").astype(np.int32)
        kept = np.flatnonzero(first == every)
        starts = np.concatenate((np.searchsorted(first[order], kept), [rows.width]))
        return cls(replace(database, items=rows.taken(kept)), starts, order, walk, most)

    @property
    def sizes(self) -> Ints:
        """How many items each one stands for."""
        return np.diff(self.starts)

    @cached_property
    def place(self) -> Ints:
        """Where each item is in the walk."""
        return np.argsort(self.walk)

    @property
    def alone(self) -> bool:
        """Whether no item has a twin."""
        return len(self.starts) > len(self.codes)

    def broken(self, level: Levels) -> int:
        """Return how many sets of all items the violating ones of one size stand for."""
        if self.alone:
            return int(level.violating.sum())
        return int(self._sizes()[level.members(level.violating)].prod(axis=1).sum())

    def looked(self, level: Levels) -> int:
        """Return how many sets of all items those of one size stand for, of which the good ones go on with twins added.

        Of n twins 1 to n are in a set: the sets of s items are the coefficient of x^s in the product of ``(1 + x)^n - 1``.
        """
        if self.alone:
            return len(level)
        members = level.members(~level.violating)
        further, kind = self.most - members.shape[1] + 1, self._sizes().dtype
        sizes, number = np.unique(self.sizes, return_inverse=True)
        chosen = np.array([[comb(size, at + 1) for at in range(further)] for size in sizes.tolist()], kind)
        ways = np.zeros((len(members), further), kind)
        ways[:, 0] = 1
        for column in number[members].T:
            added = chosen[column]
            ways = np.stack([(ways[:, : at + 1] * added[:, at::-1]).sum(axis=1) for at in range(further)], axis=1)
        return self.broken(level) + int(ways.sum())

    def _sizes(self) -> Ints:
        """Return the sizes as numbers in which all sets can be counted."""
        whole = sum(comb(len(self.codes), size) for size in range(1, self.most + 1))
        return self.sizes if whole < 2**62 else self.sizes.astype(object)

    def expanded(self, members: Codes) -> Codes:
        """Return all sets of the same size that these sets stand for, with rising codes, in order."""
        if self.alone:
            return members
        sizes = self.sizes
        out, at = members, np.zeros((len(members), 0), np.int32)
        for column in range(members.shape[1]):
            many = sizes[out[:, column]]
            firsts = np.concatenate(([0], np.cumsum(many)))
            within = np.arange(int(firsts[-1])) - np.repeat(firsts[:-1], many)
            out, at = np.repeat(out, many, axis=0), np.repeat(at, many, axis=0)
            at = np.column_stack((at, self.codes[self.starts[out[:, column]] + within]))
        found = np.sort(at, axis=1).astype(np.int32)
        return found[np.lexsort(tuple(found[:, column] for column in range(found.shape[1] - 1, -1, -1)))]

    def one_by_one(self, members: Sequence[int]) -> Iterator[tuple[int, ...]]:
        """Yield the places in the walk of all sets of the same size that one set stands for, rising in each, in order."""
        twins = [self.place[self.codes[self.starts[one] : self.starts[one + 1]]].tolist() for one in members]

        def entry(at: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
            return tuple(sorted(held[one] for held, one in zip(twins, at, strict=True))), at

        waiting, seen = [entry((0,) * len(twins))], {(0,) * len(twins)}
        while waiting:
            found, at = heappop(waiting)
            yield found
            for column, held in enumerate(twins):
                following = (*at[:column], at[column] + 1, *at[column + 1 :])
                if following[column] < len(held) and following not in seen:
                    seen.add(following)
                    heappush(waiting, entry(following))


def broken_sets(database: Database, rule: Rule, most: int) -> Iterator[Codes]:
    """Yield the minimal violating sets of 1, 2, ... up to ``most`` items, in the order of their members."""
    twins = Twins.of(database, most)
    for level in levels(twins.database, rule, most):
        yield twins.expanded(level.broken_members())


def _first_twins(rows: Rows) -> Codes:
    """Return for each item the first one in the same records: equal sums of numbers of records, then equal records."""
    starts, places = rows.places
    owners = rows.owners[places]
    mixed = (owners + 1).astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(31))) * np.uint64(0xBF58476D1CE4E5B9)
    sums = np.concatenate((np.zeros(1, np.uint64), np.cumsum(mixed, dtype=np.uint64)))
    marks = sums[starts[1:]] - sums[starts[:-1]]
    order = np.lexsort((marks, rows.supports))
    same = (np.diff(marks[order]) == 0) & (np.diff(rows.supports[order]) == 0)
    before, after = order[:-1][same], order[1:][same]
    lengths = rows.supports[after]
    firsts = np.cumsum(lengths) - lengths
    within = np.arange(int(lengths.sum())) - np.repeat(firsts, lengths)
    differs = owners[np.repeat(starts[before], lengths) + within] != owners[np.repeat(starts[after], lengths) + within]
    same[same] = np.bincount(np.repeat(np.arange(len(after)), lengths), differs, len(after)) == 0
    run = np.concatenate(([0], np.cumsum(~same)))  # a stable order: the first of a run has the lowest code
    first = order[np.concatenate(([0], np.flatnonzero(~same) + 1))]
    out = np.empty(rows.width, np.int32)
    out[order] = first[run]
    return out
