"""Linkage by what is missing: who also knows items that a person does not have is left with fewer baskets."""

from __future__ import annotations

from collections import Counter
from typing import ClassVar

import numpy as np

from sfumato.contracts.attack import AttackTraits, Details, Risk, spread
from sfumato.contracts.run import Run
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.transactions.attack import BasketAttack, BasketKnowledge
from sfumato.transactions.baskets import Baskets

__all__ = ["AbsenceAttack", "Left"]


@frozen
class Left(Details):
    """How many baskets hold what is known to be there, and how many of them lack what is known not to be there."""

    present: int
    left: int


class AbsenceAttack(BasketAttack):
    """Keep the baskets that hold all items known to be there and none that is known not to be.

    k^m-anonymity does not bound what is left, as it speaks of present items only; transactional k-anonymity does. If nothing
    is told, everybody is attacked by somebody who knows of every public item whether it is in the basket.

    Adversary: knows some public items of a person's basket, and some that are not in it.

    Examples
    --------
    >>> from sfumato.transactions import Baskets
    >>> from sfumato.transactions.attack import BasketKnowledge
    >>> baskets = Baskets.of([{"milk"}, {"milk", "tires"}, {"milk", "tires"}])
    >>> found = AbsenceAttack().on(baskets, BasketKnowledge(known=("milk",), absent=("tires",)), Run())
    >>> found.details["present"], found.details["left"]
    (3, 1)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 13.5.
    """

    id: ClassVar[str] = "absence-attack"
    traits: ClassVar[AttackTraits] = AttackTraits(
        aims_at=frozenset({"record"}),
        knowledge="some public items of a basket, and some that are not in it",
        needs=frozenset(),
        victims="records",
        compared=True,
    )
    adversary: ClassVar[str] = say("adversary.absence-attack")
    title: ClassVar[str] = "linkage by absent items"

    def on(self, baskets: Baskets, knowledge: BasketKnowledge, run: Run) -> Risk:
        """Look for what fits, or compare whole baskets."""
        if knowledge.known or knowledge.absent:
            present = baskets.fitting(knowledge.known)
            left = self.left(baskets, knowledge)
            risk = np.full(len(left), 1 / max(len(left), 1))
            highest, mean = spread(risk)
            return Risk(
                attack=self.id,
                per_victim=risk,
                highest=highest,
                mean=mean,
                reading=say("reading.absent_items", present=len(present), left=len(left)),
                details=Left(len(present), len(left)),
            )
        sizes = Counter(zip(baskets.classes[0].tolist(), (basket - baskets.private for basket in baskets), strict=True))
        counts = np.array(list(sizes.values()), np.int64)
        risk = 1 / counts
        highest, mean = spread(risk, counts)
        smallest = int(counts.min(initial=len(baskets)))
        return Risk(
            attack=self.id,
            per_victim=risk,
            counts=counts,
            highest=highest,
            mean=mean,
            reading=say("reading.whole_baskets", smallest=smallest, alone=int((counts == 1).sum())),
            details=Left(len(baskets), smallest),
        )

    @staticmethod
    def left(baskets: Baskets, knowledge: BasketKnowledge) -> tuple[int, ...]:
        """Return the places of the baskets that fit what is known."""
        absent = set(knowledge.absent)
        without = np.array([not absent & basket for basket in baskets], np.bool_)
        return tuple(int(at) for at in baskets.fitting(knowledge.known) if without[at])
