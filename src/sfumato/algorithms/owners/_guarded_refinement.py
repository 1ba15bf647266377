"""Greedy refinement of quasi-identifiers with repaired sensitive values: the search behind ``greedy-personalized``.

Every group keeps what splitting it along each column would change: what its quasi-identifiers gain and what the repair of its
parts costs. A split of a node concerns the groups that show it; the rest of the table is not looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from sfumato.algorithms.owners._guarded_repair import GuardedRepair, Repaired, ranked
from sfumato.contracts.progress import Progress
from sfumato.contracts.trace import GuardedStep
from sfumato.data.tree import Tree
from sfumato.kernels.arrays import Codes, Ints

__all__ = ["GuardedGroup", "GuardedRefinement"]


@dataclass(eq=False)
class GuardedGroup:
    """Records that look alike: their rows, the node of each column, and how their sensitive values are published."""

    rows: Ints
    nodes: tuple[int, ...]
    repaired: Repaired | None
    gains: list[int | None] = field(default_factory=list)
    """For each column, what splitting this group changes, in whole steps; ``None`` if a part cannot be repaired."""


@dataclass(eq=False)
class GuardedRefinement:
    """Starts with every column at its root and takes the split that lowers the information loss most, while one does.

    ``leaves`` holds the leaf of every record in each column, ``sensitive`` that of its sensitive value, ``guards`` the node
    that its owner guards, -1 for none. Without ``repair`` sensitive values stay as they are.
    """

    trees: Sequence[Tree]
    names: Sequence[str]
    leaves: Codes
    sensitive: Ints
    guards: Ints
    repair: GuardedRepair | None
    least: int
    progress: Progress
    trace: list[GuardedStep] = field(default_factory=list)

    def run(self) -> list[GuardedGroup] | None:
        """Return the groups of the last state; ``None`` if not even the whole table in one group can be repaired."""
        first = self._group(np.arange(len(self.leaves)), (0,) * len(self.trees))
        if first is None:
            return None
        self._weigh(first)
        shown: dict[tuple[int, int], list[GuardedGroup]] = {}
        for at in range(len(self.trees)):
            shown[at, 0] = [first]
        groups = {id(first): first}
        while True:
            best = self._best(shown)
            if best is None:
                break
            score, at, node = best
            self.progress.tick(len(self.trace), self.names[at])
            self.trace.append(
                GuardedStep(column=self.names[at], value=self.trees[at].labels[node], gain=-score / 2**40)
            )
            for group in list(shown[at, node]):
                del groups[id(group)]
                for column, held in enumerate(group.nodes):
                    shown[column, held].remove(group)
                for part in self._parts(group, at) or ():
                    self._weigh(part)
                    groups[id(part)] = part
                    for column, held in enumerate(part.nodes):
                        shown.setdefault((column, held), []).append(part)
            del shown[at, node]
        return list(groups.values())

    def cut(self, at: int, groups: Sequence[GuardedGroup]) -> tuple[str, ...]:
        """Return the published nodes of a column; where no record is, what is published of it is not split."""
        tree = self.trees[at]
        used = {group.nodes[at] for group in groups}
        out, stack = [], [0]
        while stack:
            node = stack.pop()
            below = any(node < other < _end(tree, node) for other in used)
            if node in used or not below:
                out.append(tree.labels[_lowest(tree, node)])
            else:
                stack.extend(reversed(tree.children[node]))
        return tuple(out)

    def _best(self, shown: dict[tuple[int, int], list[GuardedGroup]]) -> tuple[int, int, int] | None:
        """Return the allowed split that lowers the loss most: of equal ones the first column, then the first node."""
        best: tuple[int, int, int] | None = None
        for (at, node), groups in shown.items():
            gains = [group.gains[at] for group in groups]
            if not groups or any(gain is None for gain in gains):
                continue
            entry = (sum(gain for gain in gains if gain is not None), at, node)
            best = entry if best is None or entry < best else best
        return best if best is not None and best[0] < 0 else None

    def _group(self, rows: Ints, nodes: tuple[int, ...]) -> GuardedGroup | None:
        if len(rows) < self.least:
            return None
        if self.repair is None:
            return GuardedGroup(rows, nodes, None)
        counts = np.bincount(self.sensitive[rows], minlength=len(self.repair.tree.leaves)).astype(np.int64)
        guards = np.unique(self.guards[rows])
        repaired = self.repair.repair(counts, guards[guards >= 0].tolist())
        return None if repaired is None else GuardedGroup(rows, nodes, repaired)

    def _parts(self, group: GuardedGroup, at: int) -> list[GuardedGroup] | None:
        """Return the groups that one falls into along a column; ``None`` if one of them is not allowed or nothing is left."""
        tree, children = self.trees[at], _parts_of(self.trees[at], group.nodes[at])
        if not children:
            return None
        first = np.array([int(tree.leaf_first[child]) for child in children], np.int64)
        child = np.searchsorted(first, self.leaves[group.rows, at], "right") - 1
        parts = []
        for number in np.unique(child).tolist():
            nodes = (*group.nodes[:at], children[number], *group.nodes[at + 1 :])
            part = self._group(group.rows[child == number], nodes)
            if part is None:
                return None
            parts.append(part)
        return parts

    def _weigh(self, group: GuardedGroup) -> None:
        for at, tree in enumerate(self.trees):
            parts = self._parts(group, at)
            if parts is None:
                group.gains.append(None)
                continue
            before, domain = int(tree.leaf_count[group.nodes[at]]), len(tree.leaves)
            gain = sum(len(part.rows) * (int(tree.leaf_count[part.nodes[at]]) - before) / domain for part in parts)
            cost = sum(_raised(part) for part in parts) - _raised(group)
            group.gains.append(ranked(gain + cost))


def _raised(group: GuardedGroup) -> float:
    return 0.0 if group.repaired is None else group.repaired.raised


def _lowest(tree: Tree, node: int) -> int:
    """Return the lowest node that stands for the same leaves: the most exact label that costs nothing."""
    while len(tree.children[node]) == 1:
        node = int(tree.children[node][0])
    return node


def _end(tree: Tree, node: int) -> int:
    """Return the number after the last node below one, in pre-order."""
    after = node + 1
    while after < len(tree.labels) and tree.parent[after] >= node:
        after += 1
    return after


def _parts_of(tree: Tree, node: int) -> list[int]:
    """Return the children of a node; a chain of only children is one step, for nothing changes on the way."""
    return [int(child) for child in tree.children[_lowest(tree, node)]]
