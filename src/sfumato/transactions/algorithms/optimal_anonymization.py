"""Optimal anonymization: the cheapest cut of all through the taxonomy of items."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from sfumato.contracts.algorithm import Outcome, Search, SearchTraits
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.errors import Unsupported
from sfumato.kernels.arrays import Codes
from sfumato.transactions.algorithms._item_cuts import CutSearch
from sfumato.transactions.task import BasketTask

__all__ = ["OptimalAnonymization"]


class OptimalAnonymization(Search[BasketTask]):
    """Walk the cuts of the taxonomy from the leaves up, level by level, and return the cheapest one that is safe.

    What is more general than a safe cut is safe and costs no less, so it is not looked at. There are ``1 + product of the cuts
    of the children`` cuts below a node: small taxonomies only.

    Examples
    --------
    >>> from sfumato.transactions import Baskets
    >>> from sfumato.transactions.models import KMAnonymity
    >>> baskets = Baskets.of([["a1", "b"], ["a2", "b"]], tree={"ALL": [{"A": ["a1", "a2"]}, "b"]})
    >>> OptimalAnonymization().run(BasketTask(baskets, [KMAnonymity(k=2, m=2)]), Run()).facts.cut
    ('A', 'b')

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 13.4.1.
    Terrovitis, Mamoulis, Kalnis, "Privacy-preserving anonymization of set-valued data", 2008, doi:10.14778/1453856.1453874.
    """

    id: ClassVar[str] = "optimal-anonymization"
    traits: ClassVar[SearchTraits] = SearchTraits(
        release="recoded-baskets",
        optimal=True,
        deterministic=True,
        truthful=True,
        anytime=False,
        cost="cuts of the taxonomy, at worst",
    )

    most_cuts: int = param(ge=1, default=100_000, doc="how many cuts a taxonomy may have")

    def run(self, task: BasketTask, run: Run) -> Outcome:
        search = CutSearch.of(task, self.id)
        count = search.tree.cut_count()
        if count > self.most_cuts:
            raise Unsupported(
                f"the taxonomy has more than {self.most_cuts:,} cuts, which are too many to try",
                thing=self.id,
                alternatives=["apriori-anonymization"],
            )
        best: tuple[int, tuple[int, ...]] | None = None
        level = {tuple(search.leaf_cut().tolist())}
        while level:
            run.checkpoint()
            following: set[tuple[int, ...]] = set()
            for one in sorted(level):
                cut = np.array(one, np.int32)
                cost = search.loss(cut)
                if best is not None and (cost, one) >= best:
                    continue  # no cheaper one lies above it
                if self._safe(search, cut):
                    best = (cost, one)
                    continue
                following |= self._above(search, cut)
            level = following
        assert best is not None, "the root is safe"
        return search.outcome(np.array(best[1], np.int32), optimal=True)

    def _safe(self, search: CutSearch, cut: Codes) -> bool:
        return all(not len(search.rare_sets(cut, size)) for size in range(1, search.power + 1))

    def _above(self, search: CutSearch, cut: Codes) -> set[tuple[int, ...]]:
        """Return the cuts in which the children of one node, all in the cut, became it."""
        tree = search.tree
        held = set(np.unique(cut).tolist())
        parents = {int(tree.parent[node]) for node in held if tree.parent[node] >= 0}
        out = set()
        for node in parents:
            if held.issuperset(tree.children[node]):
                higher = cut.copy()
                higher[tree.leaf_first[node] : tree.leaf_last[node]] = node
                out.add(tuple(higher.tolist()))
        return out
