"""What a bottom-up search works towards: how far the worst group is from its requirement, and what a step would change.

Merging groups never makes the worst of them worse, for any requirement that is kept under merging. So every requirement has
a level that only rises: the size of the smallest group, or what its model measures in the worst one. The level can rise only
if every group on it is merged with another.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

import numpy as np

from sfumato.algorithms.stepwise._tea_index import TeaIndex
from sfumato.contracts.algorithm import Task
from sfumato.contracts.model import GroupModel, TableModel, Verdict
from sfumato.contracts.publication import Publication
from sfumato.contracts.recoding import ColumnRecoding
from sfumato.data.compressed import CompressedTable
from sfumato.errors import Infeasible, Unsupported
from sfumato.kernels.arrays import Bools, Codes, Floats, Ints
from sfumato.searches.validity import group_stats, refuse_unlocal

__all__ = ["Goal", "JudgedGoal", "LevelGoal", "SizeGoal", "refuse_hopeless"]

Valid = Sequence[Bools]


class Goal(ABC):
    """One requirement on the groups of one index."""

    def __init__(self, index: TeaIndex) -> None:
        self.index = index

    @abstractmethod
    def met(self) -> bool:
        """Tell whether the requirement holds now."""

    @abstractmethod
    def worst(self) -> Codes:
        """Return the leaves of the groups that are furthest from the requirement."""

    @abstractmethod
    def gain(self, level: int, node: int) -> float:
        """Return by how much a step would raise the level; what exceeds the requirement earns nothing."""

    @abstractmethod
    def refresh(self) -> None:
        """Take note of a step that was applied to the index."""

    def critical(self, valid: Valid) -> list[tuple[int, int]]:
        """Return the only steps that can have a gain, at most one for each column."""
        return [] if self.met() else self.index.passing(self.worst(), valid)


class SizeGoal(Goal):
    """Every group has at least k records."""

    def __init__(self, index: TeaIndex, k: int) -> None:
        super().__init__(index)
        self.k = k
        index.count_up_to(k)
        self.smallest = index.smallest

    def met(self) -> bool:
        """Tell whether the smallest group has k records."""
        return self.smallest >= self.k

    def worst(self) -> Codes:
        """Return the leaves of the smallest groups."""
        return np.asarray(self.index.leaves[self.index.sizes == self.smallest])

    def gain(self, level: int, node: int) -> float:
        """Return ``min(A after, k) - A``."""
        return 0.0 if self.met() else float(self.index.after_merging(level, node) - self.smallest)

    def refresh(self) -> None:
        """Look for the smallest group again."""
        self.smallest = self.index.smallest


class LevelGoal(Goal):
    """Every group lies on the safe side of what a model measures; levels are turned so that higher is safer."""

    def __init__(self, index: TeaIndex, model: GroupModel, table: CompressedTable) -> None:
        super().__init__(index)
        refuse_unlocal(model, table)
        self.model = model
        self.table = table
        self.bound = model.bound()
        self.sign = 1.0 if self.bound.side == "at_least" else -1.0
        self.refresh()

    def refresh(self) -> None:
        """Measure all groups."""
        leaves = self.index.leaves
        place = np.zeros(len(self.index.count), np.int64)
        place[leaves] = np.arange(len(leaves))
        self._levels = self._measure(place[self.index.row_leaves()], len(leaves))
        self._holds = bool(self.bound.holds(self.sign * self._levels).all())

    def _measure(self, group: Ints, groups: int, rows: Codes | None = None) -> Floats:
        stats = group_stats(self.table, group, groups, self.model.needs(), rows)
        return self.sign * np.asarray(self.model.measure(stats), np.float64)

    def met(self) -> bool:
        """Tell whether every group holds."""
        return self._holds

    def worst(self) -> Codes:
        """Return the leaves of the groups on the lowest level."""
        return np.asarray(self.index.leaves[self._levels == self._levels.min()])

    def gain(self, level: int, node: int) -> float:
        """Return how far the lowest level would rise towards the bound."""
        if self.met():
            return 0.0
        touched, made = self.index.merged_rows(level, node)
        leaves = self.index.leaves[touched]
        place = np.full(len(self.index.count), -1, np.int64)
        place[leaves] = made
        group = place[self.index.row_leaves()]
        rows = np.flatnonzero(group >= 0).astype(np.int32)
        merged = self._measure(group[rows], int(made.max()) + 1, rows)
        after = min(float(merged.min()), float(self._levels[~touched].min(initial=np.inf)))
        return _rise(float(self._levels.min()), after, self.sign * self.bound.threshold)


def _rise(before: float, after: float, enough: float) -> float:
    low, high = min(before, enough), min(after, enough)
    return 0.0 if high <= low else high - low


class JudgedGoal:
    """A requirement that is not decided group by group: asked of the published rows when all others hold.

    It says yes or no and does not rank steps.
    """

    def __init__(self, model: TableModel, task: Task) -> None:
        if task.raw is None or model.traits.evaluation in ("external", "worlds", "mechanism"):
            raise Unsupported(
                f"{model.id} cannot be asked of the rows that a bottom-up search would publish", thing=model.id
            )
        self.model = model
        self.raw = task.raw
        self.qids = task.qids

    def met(self, recodings: Mapping[str, ColumnRecoding]) -> bool:
        """Judge the table as it would be published."""
        return self._judge(recodings).satisfied

    def _judge(self, recodings: Mapping[str, ColumnRecoding]) -> Verdict:
        mappings = {}
        for name, recoding in recodings.items():
            values = self.raw.dictionary(name).values
            mappings[name] = dict(zip(values, recoding.map(values, column=name).labels, strict=True))
        return self.model.judge(Publication(table=self.raw.recode(mappings), qids=self.qids))

    def refuse_hopeless(self, recodings: Mapping[str, ColumnRecoding]) -> None:
        """Refuse if even this most general state fails."""
        verdict = self._judge(recodings)
        if not verdict.satisfied:
            raise _hopeless(self.model, verdict)


def refuse_hopeless(table: CompressedTable, models: Sequence[TableModel]) -> None:
    """Refuse requirements that even one group of all records fails."""
    everything = np.zeros(len(table), np.int64)
    for model in models:
        if isinstance(model, GroupModel):
            verdict = model.check(group_stats(table, everything, 1, model.needs()))
            if not verdict.satisfied:
                raise _hopeless(model, verdict)


def _hopeless(model: TableModel, verdict: Verdict) -> Infeasible:
    return Infeasible(
        f"even the fully generalized table fails {model.id}: measured {verdict.strongest}, needed {verdict.bound}",
        measured=verdict.strongest,
        bound=model.least_size() if model.traits.by_size_alone else verdict.bound,
        requirement=model.id,
    )
