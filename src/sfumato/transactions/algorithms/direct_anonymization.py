"""Direct anonymization: all rare sets of items of the raw baskets are made more general in turn."""

from __future__ import annotations

from typing import ClassVar

from sfumato.contracts.algorithm import Outcome, Search, SearchTraits
from sfumato.contracts.run import Run
from sfumato.transactions.algorithms._item_cuts import CutSearch
from sfumato.transactions.task import BasketTask

__all__ = ["DirectAnonymization"]


class DirectAnonymization(Search[BasketTask]):
    """List every set of at most m items that fewer than k baskets hold, and lift each in turn; for small data.

    It does what ``apriori-anonymization`` does, but lists rare sets of all sizes before anything has become more general, and
    these are very many.

    Examples
    --------
    >>> from sfumato.transactions import Baskets
    >>> from sfumato.transactions.models import KMAnonymity
    >>> baskets = Baskets.of([["a1", "b"], ["a2", "b"]], tree={"ALL": [{"A": ["a1", "a2"]}, "b"]})
    >>> DirectAnonymization().run(BasketTask(baskets, [KMAnonymity(k=2, m=2)]), Run()).facts.cut
    ('A', 'b')

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 13.4.2.
    Terrovitis, Mamoulis, Kalnis, "Privacy-preserving anonymization of set-valued data", 2008, doi:10.14778/1453856.1453874.
    """

    id: ClassVar[str] = "direct-anonymization"
    traits: ClassVar[SearchTraits] = SearchTraits(
        release="recoded-baskets",
        optimal=False,
        deterministic=True,
        truthful=True,
        anytime=False,
        cost="all rare sets of at most m items x heights^m",
    )

    def run(self, task: BasketTask, run: Run) -> Outcome:
        search = CutSearch.of(task, self.id)
        cut, repaired = search.leaf_cut(), 0
        raw = cut.copy()
        for size in range(1, search.power + 1):
            run.checkpoint()
            repaired += search.lift(cut, search.rare_sets(raw, size, minimal=False))
        return search.outcome(cut, repaired=repaired)
