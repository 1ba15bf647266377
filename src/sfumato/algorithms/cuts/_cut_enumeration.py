"""Cut enumeration: the best cut through every tree that still meets all requirements, no record left out.

A solution is a set of inner nodes that are *specialized*: replaced by their children. A part of the search space fixes some
(their parents are among them), forbids some, and leaves the rest open. Requirements are closed under merging, so a part whose
coarsest cuts fail holds no solution; costs never rise under specialization, so its finest cuts give a lower bound, and are the
best of the part where they meet the requirements.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
import numpy.typing as npt

from sfumato.algorithms.cuts._branch_and_bound import Best, Clock
from sfumato.contracts.algorithm import Task
from sfumato.contracts.metric import DataMetric
from sfumato.contracts.recoding import ColumnRecoding
from sfumato.data.tree import Tree
from sfumato.errors import BadRequest
from sfumato.groups.published import AttributeStats, PublishedStats
from sfumato.groups.stats import GroupStats
from sfumato.kernels.arrays import Bools, Codes, Ints
from sfumato.recodings.subtree_generalization import SubtreeGeneralization
from sfumato.searches.validity import ModelValidity, group_stats

__all__ = ["CutSpace", "Cuts", "Part"]

States = npt.NDArray[np.int8]

FROZEN, SPECIAL, OPEN = 0, 1, 2
_KEY = 1 << 61

# The numbers of the specialized nodes, rising.
Cuts = tuple[int, ...]
Part = States


class _Halves:
    """Two parts: one node specialized, or frozen."""

    def __init__(self, state: States, node: int, bounds: Sequence[float]) -> None:
        self.state = state
        self.node = node
        self.bounds = list(bounds)

    def make(self, index: int) -> States:
        """Return one part."""
        out = self.state.copy()
        out[self.node] = SPECIAL if index == 0 else FROZEN
        return out


class _Nothing:
    """No parts: the part is done."""

    bounds: Sequence[float] = ()

    def make(self, index: int) -> States:
        """There is none."""
        raise IndexError(index)


class _Column:
    """One tree, its nodes numbered among those of all trees from ``shift`` on."""

    def __init__(self, tree: Tree, leaf: Codes, counts: Ints, shift: int) -> None:
        self.tree = tree
        self.shift = shift
        self.leaf = tree.leaf_nodes[leaf]  # node of every dictionary code
        self.counts = counts
        below = np.zeros(len(tree), np.int64)
        np.add.at(below, self.leaf, counts)
        for node in range(len(tree) - 1, 0, -1):
            below[tree.parent[node]] += below[node]
        # A node without records tells nothing apart and costs nothing wherever the cut runs.
        self.inner = np.array([bool(tree.children[node]) and below[node] > 0 for node in range(len(tree))])

    def shown(self, special: Bools) -> Codes:
        """Return the published node of every node, given which nodes of the tree are specialized."""
        out = np.zeros(len(self.tree), np.int32)
        parent = self.tree.parent
        for node in range(1, len(self.tree)):
            above = parent[node]
            out[node] = node if out[above] == above and special[above] else out[above]
        return out


class CutSpace:
    """All combinations of cuts through the trees of a task, with what each costs and whether it meets the requirements."""

    def __init__(self, task: Task, metric: DataMetric, *, parameter: str) -> None:
        self.task = task
        self.table = task.table
        self.metric = metric
        self.validity = ModelValidity(task)
        self.validity.refuse_hopeless()
        self.columns: list[_Column] = []
        shift = 0
        for attribute in task.attributes:
            if attribute.tree is None:
                raise BadRequest("needs a hierarchy: cuts run through trees", column=attribute.name)
            dictionary = self.table.dictionaries[attribute.name]
            leaf = attribute.tree.encode(dictionary.values, column=attribute.name)
            self.columns.append(_Column(attribute.tree, leaf, dictionary.counts, shift))
            shift += len(attribute.tree)
        self.inner = np.concatenate([column.inner for column in self.columns])
        self.parent = np.concatenate(
            [np.where(column.tree.parent < 0, -1, column.tree.parent + column.shift) for column in self.columns]
        )
        refusal = metric.applies(self._published(self.coarsest()))
        if refusal is not None:
            raise BadRequest(refusal, parameter=parameter, value=metric.id)

    # ---- parts and cuts ----------------------------------------------------------------------------------------------

    def everything(self) -> Part:
        """Return the part that holds all cuts."""
        return np.where(self.inner, OPEN, FROZEN).astype(np.int8)

    def coarsest(self) -> Bools:
        """Return the cuts through the roots: no node is specialized."""
        return np.zeros(len(self.inner), bool)

    def size(self) -> int:
        """Return the number of combinations of cuts, nodes without records included."""
        return prod(column.tree.cut_count() for column in self.columns)

    def finest(self, state: States) -> Bools:
        """Return the nodes that can be specialized inside a part: fixed or open, as all above them are."""
        out: Bools = state != FROZEN
        for node in np.flatnonzero(out):
            above = self.parent[node]
            out[node] = above < 0 or out[above]
        return out

    def available(self, state: States) -> list[int]:
        """Return the open nodes of the coarsest cuts of a part, by column and from the root down."""
        fixed = state == SPECIAL
        return [
            int(node) for node in np.flatnonzero(state == OPEN) if self.parent[node] < 0 or fixed[self.parent[node]]
        ]

    # ---- what cuts make of the table ---------------------------------------------------------------------------------

    def _shown(self, special: Bools) -> list[Codes]:
        """Return the published node of every dictionary code, by column."""
        return [
            column.shown(special[column.shift : column.shift + len(column.tree)])[column.leaf]
            for column in self.columns
        ]

    def _groups(self, shown: Sequence[Codes], qid: Sequence[int]) -> tuple[Ints, int]:
        from sfumato.algorithms.cuts._split_row_kernels import numbered

        key = np.zeros(len(self.table), np.int64)
        width = 1
        for index in qid:
            nodes, runs = np.unique(shown[index], return_inverse=True)
            if width > _KEY // len(nodes):
                key, width = numbered(key)
            key = key + (runs.ravel() * width)[self.table.codes[:, index]]
            width *= len(nodes)
        numbers, count = numbered(key)
        return numbers, int(count)

    def holds(self, special: Bools) -> bool:
        """Tell whether cuts meet every requirement."""
        shown = self._shown(special)
        for qid, least in self.validity.least.items():
            group, count = self._groups(shown, qid)
            if np.bincount(group, weights=self.table.weights, minlength=count).min() < least:
                return False
            for own, model in self.validity.models:
                if own != qid:
                    continue
                stats = group_stats(self.table, group, count, model.needs())
                if not model.bound().holds(model.measure(stats)).all():
                    return False
        return True

    def _published(self, special: Bools) -> PublishedStats:
        shown = self._shown(special)
        group, count = self._groups(shown, range(len(self.columns)))
        target = self.task.target if self.metric.traits.needs_target else None
        groups: GroupStats = group_stats(self.table, group, count, [] if target is None else [target])
        attributes = {}
        for attribute, column, nodes in zip(self.task.attributes, self.columns, shown, strict=True):
            depth = column.tree.depth
            attributes[attribute.name] = AttributeStats(
                attribute.name,
                column.counts,
                np.unique(nodes, return_inverse=True)[1].ravel().astype(np.int64),
                column.tree.leaf_count[nodes].astype(np.float64),
                float(len(column.tree.leaves)),
                (depth[column.leaf] - depth[nodes]).astype(np.int64),
                depth[column.leaf].astype(np.int64),
            )
        return PublishedStats(self.table.records, 0, groups, attributes, target=target)

    def cost(self, special: Bools) -> float:
        """Return what cuts cost."""
        return self.metric.measure(self._published(special)).value

    def cuts(self, solution: Cuts) -> list[tuple[str, ...]]:
        """Return the labels of a solution's cuts, by column."""
        special = self.coarsest()
        special[list(solution)] = True
        out = []
        for column in self.columns:
            shown = column.shown(special[column.shift : column.shift + len(column.tree)])
            out.append(tuple(column.tree.labels[node] for node in np.unique(shown[column.tree.leaf_nodes])))
        return out

    def recodings(self, solution: Cuts) -> dict[str, ColumnRecoding]:
        """Return a solution as recodings."""
        return {
            attribute.name: SubtreeGeneralization(tree=attribute.tree, hierarchy=attribute.builder, cut=cut)
            for attribute, cut in zip(self.task.attributes, self.cuts(solution), strict=True)
        }

    # ---- searching ---------------------------------------------------------------------------------------------------

    def _offer(self, special: Bools, cost: float, best: Best[Cuts]) -> None:
        best.offer(cost, tuple(np.flatnonzero(special).tolist()))

    def dive(self, best: Best[Cuts], clock: Clock) -> None:
        """Specialize the node that leaves the lowest cost until none can be, for a good solution to begin with."""
        state = self.everything()
        while True:
            clock.check()
            state = self._pruned(state, clock)
            steps: list[tuple[float, int]] = []
            for node in self.available(state):
                special = state == SPECIAL
                special[node] = True
                steps.append((self.cost(special), node))
            if not steps:
                return
            cost, node = min(steps)
            state[node] = SPECIAL
            self._offer(state == SPECIAL, cost, best)

    def _pruned(self, state: States, clock: Clock) -> States:
        """Freeze nodes that cannot be specialized in any cuts of a part: alone they break a requirement already."""
        out = state.copy()
        for node in self.available(state):
            clock.check()
            special = state == SPECIAL
            special[node] = True
            if not self.holds(special):
                out[node] = FROZEN
        return out

    def open(self, part: Part, best: Best[Cuts], clock: Clock) -> _Halves | _Nothing:
        """Freeze nodes that cannot be specialized, offer the ends of the part, and part it at the node that matters most."""
        state = self._pruned(part, clock)
        finest = self.finest(state)
        bound = self.cost(finest)
        if not best.worth(bound):
            return _Nothing()
        if self.holds(finest):
            self._offer(finest, bound, best)
            if not best.ties:
                return _Nothing()
        fixed = state == SPECIAL
        self._offer(fixed, self.cost(fixed), best)
        chosen: tuple[float, int] | None = None
        for node in self.available(state):
            clock.check()
            without = state.copy()
            without[node] = FROZEN
            dearer = self.cost(self.finest(without))
            if chosen is None or dearer > chosen[0]:
                chosen = dearer, node
        if chosen is None:
            return _Nothing()
        dearer, node = chosen
        return _Halves(state, node, (bound, max(bound, dearer)))

    def solved(self, solution: Cuts, names: Sequence[str]) -> dict[str, list[str]]:
        """Return a solution's cuts by column name."""
        return dict(zip(names, (list(cut) for cut in self.cuts(solution)), strict=True))
