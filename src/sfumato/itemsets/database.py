"""Records as sets of codes, and beside them the codes that must not be learnt of them."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from sfumato.data.frozen import frozen
from sfumato.itemsets.level_kernels import transposed
from sfumato.kernels.arrays import Bools, Codes, Ints

__all__ = ["Database", "Rows"]


@frozen(eq=False)
class Rows:
    """Compressed rows: row ``i`` holds ``codes[starts[i]:starts[i + 1]]``, rising and distinct, each below ``width``."""

    starts: Ints
    codes: Codes
    width: int

    def __len__(self) -> int:
        return len(self.starts) - 1

    @cached_property
    def supports(self) -> Ints:
        """In how many rows each code is."""
        return np.bincount(self.codes, minlength=self.width).astype(np.int64)

    @cached_property
    def owners(self) -> Codes:
        """The row of each occurrence."""
        return np.repeat(np.arange(len(self), dtype=np.int32), np.diff(self.starts))

    @cached_property
    def places(self) -> tuple[Ints, Codes]:
        """Where in ``codes`` each code is: starts by code, and the places in order."""
        starts = np.zeros(self.width + 1, np.int64)
        np.cumsum(self.supports, out=starts[1:])
        return starts, transposed(self.codes, starts)

    def taken(self, wanted: Ints | Codes) -> Rows:
        """Return the rows with these codes only, numbered in the order in which they are wanted."""
        number = np.full(self.width, -1, np.int64)
        number[wanted] = np.arange(len(wanted))
        found = number[self.codes]
        there = found >= 0
        owners = self.owners[there]
        starts = np.zeros(len(self) + 1, np.int64)
        np.cumsum(np.bincount(owners, minlength=len(self)), out=starts[1:])
        codes = found[there].astype(np.int32)
        if len(wanted) > 1 and (np.diff(wanted) < 0).any():
            keys = owners * np.int64(len(wanted)) + codes
            keys.sort()  # many times faster than an order by two columns
            codes = (keys % len(wanted)).astype(np.int32)
        return Rows(starts, codes, len(wanted))

    def within(self, classes: Ints) -> tuple[Rows, Ints]:
        """Return the rows with codes that are those of a class of rows each, and one more for the class itself.

        Of each new code it is told what it stands for: the class times ``width + 1``, plus one more than the code, if any.
        """
        span = self.width + 1
        owners = np.concatenate((np.arange(len(self), dtype=np.int32), self.owners))
        keys = np.concatenate((classes * span, classes[self.owners] * span + 1 + self.codes))
        stands, codes = np.unique(keys[np.argsort(owners, kind="stable")], return_inverse=True)
        return Rows(self.starts + np.arange(len(self) + 1), codes.astype(np.int32), len(stands)), stands


@frozen(eq=False)
class Database:
    """Records: the items that may be known of them, and ``secrets`` that must not be learnt, with codes of their own.

    Where ``only`` is given, nobody knows other sets of items than the parts of its sets: a row for each, which says of every
    item whether it is in the set.
    """

    items: Rows
    secrets: Rows
    only: Bools | None = None

    @classmethod
    def of(cls, starts: Ints, codes: Codes, width: int, private: Bools | None = None) -> Database:
        """Return records with private codes set apart; ``private`` says of each code whether it is one."""
        rows = Rows(starts, codes, width)
        if private is None or not private.any():
            return cls(rows, Rows(np.zeros(len(starts), np.int64), np.empty(0, np.int32), 0))
        return cls(rows.taken(np.flatnonzero(~private)), rows.taken(np.flatnonzero(private)))

    def __len__(self) -> int:
        return len(self.items)
