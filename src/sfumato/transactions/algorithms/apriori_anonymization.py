"""Apriori anonymization: rare sets of items are made more general, size by size, so that large ones are few."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from sfumato.contracts.algorithm import Outcome, Search, SearchTraits
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.transactions.algorithms._item_cuts import CutSearch
from sfumato.transactions.algorithms._moles import refuse_loss
from sfumato.transactions.algorithms.mole_suppression import MoleSuppression
from sfumato.transactions.built import BasketFacts, BuiltBaskets
from sfumato.transactions.task import BasketTask

__all__ = ["AprioriAnonymization"]


class AprioriAnonymization(Search[BasketTask]):
    """Find a cut of the taxonomy under which every set of at most m nodes is held by k baskets, from small sets to large ones.

    For sizes i = 1, ..., m: baskets are recoded by the cut so far, and each set of i nodes that fewer than k baskets hold
    is lifted, its members to themselves or to ancestors, the way that adds least to the loss ``sum of Sup(v) (leaves(v) -
    1)``. Ties go to fewer leaves, then to the first nodes in pre-order. Later lifts only add support, so that no set of i
    nodes is rare when all have been looked at. ``suppress_rare_first`` leaves items out that fewer than k baskets hold
    before any node is lifted: with a wide, shallow taxonomy they would drag everything to the root. Where groups say which
    items may become one, no node above a group is published: what is rare as a whole group is left out.

    Examples
    --------
    >>> from sfumato.transactions import Baskets
    >>> from sfumato.transactions.models import KMAnonymity
    >>> tree = {"ALL": [{"A": ["a1", "a2"]}, {"B": ["b1", "b2"]}]}
    >>> baskets = Baskets.of([["a1", "b1", "b2"], ["a2", "b1"], ["a2", "b1", "b2"], ["a1", "a2", "b2"]], tree=tree)
    >>> AprioriAnonymization().run(BasketTask(baskets, [KMAnonymity(k=2, m=2)]), Run()).facts.cut
    ('A', 'b1', 'b2')

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 13.4.2, Algorithm 13.4.11.
    Terrovitis, Mamoulis, Kalnis, "Privacy-preserving anonymization of set-valued data", 2008, doi:10.14778/1453856.1453874.
    """

    id: ClassVar[str] = "apriori-anonymization"
    traits: ClassVar[SearchTraits] = SearchTraits(
        release="recoded-baskets",
        optimal=False,
        deterministic=True,
        truthful=True,
        anytime=False,
        cost="rare sets of at most m nodes x heights^m",
    )

    suppress_rare_first: bool = param(default=False, doc="leave items out first that fewer than k baskets hold")

    def run(self, task: BasketTask, run: Run) -> Outcome:
        search, rare = CutSearch.of(task, self.id, parts=True), list[str]()
        if self.suppress_rare_first:
            baskets = task.baskets
            rare = [
                name
                for name, support in zip(baskets.items, baskets.supports.tolist(), strict=True)
                if support < search.least and name not in baskets.private
            ]
            left = baskets.without(rare)
            refuse_loss(task, len(baskets.codes) - len(left.codes))
            search = CutSearch.of(replace(task, baskets=left), self.id, parts=True)
        cut, repaired = search.apriori(run)
        found = search.outcome(cut, repaired=repaired)
        built, facts = found.built, found.facts
        assert isinstance(built, BuiltBaskets)
        assert isinstance(facts, BasketFacts)
        masked, out = built.masked, tuple(rare)
        if not masked.rooted:  # what stays rare as a whole group cannot be lifted
            further = MoleSuppression().run(replace(task, baskets=masked), run)
            assert isinstance(further.facts, BasketFacts)
            found, out = replace(found, built=further.built), (*out, *further.facts.suppressed)
        return replace(found, facts=replace(facts, suppressed=out)) if out else found
