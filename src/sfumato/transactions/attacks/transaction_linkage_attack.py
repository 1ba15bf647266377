"""Linkage by items: who knows some items of a person looks for the baskets that hold them, and what else these hold."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np

from sfumato.contracts.attack import AttackTraits, Details, Risk, spread
from sfumato.contracts.knowledge import Seen
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.itemsets import Database, exposures
from sfumato.transactions.attack import BasketAttack, BasketKnowledge, BasketSeen
from sfumato.transactions.basket_groups import BasketGroups
from sfumato.transactions.baskets import Baskets

__all__ = ["Linked", "TransactionLinkageAttack"]


@frozen
class Linked(Details):
    """What was found: baskets that hold what is known, and how sure their private items are.

    ``support`` baskets hold what is known or, where nothing special is, what is rarest of a basket. ``probabilities`` are the
    shares of private items among them, ``breach`` the largest. ``power`` items are known at most.
    """

    support: int
    breach: float
    probabilities: dict[str, float]
    power: int


class TransactionLinkageAttack(BasketAttack):
    """Find the baskets that hold the known items; conclude on private ones from their share among these.

    ``Sup(b)`` baskets hold all known items b, so a person is found with probability ``1 / Sup(b)`` and has the private item e
    with ``P(b -> e) = Sup(b and e) / Sup(b)``; the largest of these is the breach probability. An item that nobody has is held
    by no basket. If no items are told, every person is attacked with the best ``power`` of the items in the basket, and with
    all columns that are published beside them. Where private items are told of groups only, a basket of a group G has e with
    ``f(e) / |G|``, f counting the baskets of the group that have it: what whoever knows all public items concludes.

    Adversary: knows some public items of a person's basket.

    Examples
    --------
    >>> from sfumato.transactions import Baskets
    >>> from sfumato.transactions.attack import BasketKnowledge
    >>> baskets = Baskets.of([{"printer", "toy"}, {"printer", "toy"}, {"printer"}], private=["toy"])
    >>> found = TransactionLinkageAttack().on(baskets, BasketKnowledge(known=("printer",)), Run())
    >>> found.details["support"], round(found.details["breach"], 2)
    (3, 0.67)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, sections 13.1.1 and 13.2.
    """

    id: ClassVar[str] = "transaction-linkage-attack"
    traits: ClassVar[AttackTraits] = AttackTraits(
        aims_at=frozenset({"record", "attribute"}),
        knowledge="some public items of a basket",
        needs=frozenset(),
        victims="records",
        compared=True,
    )
    adversary: ClassVar[str] = say("adversary.transaction-linkage-attack")
    title: ClassVar[str] = "linkage by items"

    power: int = param(ge=1, default=2, doc="how many items are known of a basket, where nothing special is told")

    def run(self, seen: Seen, knowledge: BasketKnowledge, run: Run) -> Risk:
        """Try it on the baskets that are seen, with the counts of their groups where private items are told by group."""
        if isinstance(seen, BasketSeen) and seen.grouped is not None:
            return self._tried(seen.baskets, knowledge, seen.grouped)
        return super().run(seen, knowledge, run)

    def on(self, baskets: Baskets, knowledge: BasketKnowledge, run: Run) -> Risk:
        """Look for what is known, or try the best items of everybody."""
        return self._tried(baskets, knowledge, None)

    def _tried(self, baskets: Baskets, knowledge: BasketKnowledge, groups: BasketGroups | None) -> Risk:
        if knowledge.known:
            return self._known(baskets, knowledge, groups)
        database = Database.of(baskets.starts, baskets.codes, len(baskets.items), baskets.is_private)
        if baskets.beside is not None:
            database = replace(database, items=database.items.within(baskets.classes[0])[0])
        rarest, surest = exposures(database, self.power)
        if groups is not None:
            surest = np.max([groups.shares(name) for name in groups.items], axis=0, initial=0.0)
        risk = np.maximum(1 / np.maximum(rarest, 1), surest)
        highest, mean = spread(risk)
        found = int(rarest.min(initial=len(baskets)))
        alone = int((rarest == 1).sum())
        return Risk(
            attack=self.id,
            per_victim=risk,
            highest=highest,
            mean=mean,
            reading=say(
                "reading.items", power=self.power, smallest=found, alone=alone, surest=float(surest.max(initial=0))
            ),
            details=Linked(found, float(surest.max(initial=0)), {}, self.power),
        )

    def _known(self, baskets: Baskets, knowledge: BasketKnowledge, groups: BasketGroups | None) -> Risk:
        fitting = baskets.fitting(knowledge.known)
        held = baskets.codes[np.isin(baskets.owners, fitting)]
        counts = np.bincount(held, minlength=len(baskets.items))
        probabilities = {
            name: counts[baskets.code_of[name]].item() / len(fitting)
            for name in sorted(baskets.private)
            if len(fitting) and (not knowledge.learn or name in knowledge.learn)
        }
        if groups is not None and len(fitting):
            told = [name for name in groups.items if not knowledge.learn or name in knowledge.learn]
            probabilities |= {name: float(groups.shares(name)[fitting].mean()) for name in told}
        breach = max(probabilities.values(), default=0.0)
        risk = np.full(len(fitting), max(breach, 1 / max(len(fitting), 1)))
        highest, mean = spread(risk)
        return Risk(
            attack=self.id,
            per_victim=risk,
            highest=highest,
            mean=mean,
            reading=say("reading.known_items", known=len(knowledge.known), count=len(fitting), surest=breach),
            details=Linked(len(fitting), breach, probabilities, len(knowledge.known)),
        )
