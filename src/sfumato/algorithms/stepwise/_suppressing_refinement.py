"""Top-down refinement that may leave records out: a step may make groups too small if their records fit the limit.

Records in groups that are too small stay in such groups however they are refined further. So the number left out never
falls along the search, a step that exceeds the limit once exceeds it for good, and any state can be published.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sfumato.contracts.algorithm import Task
from sfumato.contracts.facts import StepFacts
from sfumato.contracts.metric import SearchMetric
from sfumato.errors import Unsupported
from sfumato.kernels.arrays import Bools, Floats, Ints
from sfumato.searches.partition import Partition
from sfumato.searches.refinement import Refinery
from sfumato.searches.validity import parts_of

__all__ = ["SuppressingRefinery"]


class SuppressingRefinery(Refinery):
    """A top-down search whose groups below the required size are left out, up to the limit of the task.

    ``A(QID)`` is that of the groups that stay: at least the required size.
    """

    def __init__(
        self,
        task: Task,
        metric: SearchMetric,
        *,
        require_beneficial: bool = True,
        midpoint: bool = False,
        keep_dead: bool = False,
    ) -> None:
        for model in task.models:
            if not model.traits.by_size_alone or not model.traits.violations_shrink_under_merge:
                raise Unsupported(
                    f"records are left out only where group sizes decide, which they do not for {model.id}; set "
                    "limits.suppress_at_most to 0",
                    thing=model.id,
                )
        super().__init__(task, metric, require_beneficial=require_beneficial, midpoint=midpoint, keep_dead=keep_dead)
        if len(self.validity.least) > 1:
            raise Unsupported(
                "records are left out only under one quasi-identifier; set limits.suppress_at_most to 0",
                thing="limits.suppress_at_most",
            )
        ((self.qid, self.least),) = self.validity.least.items()
        self.gone = 0
        self._group = np.zeros(len(task.table), np.int64)  # of each row
        self._holders: dict[int, tuple[Ints, Ints]] = {}

    @property
    def partition(self) -> Partition:
        """The groups."""
        return self.partitions[self.qid]

    def _loss_and_validity(self, index: int, slots: Ints) -> tuple[Floats, Bools]:
        if index not in self.qid:
            return np.zeros(len(slots)), np.ones(len(slots), bool)
        after = np.maximum(self.partition.after(index, slots), self.least)
        shown = np.ones(len(slots), bool)
        if self.columns[index].suppressing:  # what fewer records hold is never shown, whatever else is
            shown = self.task.table.dictionaries[self.columns[index].name].counts[slots] >= self.least
        return (max(self.partition.smallest, self.least) - after).astype(np.float64), shown

    def _holds(self, index: int, slot: int) -> bool:
        if self.columns[index].suppressing and not self._shows(index, slot):
            return False  # records would be left out, and nothing shown for it
        return self.gone + self._more(index, slot) <= self.task.budget

    def _shows(self, index: int, value: int) -> bool:
        """Tell whether anybody who holds a value stays if it is shown; groups only shrink, so a no is one for good."""
        _, held = self._held(index, value)
        return bool((held >= self.least).any())

    def _more(self, index: int, slot: int) -> int:
        """Return how many records more a step would leave out."""
        partition = self.partition
        if partition.after(index, np.array([slot]))[0] >= self.least:
            return 0
        if self.columns[index].suppressing:
            return self._disclosed(index, slot)
        groups = partition.carrying(index, slot)
        groups = groups[partition.size[groups] >= self.least]
        if not len(groups):
            return 0
        rows = np.concatenate([partition.rows_of(int(group)) for group in groups])
        group = np.repeat(np.arange(len(groups)), partition.end[groups] - partition.start[groups])
        codes = self.task.table.codes[rows, index]
        part = parts_of(self._step(index, slot), codes)
        sizes = np.bincount(group * (int(part.max()) + 1) + part, weights=self.task.table.weights[rows])
        return int(sizes[sizes < self.least].sum())

    def _disclosed(self, index: int, value: int) -> int:
        """Return how many records more it would leave out to show a value: of those who hold it, and of who is left."""
        groups, held = self._held(index, value)
        whole = self.partition.size[groups]
        rest = whole - held
        more = np.where(held < self.least, held, 0) + np.where(rest < self.least, rest, 0)
        return int(more[whole >= self.least].sum())

    def _held(self, index: int, value: int) -> tuple[Ints, Ints]:
        """Return the groups in which a value is held, and how many records of each hold it."""
        if index not in self._holders:
            codes = self.task.table.codes[:, index]
            order = np.argsort(codes, kind="stable")
            self._holders[index] = order, np.searchsorted(codes[order], np.arange(len(self.columns[index].values) + 1))
        order, start = self._holders[index]
        rows = order[start[value] : start[value + 1]]
        groups, part = np.unique(self._group[rows], return_inverse=True)
        return groups, np.bincount(part, weights=self.task.table.weights[rows]).astype(np.int64)

    def _look_ahead(self, qid: tuple[int, ...], partition: Partition, changed: Ints) -> None:
        for group in changed.tolist():
            self._group[partition.rows_of(group)] = group
        super()._look_ahead(qid, partition, changed)

    def apply(self, index: int, slot: int) -> None:
        """Perform one step and count what it leaves out."""
        self.gone += self._more(index, slot)
        super().apply(index, slot)

    def left_out(self) -> list[tuple[str, ...]]:
        """Return the published values of the groups that are left out, in the order of the quasi-identifiers."""
        partition = self.partition
        small = np.flatnonzero(partition.sizes < self.least)
        rows = partition.order[partition.start[small]]
        return sorted(
            tuple(column.label_of_code(int(code)) for column, code in zip(self.columns, row, strict=True))
            for row in self.task.table.codes[rows]
        )

    def facts(self) -> StepFacts:
        """Return the smallest group that stays, and what was left out."""
        return replace(super().facts(), records_suppressed=self.gone)

    def smallest(self) -> dict[tuple[str, ...], int]:
        """Return the size of the smallest group that stays."""
        sizes = self.partition.sizes
        return {self.names(self.qid): int(sizes[sizes >= self.least].min(initial=self.task.table.records))}

    def words(self) -> str:
        return f"{super().words()}, {self.gone:,} records left out"
