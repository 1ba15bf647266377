"""Minimal moles: the smallest sets of public items that give somebody away."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from sfumato.contracts.attack import AttackTraits, Details, Risk, spread
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.itemsets import exposures
from sfumato.itemsets.twins import Twins
from sfumato.itemsets.violations import levels
from sfumato.transactions.attack import BasketAttack, BasketKnowledge
from sfumato.transactions.baskets import Baskets
from sfumato.transactions.models.hkp_coherence import HKPCoherence

__all__ = ["Mined", "MinimalMoles"]


@frozen
class Mined(Details):
    """How many minimal moles there are, how many of each size, and how many persons hold one."""

    moles: int
    by_size: dict[int, int]
    persons: int


class MinimalMoles(BasketAttack):
    """Mine the moles of which no part is one: sets of at most p public items that too few baskets hold, or that are too sure.

    Level by level: sets that are no moles are extended by one item, and what is left are sets all parts of which are no moles
    (the book asks for fewer parts, which lets sets through that hold a smaller mole). Whoever holds a mole has the risk
    of the best p items in the basket: 1 / Sup or, where h is below 1, the share of a private item.

    Adversary: knows at most p public items of a basket, the best ones there are.

    Examples
    --------
    >>> baskets = Baskets.of([{"a", "b"}, {"a"}, {"a", "b"}, {"b", "c"}])
    >>> found = MinimalMoles(k=2, p=2).on(baskets, BasketKnowledge(), Run())
    >>> found.details["by_size"], found.details["persons"]
    ({1: 1}, 1)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 13.2.3.1, Algorithm 13.2.10.
    """

    id: ClassVar[str] = "minimal-moles"
    traits: ClassVar[AttackTraits] = AttackTraits(
        aims_at=frozenset({"record", "attribute"}),
        knowledge="the best public items of a basket",
        needs=frozenset(),
        victims="records",
        compared=True,
    )
    adversary: ClassVar[str] = say("adversary.minimal-moles")

    h: float = param(gt=0, le=1, default=1.0, doc="largest share of baskets with one private item that is no breach")
    k: int = param(ge=1, default=2, doc="smallest number of baskets that is no mole")
    p: int = param(ge=1, default=2, doc="largest number of items in a mole")

    def on(self, baskets: Baskets, knowledge: BasketKnowledge, run: Run) -> Risk:
        model = HKPCoherence(h=self.h, k=self.k, p=self.p)
        database, _, _ = model.database(baskets)
        held = np.zeros(len(baskets), np.bool_)
        counts: dict[int, int] = {}
        twins = Twins.of(database, model.power())
        for size, level in enumerate(levels(twins.database, model.rule(), model.power()), 1):
            run.checkpoint()
            if level.violating.any():
                counts[size] = twins.broken(level)
                held[level.owners()] = True
        rarest, surest = exposures(database, self.p)
        risk = np.where(held, np.maximum(1 / np.maximum(rarest, 1), surest if self.h < 1 else 0.0), 0.0)
        highest, mean = spread(risk)
        persons = int(held.sum())
        return Risk(
            attack=self.id,
            per_victim=risk,
            highest=highest,
            mean=mean,
            reading=say("reading.moles", count=sum(counts.values()), size=self.p, persons=persons),
            details=Mined(sum(counts.values()), counts, persons),
        )
