"""Bottom-up generalization: start from the raw table, perform the best generalization until the requirements hold.

Three parts meet here: the cuts of the columns with the generalizations that are possible from them, one index of distinct
rows for each quasi-identifier (:mod:`tea_index`), and the goals (:mod:`goals`) that say what a step would gain. Which step is
best is the metric's to say.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence

import numpy as np

from sfumato.algorithms.stepwise._levels_to_reach import Goal, JudgedGoal, LevelGoal, SizeGoal, refuse_hopeless
from sfumato.algorithms.stepwise._tea_index import TeaIndex
from sfumato.contracts.algorithm import Attribute, Task
from sfumato.contracts.metric import Coarsening, CoarseningMetric
from sfumato.contracts.model import GroupModel
from sfumato.contracts.recoding import ColumnRecoding
from sfumato.data.compressed import CompressedTable
from sfumato.data.frozen import frozen
from sfumato.data.tree import Tree
from sfumato.errors import BadRequest, Unsupported
from sfumato.kernels.arrays import Floats, Ints
from sfumato.metrics.infogain import information_gain
from sfumato.recodings.subtree_generalization import SubtreeGeneralization

__all__ = ["Candidate", "Coarsener", "CutColumn"]

Qid = tuple[int, ...]


class CutColumn:
    """One column of a bottom-up search: which node stands for each leaf of its tree, and which nodes may come next.

    A node may come next if every value that occurs below it is one of its children; what does not occur is in nobody's way.
    """

    def __init__(self, attribute: Attribute, table: CompressedTable, index: int, classes: Ints, width: int) -> None:
        values = table.dictionaries[attribute.name].values
        self.attribute = attribute
        self.name = attribute.name
        self.tree = attribute.tree if attribute.tree is not None else _flat_tree(attribute, values)
        leaf = self.tree.encode(values, column=attribute.name)
        self.node_of_code = self.tree.leaf_nodes[leaf]
        self.node_of_leaf = self.tree.leaf_nodes.copy()
        key = leaf[table.codes[:, index]].astype(np.int64) * width + classes
        leaves = len(self.tree.leaves)
        counts = np.bincount(key, weights=table.weights, minlength=leaves * width).astype(np.int64)
        before = np.vstack([np.zeros((1, width), np.int64), counts.reshape(leaves, width).cumsum(axis=0)])
        self.classes: Ints = before[self.tree.leaf_last] - before[self.tree.leaf_first]  # nodes x classes
        self.records: Ints = self.classes.sum(axis=1)
        inner = np.array([bool(below) for below in self.tree.children])
        self.performed = np.zeros(len(self.tree), bool)
        self._closed = ~inner | (self.records == 0)
        self.valid = np.zeros(len(self.tree), bool)
        for node in np.flatnonzero(inner):
            self._open(int(node))

    def _open(self, node: int) -> None:
        self.valid[node] = not self._closed[node] and all(self._closed[child] for child in self.tree.children[node])

    def generalize(self, node: int) -> None:
        """Let a node stand for all leaves below it."""
        self.node_of_leaf[self.tree.leaf_first[node] : self.tree.leaf_last[node]] = node
        self.performed[node] = True
        self._closed[node] = True
        self.valid[node] = False
        if self.tree.parent[node] >= 0:
            self._open(int(self.tree.parent[node]))

    def valid_literally(self) -> list[int]:
        """Return the nodes that may come next if also what does not occur must be generalized step by step."""
        return [
            node
            for node, below in enumerate(self.tree.children)
            if below
            and self.node_of_leaf[self.tree.leaf_first[node]] > node  # neither it nor a node above it was performed
            and all(self.performed[child] or not self.tree.children[child] for child in below)
        ]

    def cut(self) -> tuple[int, ...]:
        """Return the nodes that are shown now, left to right."""
        return tuple(np.unique(self.node_of_leaf).tolist())

    def shown_as(self, nodes: Iterable[int]) -> tuple[int, ...]:
        """Return the cut that shows these nodes where records are, and leaves where there are none."""
        out = self.tree.leaf_nodes.copy()
        for node in nodes:
            if self.records[node] > 0:
                out[self.tree.leaf_first[node] : self.tree.leaf_last[node]] = node
        return tuple(np.unique(out).tolist())

    def recoding(self, cut: Sequence[int]) -> ColumnRecoding:
        """Return a cut as a recoding."""
        labels = tuple(self.tree.labels[node] for node in cut)
        return SubtreeGeneralization(tree=self.tree, hierarchy=self.attribute.builder, cut=labels)

    def information(self) -> float:
        """Return what the shown values tell about the class, in bits: ``I(all) - sum |R_v|/|T| I(R_v)``."""
        shown = self.classes[list(self.cut())]
        return float(information_gain(shown.sum(axis=0), shown))

    def detail(self) -> float:
        """Return the share of detail that is left: 1 if every leaf is shown, 0 if only the root is."""
        domain = len(self.tree.leaves)
        if domain < 2:
            return 1.0
        shown = np.array(self.cut())
        covered = (self.tree.leaf_count[shown] - 1) / (domain - 1)
        return 1.0 - float(covered @ self.records[shown]) / int(self.records[0])


def _flat_tree(attribute: Attribute, values: Sequence[Hashable]) -> Tree:
    if attribute.kind == "interval":
        raise BadRequest(
            "a number needs a hierarchy here: a bottom-up search climbs a tree that is given",
            column=attribute.name,
            parameter="hierarchy",
            available=["intervals", "ordered", "taxonomy"],
        )
    return Tree.flat(values, column=attribute.name)


@frozen
class Candidate:
    """One generalization: which node of which column, what it loses and gains, and its score (the smallest is best)."""

    attribute: str
    value: str
    cost: float
    gain: float
    score: float
    index: int
    node: int

    @property
    def critical(self) -> bool:
        """Whether it brings the worst group closer to a requirement."""
        return self.gain > 0


class _Step(Coarsening):
    """A step whose group sizes are counted only if the metric asks for them."""

    def __init__(
        self, child_classes: Ints, child_share: Floats, parent_share: float, sizes: Callable[[], tuple[Ints, Ints]]
    ) -> None:
        for name, value in (
            ("child_classes", child_classes),
            ("child_share", child_share),
            ("parent_share", parent_share),
            ("_sizes", sizes),
            ("asked", False),
        ):
            object.__setattr__(self, name, value)

    def __getattr__(self, name: str) -> Ints:
        if name not in ("finer", "coarser"):
            raise AttributeError(name)
        finer, coarser = self.__dict__["_sizes"]()
        for key, value in (("finer", finer), ("coarser", coarser), ("asked", True)):
            object.__setattr__(self, key, value)
        return finer if name == "finer" else coarser  # type: ignore[no-any-return]


class Coarsener:
    """A bottom-up search in progress.

    With ``pruned`` only the generalizations that can be critical are tried on the index, at most one for each column of a
    quasi-identifier and requirement; otherwise all are. The steps taken are the same.
    """

    def __init__(self, task: Task, metric: CoarseningMetric, *, pruned: bool = True) -> None:
        self.task = task
        self.metric = metric
        self.pruned = pruned
        table = task.table
        if task.target is not None:
            classes = table.extra_codes[:, table.extra.index(task.target)].astype(np.int64)
            width = max(len(table.dictionaries[task.target]), 1)
        else:
            classes, width = np.zeros(len(table), np.int64), 1
        self.columns = [
            CutColumn(attribute, table, index, classes, width) for index, attribute in enumerate(task.attributes)
        ]
        refuse_hopeless(table, task.models)
        self.indexes: dict[Qid, TeaIndex] = {}
        self.goals: list[Goal] = []
        self.judged: list[JudgedGoal] = []
        self._set_goals(task)
        self.steps = 0
        self.examined = 0
        self._cost: dict[tuple[int, int], float] = {}

    def _set_goals(self, task: Task) -> None:
        names = list(task.qids)
        least: dict[Qid, int] = {}
        measured: list[tuple[Qid, GroupModel]] = []
        for model in task.models:
            if not model.traits.closed_under_merge:
                raise Unsupported(
                    f"{model.id} may break when groups are merged, which a bottom-up search relies on", thing=model.id
                )
            qid = tuple(sorted(names.index(name) for name in (model.qid or names)))
            if qid not in self.indexes:
                self.indexes[qid] = TeaIndex(
                    task.table,
                    qid,
                    [self.columns[index].tree for index in qid],
                    [self.columns[index].node_of_code for index in qid],
                )
            if not isinstance(model, GroupModel):
                self.judged.append(JudgedGoal(model, task))
            elif model.traits.by_size_alone:
                least[qid] = max(least.get(qid, 1), model.least_size())
            else:
                measured.append((qid, model))
        self.goals += [SizeGoal(self.indexes[qid], k) for qid, k in least.items()]
        self.goals += [LevelGoal(self.indexes[qid], model, task.table) for qid, model in measured]
        for goal in self.judged:
            goal.refuse_hopeless({column.name: column.recoding((0,)) for column in self.columns})

    def aim_higher(self, size: int) -> None:
        """Work from now on towards groups of this size, on every quasi-identifier."""
        self.judged = []
        self.goals = [SizeGoal(index, size) for index in self.indexes.values()]

    # ---- what could be done ------------------------------------------------------------------------------------------

    def met(self) -> bool:
        """Tell whether every requirement holds now."""
        return all(goal.met() for goal in self.goals) and all(goal.met(self.recodings()) for goal in self.judged)

    def generalizations(self, *, literal: bool = False) -> list[tuple[int, int]]:
        """Return (column, node) of the valid generalizations, by column and pre-order of its tree.

        ``literal`` also lists those that touch no record, and asks that nothing below a child is left to be generalized
        even if no record holds it.
        """
        return [
            (index, int(node))
            for index, column in enumerate(self.columns)
            if literal or self._touching(index)
            for node in (column.valid_literally() if literal else np.flatnonzero(column.valid))
        ]

    def only_if(self) -> list[tuple[int, int]]:
        """Return (column, node) of the generalizations that can be critical, in the same order."""
        return sorted(set(self._passing()))

    def _touching(self, index: int) -> list[TeaIndex]:
        return [found for qid, found in self.indexes.items() if index in qid]

    def _passing(self) -> Iterator[tuple[int, int]]:
        for goal in self.goals:
            valid = [self.columns[index].valid for index in goal.index.columns]
            for level, node in goal.critical(valid):
                yield goal.index.columns[level], node

    def _gain(self, index: int, node: int) -> float:
        """Return the average gain over the requirements whose quasi-identifier holds the column."""
        concerned = [goal for goal in self.goals if index in goal.index.columns]
        gains = [goal.gain(goal.index.columns.index(index), node) for goal in concerned]
        return sum(gains) / len(gains) if gains else 0.0

    def _costs(self, index: int, node: int) -> float:
        known = self._cost.get((index, node))
        if known is not None:
            return known
        column = self.columns[index]
        below = [child for child in column.tree.children[node] if column.records[child] > 0]
        domain = len(column.tree.leaves)
        step = _Step(
            column.classes[below],
            column.tree.leaf_count[below] / domain,
            float(column.tree.leaf_count[node]) / domain,
            lambda: self._sizes(index, node),
        )
        cost = float(self.metric.cost(step))
        if not step.asked:
            # The counts of a value do not change until it is generalized, and then it is no candidate any more.
            self._cost[index, node] = cost
        return cost

    def _sizes(self, index: int, node: int) -> tuple[Ints, Ints]:
        """Return the sizes of the groups that a step touches, before and after, on all quasi-identifiers concerned."""
        finer, coarser = [], []
        for found in self._touching(index):
            touched, made = found.merged_rows(found.columns.index(index), node)
            finer.append(found.sizes[touched])
            coarser.append(np.bincount(made, weights=finer[-1]).astype(np.int64))
        return np.concatenate(finer), np.concatenate(coarser)

    def candidates(self) -> list[Candidate]:
        """Return every valid generalization with its numbers, by column and pre-order of its tree."""
        places = self.generalizations()
        tried = set(self._passing()) if self.pruned else set(places)
        self.examined = len(tried)
        costs = np.array([self._costs(*place) for place in places])
        gains = np.array([self._gain(*place) if place in tried else 0.0 for place in places])
        scores = self.metric.score(costs, gains)
        return [
            Candidate(
                self.columns[index].name,
                self.columns[index].tree.labels[node],
                float(cost),
                float(gain),
                float(score),
                index,
                node,
            )
            for (index, node), cost, gain, score in zip(places, costs, gains, scores, strict=True)
        ]

    def best(self, among: Sequence[Candidate]) -> Candidate | None:
        """Return the generalization to perform next, or ``None``."""
        if not among:
            return None
        costs = np.array([candidate.cost for candidate in among])
        return among[self.metric.best(costs, np.array([candidate.gain for candidate in among]))]

    # ---- doing it ----------------------------------------------------------------------------------------------------

    def apply(self, index: int, node: int) -> None:
        """Perform one generalization: merge the rows that it makes equal."""
        touched = self._touching(index)
        for found in touched:
            found.apply(found.columns.index(index), node)
        self.columns[index].generalize(node)
        for goal in self.goals:
            if goal.index in touched:
                goal.refresh()
        self.steps += 1

    # ---- looking at it -----------------------------------------------------------------------------------------------

    def names(self, qid: Qid) -> tuple[str, ...]:
        """Return the column names of a quasi-identifier."""
        return tuple(self.columns[index].name for index in qid)

    def smallest(self) -> dict[tuple[str, ...], int]:
        """Return ``A(QID)`` of every quasi-identifier."""
        return {self.names(qid): index.smallest for qid, index in self.indexes.items()}

    def cuts(self) -> list[tuple[int, ...]]:
        """Return the nodes that each column shows now."""
        return [column.cut() for column in self.columns]

    def recodings(self, cuts: Sequence[Sequence[int]] | None = None) -> dict[str, ColumnRecoding]:
        """Return the current state, or given cuts, as one recoding per column."""
        chosen = self.cuts() if cuts is None else cuts
        return {column.name: column.recoding(cut) for column, cut in zip(self.columns, chosen, strict=True)}

    def groups(self, names: Sequence[str]) -> dict[tuple[str, ...], int]:
        """Return ``{shown values: records}`` on one quasi-identifier of the requirements."""
        index = self._index(names)
        labels = [tree.labels for tree in index.trees]
        order = [self.names(index.columns).index(name) for name in names]
        return {
            tuple(labels[level][path[level]] for level in order): int(size)
            for path, size in zip(index.paths.tolist(), index.sizes, strict=True)
        }

    def segments(self, names: Sequence[str]) -> dict[str, list[list[tuple[str, ...]]]]:
        """Return, for every valid generalization, the nodes of the index that it merges below each parent, as paths."""
        index = self._index(names)
        labels = [tree.labels for tree in index.trees]
        return {
            labels[level][node]: [
                [tuple(labels[depth][value] for depth, value in enumerate(path)) for path in segment]
                for segment in index.segments(level, int(node))
            ]
            for level, column in enumerate(index.columns)
            for node in np.flatnonzero(self.columns[column].valid)
        }

    def _index(self, names: Sequence[str]) -> TeaIndex:
        known = {frozenset(self.names(qid)): index for qid, index in self.indexes.items()}
        if frozenset(names) not in known:
            raise BadRequest(
                "is not the quasi-identifier of a requirement",
                parameter="names",
                value=list(names),
                available=[", ".join(self.names(qid)) for qid in self.indexes],
            )
        return known[frozenset(names)]

    def _protected(self) -> list[CutColumn]:
        return [column for index, column in enumerate(self.columns) if self._touching(index)]

    def information(self) -> float | None:
        """Return what is left to tell about the class, in bits over all columns."""
        return None if self.task.target is None else float(sum(column.information() for column in self._protected()))

    def detail(self) -> float:
        """Return the share of detail that is left, on average over columns."""
        return float(np.mean([column.detail() for column in self._protected()]))
