"""Locally recoded baskets: an item may be as it is in one basket and more general, or missing, in another."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from sfumato.contracts.release import ReleaseTraits
from sfumato.transactions.releases.recoded_baskets import RecodedBaskets

__all__ = ["LocallyRecodedBaskets"]


class LocallyRecodedBaskets(RecodedBaskets):
    """Baskets in which the same item may be shown, more general or left out, from basket to basket.

    Every published item is true of its basket, but counts are not those of the original: who has the node above an item may
    have the item, and nobody sees how many do.

    Adversary: reads both tables and knows something of what a person's basket holds.

    Examples
    --------
    >>> LocallyRecodedBaskets().part_names()
    ('baskets', 'items')

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 13.5.
    """

    id: ClassVar[str] = "locally-recoded-baskets"
    traits: ClassVar[ReleaseTraits] = replace(RecodedBaskets.traits, truthful=False)
