"""Groups of records for local recoding: merged, cut, lent to each other, and published as the smallest boxes around them.

Equal records are counted, not listed: a group holds pieces, each a distinct row and a number of its records. Records of one row
may end up in different groups and are then published in different ways; which of them goes where follows their order in the
table.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypedDict, TypeVar

import numpy as np
import numpy.typing as npt

from sfumato.algorithms.boxes._box_penalties import ordered, penalties
from sfumato.algorithms.boxes._span_kernels import Spans, penalty
from sfumato.algorithms.boxes._union_kernels import Groups, Pieces, cut_part
from sfumato.algorithms.boxes._union_tree import UnionTree
from sfumato.contracts.algorithm import Outcome, Task
from sfumato.contracts.facts import BoxFacts
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import Infeasible
from sfumato.groups.distinct import distinct_rows
from sfumato.kernels.arrays import Codes, Ints
from sfumato.searches.box_space import BoxSpace
from sfumato.searches.grouping import records_of

__all__ = ["MIXED", "CellGroups", "DistinctRecords", "published_cells"]

_Kind = TypeVar("_Kind", np.int32, np.int64)

MIXED = say("warning.mixed_granularity")


@frozen(eq=False)
class DistinctRecords:
    """The distinct rows of a table, how many records each stands for, and the row of each record.

    ``points`` are coordinates of the quasi-identifiers; ``extra`` are codes of one more column, if asked for.
    """

    space: BoxSpace
    spans: Spans
    points: Codes
    extra: Ints
    weights: Ints
    row: Ints

    @classmethod
    def of(
        cls, task: Task, weights: Mapping[str, float] | None, algorithm: str, *, extra: str | None = None
    ) -> DistinctRecords:
        """Return the records of a task; rows that differ in the extra column only are different rows."""
        raw = records_of(task, algorithm)
        space = BoxSpace(task.attributes, task.table.dictionaries)
        spans = penalties(space, weights, f"{algorithm}.weights")
        codes = raw.as_rows().codes(task.qids, task.table.dictionaries)
        if extra is not None:
            codes = np.hstack([codes, raw.as_rows().codes([extra], task.table.dictionaries)])
        distinct, row = distinct_rows(codes)
        wide = len(space.names)
        points = np.ascontiguousarray(space.points(distinct[:, :wide]))
        return cls(
            space,
            ordered(spans, points),
            points,
            distinct[:, wide:].sum(axis=1).astype(np.int64),
            np.bincount(row, minlength=len(distinct)).astype(np.int64),
            row,
        )

    def __len__(self) -> int:
        return len(self.weights)

    @property
    def records(self) -> int:
        """Number of records."""
        return len(self.row)

    def refuse_few(self, least: int, requirement: str | None) -> None:
        """Refuse a table that has too few records for one group."""
        if self.records < least:
            raise Infeasible(
                f"a group needs {least} records, the table has only {self.records}",
                measured=self.records,
                bound=least,
                requirement=requirement,
            )


class CellGroups:
    """Groups of records in slots, the last one filling the gap that a group leaves behind."""

    def __init__(self, rows: DistinctRecords, group: Ints | None = None) -> None:
        """Start with a group for each row, or with the given group of each row, numbered from 0."""
        self.rows = rows
        n = len(rows)
        group = np.arange(n) if group is None else group
        self.count = int(group.max()) + 1
        wide = rows.points.shape[1]
        low, high = (
            np.full((self.count, wide), np.iinfo(np.int32).max, np.int32),
            np.full((self.count, wide), -1, np.int32),
        )
        np.minimum.at(low, group, rows.points)
        np.maximum.at(high, group, rows.points)
        size = np.bincount(group, rows.weights, self.count).astype(np.int64)
        self.groups = Groups(np.arange(self.count), size, low, high, np.full(self.count, -1, np.int64))
        self.pieces = Pieces(np.arange(n), rows.weights.copy(), np.full(n, -1, np.int64))
        for piece in range(n - 1, -1, -1):
            self.pieces.after[piece] = self.groups.head[group[piece]]
            self.groups.head[group[piece]] = piece
        self.held = n
        self.slot = {number: number for number in range(self.count)}
        self.fresh = self.count
        self.merges = self.cuts = self.loans = 0
        self.taken, self.gone = np.zeros(n, np.int64), np.zeros(n, np.int64)
        self.tree: UnionTree | None = None

    def _room(self) -> None:
        """Make room for one more group and the piece of a row that is split; arrays double when they are full."""
        if self.count + 1 > len(self.groups.number):
            number, size, low, high, head = self.groups
            self.groups = Groups(_doubled(number), _doubled(size), _doubled(low), _doubled(high), _doubled(head))
        if self.held + 1 > len(self.pieces.row):
            self.pieces = Pieces(*map(_doubled, self.pieces))
        if len(self.taken) < len(self.pieces.row):
            self.taken, self.gone = (np.zeros(len(self.pieces.row), np.int64) for _ in range(2))

    # ---- looking -----------------------------------------------------------------------------------------------------

    def small(self, k: int) -> list[int]:
        """Return the numbers of groups that have fewer than k records, in order."""
        return sorted(self.groups.number[: self.count][self.groups.size[: self.count] < k].tolist())

    def listed(self, slot: int) -> list[int]:
        """Return the pieces of a group."""
        out, piece = [], int(self.groups.head[slot])
        while piece >= 0:
            out.append(piece)
            piece = int(self.pieces.after[piece])
        return out

    def one_row(self, slot: int) -> bool:
        """Tell whether all records of a group are equal."""
        return bool((self.groups.low[slot] == self.groups.high[slot]).all())

    def cost(self, slot: int) -> float:
        """Return what the records of a group cost."""
        return float(penalty(self.rows.spans, self.groups.low[slot], self.groups.high[slot]) * self.groups.size[slot])

    def cheapest_union(self, slot: int) -> int:
        """Return the slot of the group whose union with a group costs least over all records, the first one among equals."""
        if self.tree is None or self.count < self.tree.built // 2:
            self.tree = UnionTree(self.rows.spans, self.groups, self.count)
        return self.tree.cheapest(self.groups, slot)

    # ---- changing ----------------------------------------------------------------------------------------------------

    def merge(self, one: int, other: int) -> int:
        """Merge the groups in two slots; the union has the lower number. Return its slot."""
        groups, pieces = self.groups, self.pieces
        if groups.number[other] < groups.number[one]:
            one, other = other, one
        last = self.listed(one)[-1]
        pieces.after[last] = groups.head[other]
        groups.size[one] += groups.size[other]
        np.minimum(groups.low[one], groups.low[other], out=groups.low[one])
        np.maximum(groups.high[one], groups.high[other], out=groups.high[one])
        number = int(groups.number[one])
        del self.slot[int(groups.number[other])]
        self.count -= 1
        if other != self.count:
            for part in groups:
                part[other] = part[self.count]
            self.slot[int(groups.number[other])] = other
        self.merges += 1
        merged = self.slot[number]
        if self.tree is not None:
            self.tree.gone(groups, other, self.count)
            self.tree.changed(groups, merged)
        return merged

    def move(self, slot: int, to: int | None = None) -> int:
        """Move the records that ``taken`` tells from a group to another, or to a new one; return the slot of that."""
        taken = self.taken
        self._room()
        groups, pieces = self.groups, self.pieces
        fresh = to is None
        if to is None:
            to = self.count
            groups.number[to], groups.size[to], groups.head[to] = self.fresh, 0, -1
            groups.low[to], groups.high[to] = np.iinfo(np.int32).max, -1
            self.slot[self.fresh] = to
            self.fresh += 1
            self.count += 1
        stay: list[int] = []
        for piece in self.listed(slot):
            some, all_of_it = int(taken[piece]), int(pieces.held[piece])
            taken[piece] = 0
            if some == 0:
                stay.append(piece)
                continue
            moved = piece
            if some < all_of_it:
                moved = self.held
                self.held += 1
                pieces.row[moved] = pieces.row[piece]
                pieces.held[piece] -= some
                stay.append(piece)
            pieces.held[moved] = some
            pieces.after[moved] = groups.head[to]
            groups.head[to] = moved
            groups.size[to] += some
            groups.size[slot] -= some
            at = self.rows.points[pieces.row[moved]]
            np.minimum(groups.low[to], at, out=groups.low[to])
            np.maximum(groups.high[to], at, out=groups.high[to])
        for piece, after in zip(stay, [*stay[1:], -1], strict=True):
            pieces.after[piece] = after
        groups.head[slot] = stay[0]
        points = self.rows.points[pieces.row[stay]]
        groups.low[slot], groups.high[slot] = points.min(axis=0), points.max(axis=0)
        if self.tree is not None:
            self.tree.changed(groups, slot)
            if not fresh:
                self.tree.changed(groups, to)
            elif not self.tree.added(groups, to):
                self.tree = None
        return to

    def cut(self, number: int, k: int) -> None:
        """Cut parts of k off a group until fewer than ``2 k`` records are left in it, or equal ones only."""
        while True:
            slot = self.slot[number]
            if self.groups.size[slot] < 2 * k or self.one_row(slot):
                return
            self._joined_pieces(slot)
            cut_part(self.rows.spans, self.rows.points, self.groups, self.pieces, slot, k, self.taken)
            self.move(slot)
            self.cuts += 1

    def _joined_pieces(self, slot: int) -> None:
        """Make one piece of pieces of the same row: they can meet again when groups are merged."""
        first: dict[int, int] = {}
        stay: list[int] = []
        for piece in self.listed(slot):
            row = int(self.pieces.row[piece])
            if row in first:
                self.pieces.held[first[row]] += self.pieces.held[piece]
            else:
                first[row] = piece
                stay.append(piece)
        for piece, after in zip(stay, [*stay[1:], -1], strict=True):
            self.pieces.after[piece] = after

    # ---- the result --------------------------------------------------------------------------------------------------

    def of_records(self) -> tuple[Ints, Codes, Codes]:
        """Return the group of each record and the boxes of the groups, in the order of their numbers."""
        order = np.argsort(self.groups.number[: self.count])
        rows: list[tuple[int, int, int]] = []
        for place, slot in enumerate(order.tolist()):
            rows += [(int(self.pieces.row[p]), place, int(self.pieces.held[p])) for p in self.listed(slot)]
        parts = np.array(sorted(rows), np.int64).reshape(-1, 3)
        group = np.empty(self.rows.records, np.int64)
        group[np.argsort(self.rows.row, kind="stable")] = np.repeat(parts[:, 1], parts[:, 2])
        return group, self.groups.low[order], self.groups.high[order]


def _doubled(part: npt.NDArray[_Kind]) -> npt.NDArray[_Kind]:
    out = np.zeros((2 * len(part) + 64, *part.shape[1:]), part.dtype)
    out[: len(part)] = part
    return out


class Effort(TypedDict, total=False):
    """How often groups were merged, cut, lent records, specialized; and how often that was tried and cancelled."""

    merges: int
    cuts: int
    loans: int
    steps: int
    attempts: int
    cancelled: int


def published_cells(rows: DistinctRecords, group: Ints, low: Codes, high: Codes, effort: Effort) -> Outcome:
    """Return the outcome that publishes the box of each record's group, with what it costs and took to find."""
    labels = rows.space.box_labels(low, high)
    sizes = np.bincount(group, minlength=len(low)).astype(np.int64)
    each = np.array([penalty(rows.spans, a, b) for a, b in zip(low, high, strict=True)])
    alike: dict[tuple[str, ...], int] = {}
    for label, size in zip(zip(*labels, strict=True), sizes.tolist(), strict=True):
        alike[label] = alike.get(label, 0) + size
    operation = rows.space.cells(labels, group, low, high)
    return Outcome(
        operation=operation,
        warnings=[MIXED] if (low != high).any() else [],
        facts=BoxFacts(
            groups=len(sizes),
            smallest_group=int(sizes.min()),
            largest_group=int(sizes.max()),
            ncp=float(each @ sizes),
            dm=sum(size * size for size in alike.values()),
            **effort,
        ),
    )
