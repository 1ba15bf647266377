"""Greedy cohesion: leave out the item that ends most moles for what it costs, until none is left."""

from __future__ import annotations

from typing import ClassVar

from sfumato.contracts.algorithm import Outcome, SearchTraits
from sfumato.contracts.run import Run
from sfumato.itemsets import greedy_hitting_set
from sfumato.transactions.algorithms._moles import ItemChoice, costs_of, mined, suppressed
from sfumato.transactions.task import BasketTask

__all__ = ["MoleSuppression"]


class MoleSuppression(ItemChoice):
    """Leave public items out of all baskets until no set of few items gives anybody away.

    Items that are moles by themselves go first. Of the minimal moles that are left, ``MM(e)`` hold the item e; the item
    with the highest ``|MM(e)| / IL(e)`` goes, its moles fall, and so on. Ties go to more moles, then to fewer occurrences,
    then to the first name. The MOLE-tree of the book is an index from items to moles here, which touches the same moles.
    Supports of all sets that remain are those of the original.

    Examples
    --------
    >>> from sfumato.transactions import Baskets
    >>> from sfumato.transactions.models import HKPCoherence
    >>> baskets = Baskets.of([{"a", "b", "c"}, {"a", "b"}, {"a", "c"}])
    >>> task = BasketTask(baskets, [HKPCoherence(h=1, k=2, p=2)])
    >>> MoleSuppression().run(task, Run()).facts.suppressed
    ('b',)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 13.2.3, Algorithm 13.2.9.
    Xu, Wang, Fu, Yu, "Anonymizing transaction databases for publication", 2008, doi:10.1145/1401890.1401982.
    """

    id: ClassVar[str] = "mole-suppression"
    traits: ClassVar[SearchTraits] = SearchTraits(
        release="recoded-baskets",
        optimal=False,
        deterministic=True,
        truthful=True,
        anytime=False,
        cost="minimal moles x items",
    )

    def run(self, task: BasketTask, run: Run) -> Outcome:
        moles = mined(task, self.id, run)
        costs = costs_of(moles.rest, moles.names, self.loss, self.weights)
        supports = moles.rest.supports[~moles.rest.is_private]
        chosen = [moles.names[step.item] for step in greedy_hitting_set(moles.sets, costs, supports)]
        return suppressed(task, [*moles.single, *chosen], moles.count)
