"""What a method for baskets keeps and stops: the requirements matrix as traits, so that ``describe`` can say it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sfumato.contracts.model import ModelTraits

__all__ = ["BasketTraits"]


@dataclass(frozen=True, kw_only=True)
class BasketTraits(ModelTraits):
    """Claims about a model of baskets, one for each line of the book's table of requirements (Table 13.7).

    ``prevents`` names the linkages it stops. ``knowledge``: an adversary who knows a ``bounded`` number of items of a basket,
    or any number (``unbounded``). ``absence`` tells whether it also holds against who knows items that are *not* in a basket.
    ``truthful``: what is counted in the release is true of the data. ``inferences``: rules that lead to private items may be
    found by who knows more items than the model speaks of, ``None`` where it knows no private items. ``itemsets``: whether
    what frequent itemsets lose is modelled. ``exclusive``: no published item is an ancestor of another one.

    >>> cohesion = BasketTraits(prevents=frozenset({"record"}), evaluation="record", knowledge="bounded", truthful=True,
    ...                         inferences=None, itemsets=False, exclusive=True)
    >>> cohesion.absence
    False
    """

    knowledge: Literal["bounded", "unbounded"]
    truthful: bool
    inferences: bool | None
    itemsets: bool
    exclusive: bool
    absence: bool = False
