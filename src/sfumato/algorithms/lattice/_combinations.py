"""Combinations of a few published values that too few records share, and the two ways to break them.

Each distinct record shows a slot in every column, or nothing where its cell is suppressed. A set of columns makes
combinations of the slots of the records that show something in all of them; one that fewer than k records share is unsafe.
Either a value becomes more general everywhere, or cells of the records with an unsafe combination are suppressed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations

import numpy as np

from sfumato.groups.distinct import WIDE, renumbered
from sfumato.kernels.arrays import Bools, Ints

__all__ = ["NOTHING", "Combinations", "sets_up_to"]

_COUNTED = 1 << 22
NOTHING = -1


class Combinations:
    """Distinct records with what each column shows of them now, and which sets of columns have unsafe combinations.

    ``least`` says for each set of columns how many records must share a combination. ``shown`` is ``records x columns``.
    ``between`` is called before a set is counted: whoever waits may cancel there.
    """

    def __init__(
        self,
        shown: Ints,
        weights: Ints,
        least: Mapping[tuple[int, ...], int],
        between: Callable[[], None] = lambda: None,
    ) -> None:
        self.shown = shown
        self.between = between
        self.weights = weights
        self.least = dict(least)
        self.width = [int(shown[:, at].max()) + 1 for at in range(shown.shape[1])]
        self.sets = list(self.least)
        self.member = np.zeros((len(self.sets), shown.shape[1]), bool)
        for at, columns in enumerate(self.sets):
            self.member[at, list(columns)] = True
        self.unsafe = np.zeros((len(self.sets), len(shown)), bool)
        self.examples: list[Ints] = [np.empty(0, np.int64)] * len(self.sets)
        self.recount(range(shown.shape[1]))

    def recount(self, changed: Sequence[int]) -> None:
        """Find the unsafe combinations of every set that holds one of these columns."""
        for at in np.flatnonzero(self.member[:, list(changed)].any(axis=1)).tolist():
            self.between()
            columns = self.sets[at]
            rows = np.flatnonzero((self.shown[:, columns] >= 0).all(axis=1))
            self.unsafe[at] = False
            self.examples[at] = rows[:0]
            if not len(rows):
                continue
            key, wide = np.zeros(len(rows), np.int64), 1
            for column in columns:
                if wide * self.width[column] > WIDE:
                    key, wide = renumbered(key)
                key = key * self.width[column] + self.shown[rows, column]
                wide *= self.width[column]
            if wide > _COUNTED:
                key, wide = renumbered(key)
            shared = np.bincount(key, weights=self.weights[rows])
            rare = shared[key] < self.least[columns]
            self.unsafe[at, rows[rare]] = True
            _, first = np.unique(key[rare], return_index=True)
            self.examples[at] = rows[rare][first]  # one record for each unsafe combination

    @property
    def unsafe_records(self) -> int:
        """Number of records that hold an unsafe combination."""
        return int(self.weights[self.unsafe.any(axis=0)].sum())

    @property
    def unsafe_combinations(self) -> int:
        """Number of unsafe combinations."""
        return sum(map(len, self.examples))

    def of_columns(self) -> Ints:
        """Return how many unsafe combinations each column takes part in."""
        return np.array([len(found) for found in self.examples], np.int64) @ self.member.astype(np.int64)

    def of_slots(self, column: int) -> Ints:
        """Return how many unsafe combinations each slot of a column takes part in."""
        out = np.zeros(self.width[column], np.int64)
        for at in np.flatnonzero(self.member[:, column]).tolist():
            out += np.bincount(self.shown[self.examples[at], column], minlength=self.width[column])
        return out

    def records_of(self, column: int) -> Ints:
        """Return how many records show each slot of a column."""
        rows = self.shown[:, column] >= 0
        counts = np.bincount(self.shown[rows, column], weights=self.weights[rows], minlength=self.width[column])
        return counts.astype(np.int64)

    def show(self, column: int, rows: Bools, slot: int) -> None:
        """Show a slot in some records of a column, where their cell is not suppressed."""
        self.shown[rows & (self.shown[:, column] >= 0), column] = slot
        self.width[column] = max(self.width[column], slot + 1)
        self.recount([column])

    def suppress(self) -> Ints:
        """Break all unsafe combinations by suppressing cells; return how many cells of each column, in records.

        In each record the value in most of its unsafe combinations goes first, of equals the one in the first column, until
        none is left whole. All records are judged by the same counts; suppressing lowers them, so the combinations must be
        looked at again.
        """
        rows = np.flatnonzero(self.unsafe.any(axis=0))
        left = self.unsafe[:, rows].T.copy()
        member = self.member.astype(np.float32)  # counts are small: exact, and multiplied much faster
        gone = np.zeros(len(self.width), np.int64)
        while True:
            here = np.flatnonzero(left.any(axis=1))
            if not len(here):
                break
            column = np.argmax(left[here].astype(np.float32) @ member, axis=1)
            self.shown[rows[here], column] = NOTHING
            np.add.at(gone, column, self.weights[rows[here]])
            left[here] &= ~self.member[:, column].T
        self.recount(np.flatnonzero(gone).tolist())
        return gone


def sets_up_to(columns: Sequence[int], size: int) -> list[tuple[int, ...]]:
    """Return every set of 1 to ``size`` columns, small ones first."""
    return [chosen for count in range(1, min(size, len(columns)) + 1) for chosen in combinations(columns, count)]
