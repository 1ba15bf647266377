"""Recursive cuts of the record set, level by level: every group is cut once, until no group has an allowed cut.

A *chooser* proposes the next cut of each group, with parts that are large enough. The requirements that need more than sizes
are asked about the parts of all proposed cuts at once; a group whose parts fail gets another proposal, and a group without
any is closed. Whenever it is stopped, the groups reached meet every requirement.
"""

from __future__ import annotations

from dataclasses import field
from typing import Protocol

import numpy as np

from sfumato.algorithms.boxes._median_cut_kernels import (
    FRESH,
    mark_parts,
    move_rows,
    number_parts,
    propose_medians,
    survey,
)
from sfumato.contracts.algorithm import Task
from sfumato.contracts.facts import BoxFacts
from sfumato.contracts.run import Run
from sfumato.contracts.trace import CutStep
from sfumato.data.frozen import frozen
from sfumato.kernels.arrays import Bools, Codes, Floats, Ints
from sfumato.kernels.axes import below
from sfumato.searches.box_space import BoxSpace
from sfumato.searches.part_requirements import CountedRows, PartRequirements

__all__ = ["Chooser", "Cuts", "Groups", "Medians", "Partition", "counted_rows", "partition"]


@frozen(eq=False)
class Groups:
    """Groups as runs of rows, with the bounds of their coordinates, their sizes, and their axes from the widest on.

    ``region``: the coordinates that each group was cut down to, as the first one and the one after the last; of a tree
    the node, twice.
    """

    start: Ints
    end: Ints
    low: Codes
    high: Codes
    size: Ints
    ranked: Codes
    region: tuple[Codes, Codes] | None = None

    def __len__(self) -> int:
        return len(self.start)

    def taken(self, which: Ints | Bools) -> Groups:
        """Return some of the groups."""
        region = None if self.region is None else (self.region[0][which], self.region[1][which])
        return Groups(
            self.start[which],
            self.end[which],
            self.low[which],
            self.high[which],
            self.size[which],
            self.ranked[which],
            region,
        )


@frozen(eq=False)
class Cuts:
    """A proposed cut for each of some groups: the axis (-1: none), where, how many ties go below, and the score."""

    axis: Ints
    cut: Ints
    taken: Ints
    score: Floats

    @classmethod
    def none(cls, count: int) -> Cuts:
        """Return as many cuts that are none."""
        axis, cut, taken = (np.full(count, -1, np.int64) for _ in range(3))
        return cls(axis, cut, taken, np.full(count, np.nan))

    def of(self, which: Ints | Bools) -> Cuts:
        """Return some of the cuts."""
        return Cuts(self.axis[which], self.cut[which], self.taken[which], self.score[which])


class Chooser(Protocol):
    """Proposes cuts of groups whose parts have at least the size that a requirement asks for."""

    def begin(self, groups: Groups) -> None:
        """Start with groups that nobody has tried to cut."""

    def propose(self, rows: Rows, groups: Groups, which: Ints) -> Cuts:
        """Return the next cut of some of the groups."""


@frozen(eq=False)
class Rows:
    """All rows, moved so that every group is one run: coordinates, weights, and the number of each in the table."""

    points: Codes
    weights: Ints
    order: Codes


class Medians:
    """Cut the widest axis at its median; the next widest if the parts are too small."""

    def __init__(self, space: BoxSpace, least: int, *, anywhere: bool = False, relaxed: bool = False) -> None:
        self.space, self.least = space, least
        self.anywhere, self.relaxed = anywhere, relaxed

    def begin(self, groups: Groups) -> None:
        """Start with the widest axis of each group."""
        self.turn = np.zeros(len(groups), np.int64)
        self.tried = np.full((len(groups), 2), FRESH, np.int64)

    def propose(self, rows: Rows, groups: Groups, which: Ints) -> Cuts:
        """Return the next cut of some of the groups; it has no score."""
        asked = groups.taken(which)
        turn, tried = self.turn[which], self.tried[which]
        cuts = Cuts.none(len(which))
        propose_medians(
            rows.points, rows.weights, asked.start, asked.end, self.space.axes, asked.low, asked.high, asked.size,
            asked.ranked, self.least, self.anywhere, self.relaxed, turn, tried, cuts.axis, cuts.cut, cuts.taken,
        )  # fmt: skip
        self.turn[which], self.tried[which] = turn, tried
        return cuts


