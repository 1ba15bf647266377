"""The refiner of a top-down search: groups of rows on one quasi-identifier, split in place, with a look one step ahead.

One index per quasi-identifier. It knows ``a(qid)`` of every group and, for every candidate x, a running minimum from which
``A_x(QID) = min(A(QID), smallest new group)`` follows. Refinement can only lower that minimum, so only groups that a step
touched are counted again: the two subcases of the published update rule collapse into this one.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from sfumato.data.compressed import CompressedTable
from sfumato.kernels.arrays import Codes, Ints
from sfumato.kernels.cores import beside
from sfumato.searches.columns import Column
from sfumato.searches.partition_kernels import count_ahead, disclose_groups, split_groups

__all__ = ["Layout", "Partition"]

FAR = np.iinfo(np.int64).max
_WORTH_A_THREAD = 50_000  # rows


class Layout:
    """Flat views of what the kernels need of all columns: children by code, candidates by slot, room for counting."""

    def __init__(self, columns: Sequence[Column]) -> None:
        self.columns = columns
        values = [len(column.values) for column in columns]
        slots = [len(column.children) for column in columns]
        room = [len(c.values) if c.suppressing else _widest(c) for c in columns]
        self.shift = np.concatenate([[0], np.cumsum(values)]).astype(np.int64)
        self.slot_shift = np.concatenate([[0], np.cumsum(slots)]).astype(np.int64)
        self.counter_shift = np.concatenate([[0], np.cumsum(room)]).astype(np.int64)
        self.child = np.empty(self.shift[-1], np.int32)
        self.children = np.zeros(self.slot_shift[-1], np.int32)
        self.counters = np.zeros(self.counter_shift[-1], np.int64)
        self.suppressing = np.array([column.suppressing for column in columns], np.int8)
        self.live = np.ones(len(columns), np.int8)
        for index in range(len(columns)):
            self.refresh(index, all_slots=True)

    def refresh(self, index: int, *, all_slots: bool, moved: bool = True) -> None:
        """Copy what a column shows now; slots nobody will ask about are left out unless ``all_slots``.

        A column that was not refined has not ``moved``: its values have the children that they had.
        """
        column, born = self.columns[index], self.columns[index].born
        if moved:
            self.child[self.shift[index] : self.shift[index + 1]] = column.child
        wanted = column.children[:born] if all_slots else np.where(column.alive[:born], column.children[:born], 0)
        self.children[self.slot_shift[index] : self.slot_shift[index] + born] = wanted
        self.live[index] = bool((wanted > 0).any())


def _widest(column: Column) -> int:
    tree = column.attribute.tree
    return max(2, max(map(len, tree.children))) if tree is not None else 2


class Partition:
    """Groups of the rows of a compressed table on one quasi-identifier."""

    def __init__(self, table: CompressedTable, qid: Sequence[int], layout: Layout) -> None:
        self.codes = table.codes
        self.weights = table.weights
        self.qid = tuple(qid)
        self.layout = layout
        rows = len(table)
        self.order = np.arange(rows, dtype=np.int32)
        self.buffer = np.empty(rows, np.int32)
        self.count = 1
        room = 64
        self.start = np.zeros(room, np.int64)
        self.end = np.zeros(room, np.int64)
        self.size = np.zeros(room, np.int64)
        self.shown = np.zeros((len(self.qid), room), np.int32)
        self.end[0] = rows
        self.size[0] = table.records
        self.smallest = int(table.records)
        self.ahead = np.full(layout.slot_shift[-1], FAR, np.int64)
        self._look_ahead(np.zeros(1, np.int64), 1)

    @property
    def sizes(self) -> Ints:
        """Number of records in each group."""
        return self.size[: self.count]

    def rows_of(self, group: int) -> Codes:
        """Return the rows of one group."""
        return self.order[self.start[group] : self.end[group]]

    def after(self, index: int, slots: Ints) -> Ints:
        """Return ``A_x`` for some slots of a column."""
        return np.asarray(np.minimum(self.ahead[self.layout.slot_shift[index] + slots], self.smallest), np.int64)

    def carrying(self, index: int, slot: int) -> Ints:
        """Return the groups that a candidate would split."""
        shown = self.shown[self.qid.index(index), : self.count]
        return np.flatnonzero(shown == (0 if self.layout.suppressing[index] else slot))

    def split(self, index: int, slot: int, slots: Codes, child: Codes) -> Ints:
        """Split the groups that carry a slot; ``child`` maps codes to children as before the step. Return the changed."""
        local = self.qid.index(index)
        carrying = len(self.carrying(index, slot))
        suppressing = bool(self.layout.suppressing[index])
        self._make_room(self.count + carrying * (1 if suppressing else max(len(slots) - 1, 0)))
        changed = np.empty(carrying * max(len(slots), 2), np.int64)
        shared = (self.codes, self.weights, self.order, self.start, self.end, self.size, self.shown, self.count, index)
        if suppressing:
            self.count, touched = disclose_groups(*shared, local, slot, self.buffer, changed)
        else:
            self.count, touched = split_groups(*shared, local, slot, child, 0, slots, self.buffer, changed)
        done = changed[:touched]
        if touched:
            sizes = self.size[done]
            # A group of people who are not in the table is not published.
            self.smallest = min(self.smallest, int(sizes[sizes > 0].min(initial=self.smallest)))
        return done

    def look_ahead(self, changed: Ints) -> None:
        """Count, in the changed groups, how each candidate would part them."""
        if len(changed):
            self._look_ahead(changed, len(changed))

    def _look_ahead(self, changed: Ints, touched: int) -> None:
        rows = int((self.end[changed[:touched]] - self.start[changed[:touched]]).sum())
        columns = np.array(self.qid, np.int64)
        half = len(columns) // 2
        if rows < _WORTH_A_THREAD or not half:
            self._count_ahead(changed, touched, columns, self.shown)
            return
        # Each column has counters and candidates of its own.
        beside(
            [
                partial(self._count_ahead, changed, touched, columns[:half], self.shown[:half]),
                partial(self._count_ahead, changed, touched, columns[half:], self.shown[half:]),
            ]
        )

    def _count_ahead(self, changed: Ints, touched: int, columns: Ints, shown: Codes) -> None:
        layout = self.layout
        count_ahead(
            self.codes,
            self.weights,
            self.order,
            self.start,
            self.end,
            self.size,
            shown,
            changed,
            touched,
            columns,
            layout.suppressing,
            layout.live,
            layout.child,
            layout.shift,
            layout.children,
            layout.slot_shift,
            self.ahead,
            layout.counters,
            layout.counter_shift,
        )

    def _make_room(self, groups: int) -> None:
        if groups <= len(self.size):
            return
        room = max(groups, 2 * len(self.size))
        for name in ("start", "end", "size"):
            old = getattr(self, name)
            new = np.zeros(room, old.dtype)
            new[: self.count] = old[: self.count]
            setattr(self, name, new)
        shown = np.zeros((len(self.qid), room), np.int32)
        shown[:, : self.count] = self.shown[:, : self.count]
        self.shown = shown
