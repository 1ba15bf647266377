"""Nugget suppression: leave the item out that ends most moles for each frequent set that goes with it."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from sfumato.contracts.algorithm import Outcome, Search, SearchTraits
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.errors import Infeasible
from sfumato.itemsets.violations import levels
from sfumato.kernels.arrays import Codes
from sfumato.transactions.algorithms._moles import suppressed
from sfumato.transactions.baskets import Baskets
from sfumato.transactions.itemset_model import itemset_models
from sfumato.transactions.nuggets import Family, frequent_codes
from sfumato.transactions.task import BasketTask

__all__ = ["NuggetSuppression"]


class NuggetSuppression(Search[BasketTask]):
    """Leave public items out until no mole is left, each time the one with the most moles for the nuggets that it costs.

    A *nugget* is a set of at most ``size`` items that ``support`` baskets or more hold; a *mole* is a set of public items that
    breaks a requirement. With all moles M(e) and all nuggets N(e) that hold the item e, the item with the highest
    ``|M(e)| / |N(e)|`` goes and takes them along; without a nugget it costs nothing and goes first. Ties go to more moles, then
    to fewer occurrences, then to the first name. What is left of the nuggets are those of the original without a suppressed
    item, with the same supports. Moles are counted one by one: with a breach of confidence they are not convex between
    borders, as the book assumes.

    Examples
    --------
    >>> from sfumato.transactions.models import KMAnonymity
    >>> baskets = Baskets.of([{"a", "b", "c"}, {"a", "b"}, {"a", "c"}, {"a", "b"}])
    >>> task = BasketTask(baskets, [KMAnonymity(k=2, m=2)])
    >>> NuggetSuppression(support=2).run(task, Run()).facts.suppressed
    ('c',)

    References
    ----------
    Xu, Fung, Wang, Fu, Pei, "Publishing sensitive transactions for itemset utility", 2008, doi:10.1109/ICDM.2008.98.
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 13.2.4.
    """

    id: ClassVar[str] = "nugget-suppression"
    traits: ClassVar[SearchTraits] = SearchTraits(
        release="recoded-baskets",
        optimal=False,
        deterministic=True,
        truthful=True,
        anytime=False,
        cost="occurring sets of up to p items, and frequent sets",
    )

    support: int = param(ge=1, doc="smallest number of baskets that hold a nugget")
    size: int = param(default=2, ge=1, doc="largest number of items in a nugget")
    universe: str = param(default="all", choices=("all", "public"), doc="whether nuggets may hold private items")

    def run(self, task: BasketTask, run: Run) -> Outcome:
        """Leave items out until every requirement holds."""
        baskets = task.baskets
        moles = _all_moles(task, self.id, run)
        gems = Family(self.nugget_codes(baskets), len(baskets.items))
        chosen = []
        while moles.left:
            run.checkpoint()
            item = _best(baskets, moles, gems)
            moles.drop(item)
            gems.drop(item)
            chosen.append(baskets.items[item])
        return suppressed(task, chosen, None)

    def nugget_codes(self, baskets: Baskets) -> list[Codes]:
        """Return the nuggets as rows of codes of the baskets."""
        sets = frequent_codes(baskets, self.support, self.size)
        if self.universe == "all":
            return sets
        return [one[~baskets.is_private[one].any(axis=1)] for one in sets]


def _best(baskets: Baskets, moles: Family, gems: Family) -> int:
    """Return the item with the most moles for its nuggets; ties to more moles, fewer occurrences, the first name."""
    held = np.flatnonzero(moles.counts)
    counts, costs = moles.counts[held], gems.counts[held]
    with np.errstate(divide="ignore"):
        scores = np.where(costs > 0, counts / np.maximum(costs, 1), np.inf)
    return int(held[np.lexsort((held, baskets.supports[held], -counts, -scores))[0]])


def _all_moles(task: BasketTask, thing: str, run: Run) -> Family:
    """Return every mole of every requirement once, in codes of the baskets; refuse where even the empty set is one."""
    baskets = task.baskets
    public = np.flatnonzero(~baskets.is_private)
    by_size: dict[int, list[Codes]] = {}
    for model in itemset_models(task.models, thing):
        reason = model.empty_mole(baskets)
        if reason is not None:
            raise Infeasible(reason, measured=len(baskets), bound=str(model.smallest()), requirement=model.id)
        database, _, _ = model.database(baskets)
        for level in levels(database, model.rule(), model.power(), minimal=False):
            run.checkpoint()
            by_size.setdefault(level.broken.size, []).append(public[level.broken.members].astype(np.int32))
    sets = [np.unique(np.concatenate(found), axis=0) if len(found) > 1 else found[0] for found in by_size.values()]
    return Family(sets, len(baskets.items))