@frozen(eq=False)
class Partition:
    """What a run of cuts leaves: the groups in order, the group of each row, the cuts if asked for, and why it stopped."""

    space: BoxSpace
    groups: Groups
    group_of: Ints
    cuts: int
    trace: list[CutStep] = field(default_factory=list)
    stopped: str | None = None

    def labels(self) -> list[list[str]]:
        """Return the labels of the groups, column by column: their regions if these are known, or else their bounds."""
        if self.groups.region is not None:
            return self.space.region_labels(*self.groups.region)
        return self.space.box_labels(self.groups.low, self.groups.high)

    def facts(self) -> BoxFacts:
        """Return the number of groups and cuts, and the sizes of the groups."""
        size = self.groups.size
        return BoxFacts(groups=len(size), cuts=self.cuts, smallest_group=int(size.min()), largest_group=int(size.max()))


def counted_rows(task: Task) -> CountedRows:
    """Return the rows of a task as requirements count them."""
    table = task.table
    return CountedRows(
        table.weights,
        {name: table.extra_codes[:, at] for at, name in enumerate(table.extra)},
        table.dictionaries,
        table.records,
    )


def partition(
    space: BoxSpace,
    codes: Codes,
    requirements: PartRequirements,
    chooser: Chooser,
    *,
    regions: bool = False,
    trace: bool = False,
    run: Run | None = None,
) -> Partition:
    """Cut the rows as the chooser says, until no group has a cut whose parts meet the requirements."""
    return _Cutting(space, codes, requirements, chooser, regions, trace, Run.of(run)).cut_all()


