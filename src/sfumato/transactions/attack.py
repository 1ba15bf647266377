"""Attacks on baskets: what an adversary has who reads published baskets, and what she knows of her victim's."""

from __future__ import annotations

from abc import abstractmethod

from sfumato.contracts.attack import Attack, Risk
from sfumato.contracts.knowledge import Knowledge, Names, Seen, knows
from sfumato.contracts.run import Run
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.transactions.basket_groups import BasketGroups
from sfumato.transactions.baskets import Baskets

__all__ = ["BasketAttack", "BasketKnowledge", "BasketSeen"]


@frozen(eq=False, kw_only=True)
class BasketSeen(Seen):
    """How an adversary reads published baskets: as sets; as a table she has one row for each basket.

    Where private items are told of groups of baskets only, she has their counts: ``grouped``.
    """

    baskets: Baskets
    grouped: BasketGroups | None = None


@frozen(kw_only=True, eq=False)
class BasketKnowledge(Knowledge):
    """What an adversary of published baskets may know."""

    known: Names = knows((), say("known.items"), said="items")
    absent: Names = knows((), say("known.absent"))
    learn: Names = knows((), say("known.private_items"), said="private")
    power: int | None = knows(None, say("known.power"), own=True)


class BasketAttack(Attack[BasketKnowledge]):
    """An attack on published baskets."""

    @abstractmethod
    def on(self, baskets: Baskets, knowledge: BasketKnowledge, run: Run) -> Risk:
        """Return the risk that the baskets leave to the persons behind them."""

    def run(self, seen: Seen, knowledge: BasketKnowledge, run: Run) -> Risk:
        """Try it on the baskets that are seen; a table is refused."""
        if not isinstance(seen, BasketSeen):
            raise BadRequest(f"{self.id} reads baskets: give a release of the shape transactions", parameter="release")
        return self.on(seen.baskets, knowledge, run)
