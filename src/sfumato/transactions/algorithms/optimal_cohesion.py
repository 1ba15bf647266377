"""Optimal cohesion: the cheapest items to leave out so that no mole is left."""

from __future__ import annotations

from typing import ClassVar

from sfumato.contracts.algorithm import Outcome, SearchTraits
from sfumato.contracts.run import Run
from sfumato.itemsets import optimal_hitting_set
from sfumato.transactions.algorithms._moles import ItemChoice, costs_of, mined, suppressed
from sfumato.transactions.task import BasketTask

__all__ = ["OptimalCohesion"]


class OptimalCohesion(ItemChoice):
    """Leave out the public items of least total loss that hit every minimal mole; proven by an integer program.

    The problem is NP-hard already for k = 2, p = 2 and a loss of 1 each (vertex cover). It needs the extra ``exact``, and
    refuses more than 5,000 items in moles. Items that are moles by themselves go in any case.

    Examples
    --------
    >>> from sfumato.transactions import Baskets
    >>> from sfumato.transactions.models import HKPCoherence
    >>> baskets = Baskets.of([{"a", "b", "c"}, {"a", "b"}, {"a", "c"}])
    >>> task = BasketTask(baskets, [HKPCoherence(h=1, k=2, p=2)])
    >>> len(OptimalCohesion().run(task, Run()).facts.suppressed)
    1

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 13.2.2, Definition 13.2.
    """

    id: ClassVar[str] = "optimal-cohesion"
    traits: ClassVar[SearchTraits] = SearchTraits(
        release="recoded-baskets",
        optimal=True,
        deterministic=True,
        truthful=True,
        anytime=False,
        cost="exponential in the items of moles at worst",
    )

    def run(self, task: BasketTask, run: Run) -> Outcome:
        moles = mined(task, self.id, run)
        costs = costs_of(moles.rest, moles.names, self.loss, self.weights)
        chosen = [moles.names[code] for code in optimal_hitting_set(moles.sets, costs)]
        return suppressed(task, [*moles.single, *chosen], moles.count, optimal=True)