class _Cutting:
    def __init__(
        self,
        space: BoxSpace,
        codes: Codes,
        requirements: PartRequirements,
        chooser: Chooser,
        regions: bool,
        trace: bool,
        run: Run,
    ) -> None:
        self.space, self.requirements, self.chooser = space, requirements, chooser
        self.regions, self.tracing, self.run = regions, trace, run
        self.rows = Rows(
            space.points(codes), requirements.counted.weights.astype(np.int64), np.arange(len(codes), dtype=np.int32)
        )
        self.part = np.zeros(len(codes), np.int32)
        self.closed: list[Groups] = []
        self.trace: list[CutStep] = []
        self.cuts = 0

    def cut_all(self) -> Partition:
        """Cut level by level."""
        open_groups = self._survey(np.zeros(1, np.int64), np.full(1, len(self.rows.order), np.int64))
        if self.regions:
            open_groups = self._whole(open_groups)
        stopped, done = None, 0
        while len(open_groups) and (stopped := self.run.stopping()) is None:
            open_groups = self._level(open_groups)
            done += int(self.closed[-1].size.sum())
            self.run.progress.tick(done, f"{self.cuts:,} cuts")
            if self.run.on_step is not None:
                self.run.on_step(self._partition([*self.closed, open_groups], None))
        return self._partition([*self.closed, open_groups], stopped)

    def _partition(self, groups: list[Groups], stopped: str | None) -> Partition:
        order = np.argsort(np.concatenate([part.start for part in groups]), kind="stable")
        joined = _joined(groups).taken(order)
        group_of = np.empty(len(self.rows.order), np.int64)
        group_of[self.rows.order] = np.repeat(np.arange(len(joined)), joined.end - joined.start)
        return Partition(self.space, joined, group_of, self.cuts, list(self.trace), stopped)

    def _survey(self, start: Ints, end: Ints) -> Groups:
        shape = (len(start), len(self.space.names))
        groups = Groups(
            start,
            end,
            np.empty(shape, np.int32),
            np.empty(shape, np.int32),
            np.empty(len(start), np.int64),
            np.empty(shape, np.int32),
        )
        survey(
            self.rows.points, self.rows.weights, start, end, self.space.axes, groups.low, groups.high, groups.size,
            groups.ranked,
        )  # fmt: skip
        return groups

    def _whole(self, groups: Groups) -> Groups:
        """Return the one group of the beginning with the whole space as its region."""
        low = [self.space.node_at[at] if tree else 0 for at, tree in enumerate(self.space.axes.tree)]
        high = [
            self.space.node_at[at] if tree else len(self.space.values[at])
            for at, tree in enumerate(self.space.axes.tree)
        ]
        region = (np.array([low], np.int32), np.array([high], np.int32))
        return Groups(groups.start, groups.end, groups.low, groups.high, groups.size, groups.ranked, region)

    def _level(self, groups: Groups) -> Groups:
        """Cut every group that has an allowed cut, close the others, and return the parts."""
        self.chooser.begin(groups)
        waiting = np.arange(len(groups))
        accepted: list[Ints] = []
        taken: list[Cuts] = []
        parts = np.zeros(len(groups), np.int64)
        while len(waiting):
            cuts = self.chooser.propose(self.rows, groups, waiting)
            found = cuts.axis >= 0
            waiting, cuts = waiting[found], cuts.of(found)
            counts = np.empty(len(waiting), np.int64)
            mark_parts(
                self.rows.points, groups.start[waiting], groups.end[waiting], self.space.axes, cuts.axis, cuts.cut,
                cuts.taken, self.part, counts,
            )  # fmt: skip
            parts[waiting] = counts
            allowed = self._allowed(groups, waiting, counts)
            accepted.append(waiting[allowed])
            taken.append(cuts.of(allowed))
            waiting = waiting[~allowed]
        chosen = np.concatenate(accepted) if accepted else np.empty(0, np.int64)
        order = np.argsort(chosen, kind="stable")
        chosen = chosen[order]
        shut = np.ones(len(groups), bool)
        shut[chosen] = False
        self.closed.append(groups.taken(shut))
        if not len(chosen):
            return groups.taken(chosen)
        cuts = _joined_cuts(taken).of(order)
        return self._cut(groups.taken(chosen), cuts, parts[chosen])

    def _allowed(self, groups: Groups, waiting: Ints, counts: Ints) -> Bools:
        """Tell for which of the groups all parts that are marked meet the requirements."""
        if not self.requirements.checks or not len(waiting):
            return np.ones(len(waiting), bool)
        start, end = groups.start[waiting], groups.end[waiting]
        total = int((end - start).sum())
        first = np.cumsum(counts) - counts
        rows, number = np.empty(total, np.int64), np.empty(total, np.int64)
        number_parts(start, end, self.rows.order, self.part, first, rows, number)
        holds = self.requirements.hold(rows, number, int(counts.sum()))
        return np.asarray(np.logical_and.reduceat(holds, first))

    def _cut(self, groups: Groups, cuts: Cuts, parts: Ints) -> Groups:
        """Move the rows of groups that are cut, and return their parts."""
        total = int(parts.sum())
        start, end = np.empty(total, np.int64), np.empty(total, np.int64)
        move_rows(
            self.rows.points, self.rows.weights, self.rows.order, self.part, groups.start, groups.end, parts, start, end
        )
        made = self._survey(start, end)
        self.cuts += len(groups)
        first = np.cumsum(parts) - parts
        if self.tracing:
            self._note(groups, cuts, made, first)
        if groups.region is None:
            return made
        return self._narrowed(groups, cuts, parts, made, first)

    def _note(self, groups: Groups, cuts: Cuts, made: Groups, first: Ints) -> None:
        """Add the cuts to the trace."""
        upper = made.low[first + 1, cuts.axis].tolist()
        for at, (size, axis, cut, score) in enumerate(
            zip(groups.size.tolist(), cuts.axis.tolist(), cuts.cut.tolist(), cuts.score.tolist(), strict=True)
        ):
            self.trace.append(
                CutStep(
                    records=size,
                    attribute=self.space.names[axis],
                    value=self.space.cut_label(axis, cut, upper[at]),
                    cost=None if np.isnan(score) else score,
                )
            )

    def _narrowed(self, groups: Groups, cuts: Cuts, parts: Ints, made: Groups, first: Ints) -> Groups:
        """Return parts with their regions: a line is cut at the first coordinate of the upper part."""
        assert groups.region is not None
        low, high = (np.repeat(side, parts, axis=0) for side in groups.region)
        axes = self.space.axes
        lines = np.flatnonzero(~axes.tree[cuts.axis])
        lower, axis = first[lines], cuts.axis[lines]
        edge = made.low[lower + 1, axis]
        high[lower, axis] = edge
        low[lower + 1, axis] = edge
        for at in np.flatnonzero(axes.tree[cuts.axis]).tolist():
            tree = int(cuts.axis[at])
            for part in range(int(first[at]), int(first[at] + parts[at])):
                node = below(axes, tree, int(cuts.cut[at]), int(made.low[part, tree]))
                low[part, tree] = high[part, tree] = node
        return Groups(made.start, made.end, made.low, made.high, made.size, made.ranked, (low, high))


def _joined(groups: list[Groups]) -> Groups:
    region = None
    if groups[0].region is not None:
        sides = [part.region for part in groups if part.region is not None]
        region = (np.concatenate([side[0] for side in sides]), np.concatenate([side[1] for side in sides]))
    return Groups(
        np.concatenate([part.start for part in groups]),
        np.concatenate([part.end for part in groups]),
        np.concatenate([part.low for part in groups]),
        np.concatenate([part.high for part in groups]),
        np.concatenate([part.size for part in groups]),
        np.concatenate([part.ranked for part in groups]),
        region,
    )


def _joined_cuts(cuts: list[Cuts]) -> Cuts:
    return Cuts(
        np.concatenate([part.axis for part in cuts]),
        np.concatenate([part.cut for part in cuts]),
        np.concatenate([part.taken for part in cuts]),
        np.concatenate([part.score for part in cuts]),
    )
