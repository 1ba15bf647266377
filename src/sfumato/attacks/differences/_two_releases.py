"""Two releases about the same persons: what both say of a person together."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np

from sfumato.attacks._matching import LookedUp, look_up
from sfumato.attacks._partitions import numbered
from sfumato.attacks._shared_codes import codes_of_values
from sfumato.contracts.knowledge import Seen, TableKnowledge
from sfumato.data.frozen import frozen
from sfumato.groups.stats import Histogram
from sfumato.kernels.arrays import Bools, Floats, Ints

__all__ = ["Joint", "Side", "joint_of", "other_seen"]

_ROUNDS = 200
_SETTLED = 1e-9


@frozen(eq=False)
class Side:
    """What one release says: the candidate set of each kind of person, -1 if none, and the values of each set.

    The rows of one group are a set, and so are those of several groups that cover the same kind of person. ``full`` tells
    which sets have as many persons as rows, and share none with another set.
    """

    set_of_kind: Ints
    histogram: Histogram
    full: Bools

    @cached_property
    def largest(self) -> Floats:
        """The share of the most frequent value of each set."""
        return self.histogram.largest() / np.maximum(self.histogram.totals(), 1)

    def risk(self) -> Floats:
        """Return the share of the most frequent value among the candidates of each kind of person, 0 without any."""
        return np.append(self.largest, 0.0)[self.set_of_kind]

    def distinct(self) -> Ints:
        """Return how many values the candidates of each kind of person have."""
        return np.append(self.histogram.distinct(), 0)[self.set_of_kind]


def other_seen(seen: Seen, knowledge: TableKnowledge) -> Seen:
    """Return how the second release is read: its records, by what labels of the first one stand for."""
    assert knowledge.other is not None
    return replace(seen, table=knowledge.other.table, buckets=None, counted=None, parts={})


def _side(found: LookedUp, histogram: Histogram) -> Side:
    groups = len(histogram.start) - 1
    covering = np.bincount(found.pair_kind, minlength=found.kinds)
    sets = np.full(found.kinds, -1, np.int64)
    alone = covering[found.pair_kind] == 1
    sets[found.pair_kind[alone]] = found.pair_group[alone]
    several = covering > 1
    doubtful = np.bincount(found.pair_group, several[found.pair_kind], groups) > 0
    full = np.append((found.covered == histogram.totals()) & ~doubtful, np.zeros(int(several.sum()), bool))
    sets[several] = groups + np.arange(int(several.sum()))
    if not several.any():
        return Side(sets, histogram, full)
    united = histogram.taken(found.pair_group[~alone]).merge(sets[found.pair_kind[~alone]] - groups, int(several.sum()))
    return Side(
        sets,
        Histogram(
            histogram.values,
            np.concatenate([histogram.start, histogram.start[-1] + united.start[1:]]),
            np.concatenate([histogram.code, united.code]),
            np.concatenate([histogram.count, united.count]),
        ),
        full,
    )


@frozen(eq=False)
class Joint:
    """What both releases say: persons by the pair of their candidate sets (a *cell*), and the values that both sets have.

    Entries are the common values of the cells, cell by cell; ``first`` and ``second`` are the shares of the value in the two
    sets, ``code`` is that of the first release.
    """

    one: Side
    two: Side
    kind_of_person: Ints
    cell_of_kind: Ints
    persons: Ints
    sets: tuple[Ints, Ints]
    cell: Ints
    code: Ints
    first: Floats
    second: Floats

    @cached_property
    def common(self) -> Ints:
        """How many values both sets of a cell have."""
        return np.bincount(self.cell, minlength=len(self.persons))

    @cached_property
    def _sides(self) -> list[tuple[Ints, Floats, Bools]]:
        """For both releases: the number of the set and value of each entry, persons who have it, and if this is exact."""
        width, out = len(self.one.histogram.values), []
        for side, sets, share in zip((self.one, self.two), self.sets, (self.first, self.second), strict=True):
            number = np.unique(sets[self.cell] * width + self.code, return_inverse=True)[1]
            persons = np.bincount(sets, self.persons, len(side.full))
            # Persons whom the other release misses are not counted here, and take unknown values with them.
            exact = side.full & (persons == side.histogram.totals())
            out.append((number, share * persons[sets[self.cell]], exact[sets[self.cell]]))
        return out

    @cached_property
    def possible(self) -> Bools:
        """Which common values are left when values are taken away that others are known to have.

        Where a group has as many persons as rows, a value that certain persons have as often as it is listed is nobody
        else's. If nothing is left for a person, tables do not fit together, and her common values stay.
        """
        left, before = np.ones(len(self.cell), bool), -1
        weight = self.persons[self.cell]
        while np.count_nonzero(left) != before:
            before = int(np.count_nonzero(left))
            certain = left & (np.bincount(self.cell, left, len(self.persons))[self.cell] == 1)
            for number, wanted, exact in self._sides:
                taken = np.bincount(number, weight * certain)[number] >= wanted - 0.5
                left &= certain | ~(taken & exact)
        still = np.bincount(self.cell, left, len(self.persons)) > 0
        left[~still[self.cell]] = True
        return left

    def product(self) -> Floats:
        """Return beliefs that grow with the product of the two shares."""
        return self._normed(self.first * self.second)

    def balanced(self) -> Floats:
        """Return the evenest beliefs with which the persons of each set have its values as often as its rows do."""
        weight = self.persons[self.cell]
        beliefs = self._normed(self.possible.astype(np.float64))
        for _ in range(_ROUNDS):
            before = beliefs
            for number, wanted, _ in self._sides:
                held = np.bincount(number, beliefs * weight)
                beliefs = beliefs * wanted / np.maximum(held[number], 1e-300)
            beliefs = self._normed(beliefs)
            if np.abs(beliefs - before).max(initial=0.0) < _SETTLED:
                break
        return beliefs

    def highest(self, beliefs: Floats) -> Floats:
        """Return the highest belief about the persons of each cell, 0 where the sets have no value in common."""
        out = np.zeros(len(self.persons))
        np.maximum.at(out, self.cell, beliefs)
        return out

    def _normed(self, weights: Floats) -> Floats:
        total = np.bincount(self.cell, weights, len(self.persons))
        return weights / np.maximum(total[self.cell], 1e-300)


def joint_of(seen: Seen, knowledge: TableKnowledge, second: Seen) -> Joint:
    """Look the persons of the external table up in both releases; only what is published differs."""
    found, again = look_up(seen, knowledge), look_up(second, knowledge)
    one = _side(found, seen.groups(knowledge).histograms[knowledge.secret])
    two = _side(again, second.groups(knowledge).histograms[knowledge.secret])
    both = np.flatnonzero((one.set_of_kind >= 0) & (two.set_of_kind >= 0))
    sets = np.column_stack([one.set_of_kind[both], two.set_of_kind[both]])
    first, number = numbered(sets)
    cell_of_kind = np.full(found.kinds, -1, np.int64)
    cell_of_kind[both] = number
    persons = np.bincount(number, found.persons[both], len(first)).astype(np.int64)
    a, b = sets[first, 0], sets[first, 1]
    mine, theirs = one.histogram.taken(a), two.histogram.taken(b)
    width = len(mine.values) + 1
    same = codes_of_values(theirs.values, mine.values)[theirs.code]
    kept = same >= 0
    keys, other_keys = mine.group() * width + mine.code, (theirs.group() * width + same)[kept]
    _, left, right = np.intersect1d(keys, other_keys, assume_unique=True, return_indices=True)
    right = np.flatnonzero(kept)[right]
    cell = mine.group()[left]
    return Joint(
        one,
        two,
        found.kind_of_person,
        cell_of_kind,
        persons,
        (a, b),
        cell,
        mine.code[left],
        mine.count[left] / mine.totals()[cell],
        theirs.count[right] / theirs.totals()[cell],
    )
