"""Cuts through the taxonomy of items: which records a node stands for, what a cut costs, and what is published of one."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np

from sfumato.contracts.algorithm import Outcome
from sfumato.contracts.run import Run
from sfumato.data.frozen import frozen
from sfumato.data.tree import Tree
from sfumato.errors import BadRequest, Infeasible, Unsupported
from sfumato.itemsets import Database, Rule
from sfumato.itemsets.violations import levels
from sfumato.kernels.arrays import Codes, Ints, Words
from sfumato.transactions.algorithms._item_cut_kernels import lift_rare_sets, node_records
from sfumato.transactions.baskets import Baskets, compressed_rows
from sfumato.transactions.built import BasketFacts, built_baskets
from sfumato.transactions.itemset_model import itemset_models
from sfumato.transactions.task import BasketTask

__all__ = ["CutSearch"]


@frozen(eq=False)
class CutSearch:
    """Public items as leaves of their taxonomy; the smallest support and the power that all requirements together ask for."""

    task: BasketTask
    tree: Tree
    least: int
    power: int

    @classmethod
    def of(cls, task: BasketTask, thing: str, *, parts: bool = False) -> CutSearch:
        """Return the search for a task; refuse requirements on private items, and too few baskets for the root itself.

        ``parts`` if it works with trees whose root may not be published.
        """
        models = itemset_models(task.models, thing)
        for model in models:
            if model.rule().share is not None:
                raise Unsupported(
                    f"{thing} only makes sets of items frequent: what is sure of private items needs mole-suppression",
                    thing=model.id,
                    alternatives=["mole-suppression", "optimal-cohesion"],
                )
        if not task.baskets.rooted and not parts:
            raise Unsupported(
                f"{thing} may make everything one item, which groups forbid",
                thing=thing,
                alternatives=["apriori-anonymization"],
            )
        if task.baskets.tree is None:
            raise BadRequest("needs a taxonomy of the items", parameter="items.hierarchy")
        least, power = max(model.smallest() for model in models), max(model.power() for model in models)
        search = cls(task, task.baskets.tree, least, power)
        held = int((np.diff(search._owners) > 0).sum()) + bool(len(search._owners))
        if 0 < held < least:
            raise Infeasible(
                f"only {held:,} baskets hold a public item, fewer than the {least:,} that must look alike",
                measured=held,
                bound=f">= {least}",
            )
        return search

    @cached_property
    def _public(self) -> Ints:
        baskets = self.task.baskets
        return np.flatnonzero(~baskets.is_private[baskets.codes])

    @cached_property
    def _owners(self) -> Ints:
        return self.task.baskets.owners[self._public]

    @cached_property
    def leaves(self) -> Ints:
        """The leaf number of each public occurrence."""
        baskets = self.task.baskets
        number = np.array([self.tree.leaf_number.get(name, -1) for name in baskets.items], np.int64)
        return number[baskets.codes[self._public]]

    @cached_property
    def _records(self) -> tuple[Ints, Codes]:
        """The baskets that hold something below each node: starts by node, and baskets in order."""
        starts = np.searchsorted(self._owners, np.arange(len(self.task.baskets) + 1))
        return node_records(starts, self.tree.leaf_nodes[self.leaves], self.tree.parent)

    @cached_property
    def supports(self) -> Ints:
        """How many baskets hold something below each node."""
        return np.diff(self._records[0])

    @cached_property
    def _dense(self) -> tuple[Codes, Words]:
        """Bits of the baskets of frequent nodes, where they take no more room than a list."""
        starts, tids = self._records
        frequent = np.flatnonzero(self.supports * 32 > len(self.task.baskets))
        row = np.full(len(self.tree), -1, np.int32)
        row[frequent] = np.arange(len(frequent))
        words = np.zeros((max(len(frequent), 1), len(self.task.baskets) // 64 + 1), np.uint64)
        for at, node in enumerate(frequent.tolist()):
            held = tids[starts[node] : starts[node + 1]]
            np.bitwise_or.at(words[at], held >> 6, np.uint64(1) << (held & 63).astype(np.uint64))
        return row, words

    def leaf_cut(self) -> Codes:
        """Return the cut that changes nothing: each leaf is its own node."""
        return self.tree.leaf_nodes.astype(np.int32).copy()

    def loss(self, cut_of_leaf: Codes) -> int:
        """Return the loss of a cut, ``(|I| - 1)`` times that of ``item-loss``: support times further leaves of each node."""
        nodes = np.unique(cut_of_leaf)
        return int((self.supports[nodes] * (self.tree.leaf_count[nodes] - 1)).sum())

    def rare_sets(self, cut_of_leaf: Codes, size: int, *, minimal: bool = True) -> Codes:
        """Return the sets of so many nodes of a cut that too few baskets hold, in pre-order."""
        nodes = np.unique(cut_of_leaf)
        place = np.searchsorted(nodes, cut_of_leaf)[self.leaves]
        starts, codes = compressed_rows(self._owners, place, len(self.task.baskets), len(nodes))
        database = Database.of(starts, codes, len(nodes))
        if self.task.baskets.known is not None:
            only = np.zeros((len(self.task.baskets.known), len(nodes)), np.bool_)
            for at, one in enumerate(self.task.baskets.known):
                leaves = [self.tree.leaf_number[name] for name in one]
                only[at, np.searchsorted(nodes, cut_of_leaf[leaves])] = True
            database = replace(database, only=only)
        named = nodes.astype(np.int32)
        for at, level in enumerate(levels(database, Rule(self.least), size, minimal=minimal), 1):
            if at == size:
                return named[level.broken_members()]
        return np.empty((0, size), np.int32)

    def lift(self, cut_of_leaf: Codes, sets: Codes) -> int:
        """Repair rare sets in turn, changing the cut; return how many had to be."""
        starts, tids = self._records
        row, words = self._dense
        inside = np.zeros(len(self.tree), np.int64)
        for node in np.unique(cut_of_leaf).tolist():
            cost = int(self.supports[node]) * (int(self.tree.leaf_count[node]) - 1)
            up = node
            while cost and up >= 0:
                inside[up] += cost
                up = int(self.tree.parent[up])
        return int(
            lift_rare_sets(
                sets,
                self.least,
                self.tree.parent if self.task.baskets.rooted else np.where(self.tree.parent == 0, -1, self.tree.parent),
                self.tree.leaf_first,
                self.tree.leaf_last,
                cut_of_leaf,
                inside,
                starts,
                tids,
                row,
                words,
            )
        )

    def labels(self, cut_of_leaf: Codes) -> tuple[str, ...]:
        """Return the nodes of a cut, in pre-order."""
        return tuple(self.tree.labels[node] for node in np.unique(cut_of_leaf).tolist())

    def masked(self, cut_of_leaf: Codes) -> Baskets:
        """Return the baskets with every public item replaced by its node of a cut."""
        nodes = {
            str(leaf): self.tree.labels[node] for leaf, node in zip(self.tree.leaves, cut_of_leaf.tolist(), strict=True)
        }
        return self.task.baskets.cut(nodes)

    def outcome(self, cut_of_leaf: Codes, *, repaired: int | None = None, optimal: bool | None = None) -> Outcome:
        """Return what is published under a cut."""
        masked = self.masked(cut_of_leaf)
        facts = BasketFacts(
            cut=self.labels(cut_of_leaf),
            items_before=len(self.task.baskets.items) - len(self.task.baskets.private),
            items_after=len(masked.items) - len(masked.private),
            violations=repaired,
        )
        return Outcome(built=built_baskets(masked), facts=facts, optimal=optimal)

    def apriori(self, run: Run) -> tuple[Codes, int]:
        """Return the cut of the search by size, and how many sets were repaired."""
        cut, repaired = self.leaf_cut(), 0
        for size in range(1, self.power + 1):
            run.checkpoint()
            repaired += self.lift(cut, self.rare_sets(cut, size))
        return cut, repaired
