"""Greedy personalized generalization with lists of records: one cell climbs at a time, everything is counted anew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor
from typing import Any

__all__ = ["NaivePersonalized", "NaiveTree", "breach_of"]


class NaiveTree:
    """A tree ``{label: [...]}`` as dictionaries."""

    def __init__(self, nested: Any) -> None:
        self.parent: dict[str, str | None] = {}
        self.below: dict[str, list[str]] = {}
        self.leaves: dict[str, list[str]] = {}
        self.order: list[str] = []
        self._add(nested, None)

    def _add(self, nested: Any, above: str | None) -> list[str]:
        label, children = (nested, []) if isinstance(nested, str) else next(iter(nested.items()))
        self.parent[label] = above
        self.order.append(label)
        self.below[label] = [child if isinstance(child, str) else next(iter(child)) for child in children]
        self.leaves[label] = [label] if not children else []
        for child in children:
            self.leaves[label] += self._add(child, label)
        return self.leaves[label]

    @property
    def root(self) -> str:
        return self.order[0]

    def told(self, shown: str, guard: str) -> float:
        return len(set(self.leaves[shown]) & set(self.leaves[guard])) / len(self.leaves[shown])

    def lowest(self, label: str) -> str:
        while len(self.below[label]) == 1:
            label = self.below[label][0]
        return label

    def ancestors(self, label: str) -> list[str]:
        out, above = [], self.parent[label]
        while above is not None:
            out.append(above)
            above = self.parent[above]
        return out


def _steps(score: float) -> int:
    return floor(score * 2**40 + 0.5)


def breach_of(tree: NaiveTree, shown: Sequence[str], guard: str, per_leaf: bool) -> float:
    """Return the chance of a value below the guarded node, or the largest chance of one such value."""
    if per_leaf:
        return max(breach_of(tree, shown, leaf, False) for leaf in tree.leaves[guard])
    return sum(tree.told(one, guard) for one in shown) / len(shown)


@dataclass
class NaivePersonalized:
    """The whole algorithm over rows of (quasi-identifiers..., sensitive, guard)."""

    trees: Sequence[NaiveTree]
    disease: NaiveTree
    bound: float
    per_leaf: bool = False
    least: int = 1

    def run(self, rows: Sequence[Sequence[Any]]) -> tuple[float, list[tuple[str, ...]]] | None:
        """Return the loss, and what is published of the quasi-identifiers of each record; ``None`` if it cannot be done."""
        cuts = [[tree.root] for tree in self.trees]
        state = self._state(rows, cuts)
        if state is None:
            return None
        finished = False
        while not finished:
            best: tuple[int, int, int, list[list[str]]] | None = None
            for at, tree in enumerate(self.trees):
                for node in cuts[at]:
                    children = tree.below[node]
                    while len(children) == 1:
                        children = tree.below[children[0]]
                    if not children or not any(self._label(at, cuts, row) == node for row in rows):
                        continue
                    tried = [list(cut) for cut in cuts]
                    tried[at] = [label for label in cuts[at] if label != node] + children
                    found = self._state(rows, tried)
                    if found is None:
                        continue
                    entry = (_steps(found[0] - state[0]), at, tree.order.index(node), tried)
                    best = entry if best is None or entry[:3] < best[:3] else best
            finished = best is None or best[0] >= 0
            if best is not None and not finished:
                cuts = best[3]
                state = self._state(rows, cuts)
                assert state is not None
        return state[0], [
            tuple(tree.lowest(label) for tree, label in zip(self.trees, labels, strict=True)) for labels in state[1]
        ]

    def _label(self, at: int, cuts: Sequence[Sequence[str]], row: Sequence[Any]) -> str:
        return next(label for label in cuts[at] if row[at] in self.trees[at].leaves[label])

    def _state(
        self, rows: Sequence[Sequence[Any]], cuts: Sequence[Sequence[str]]
    ) -> tuple[float, list[tuple[str, ...]]] | None:
        published = [tuple(self._label(at, cuts, row) for at in range(len(self.trees))) for row in rows]
        groups: dict[tuple[str, ...], list[int]] = {}
        for number, labels in enumerate(published):
            groups.setdefault(labels, []).append(number)
        loss = sum(
            (len(tree.leaves[label]) - 1) / len(tree.leaves[tree.root])
            for labels in published
            for tree, label in zip(self.trees, labels, strict=True)
        )
        for members in groups.values():
            if len(members) < self.least:
                return None
            shown = self.repaired([rows[number][-2] for number in members], [rows[number][-1] for number in members])
            if shown is None:
                return None
            whole = len(self.disease.leaves[self.disease.root])
            loss += sum((len(self.disease.leaves[one]) - 1) / whole for one in shown)
        return loss, published

    def repaired(self, values: Sequence[str], guards: Sequence[str | None]) -> list[str] | None:
        """Return what is shown of the sensitive values of one group."""
        tree, shown = self.disease, list(values)
        wanted = {guard for guard in guards if guard is not None}
        if self.per_leaf:
            wanted = {leaf for guard in wanted for leaf in tree.leaves[guard]}
        asked = sorted(wanted, key=tree.order.index)
        while asked:
            breaches = {guard: breach_of(tree, shown, guard, False) for guard in asked}
            worst = min(asked, key=lambda guard: (-_steps(breaches[guard]), tree.order.index(guard)))
            if breaches[worst] <= self.bound * (1 + 5e-10):
                return shown
            best: tuple[int, int, int, int, str] | None = None
            for number, label in enumerate(shown):
                told = tree.told(label, worst)
                for above in tree.ancestors(label):
                    if tree.told(above, worst) < told:
                        cost = len(tree.leaves[above]) - len(tree.leaves[label])
                        lowered = _steps(told - tree.told(above, worst))
                        entry = (cost, -lowered, tree.order.index(label), number, above)
                        best = entry if best is None or entry < best else best
                        break
            if best is None:
                return None
            shown[best[3]] = best[4]
        return shown
