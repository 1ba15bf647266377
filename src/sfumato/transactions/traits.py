"""What models of baskets claim beside what every model does: against whom they protect and what stays true."""

from __future__ import annotations

from typing import Literal

from sfumato.contracts.model import ModelTraits
from sfumato.data.frozen import frozen

__all__ = ["BasketTraits"]


@frozen(kw_only=True)
class BasketTraits(ModelTraits):
    """Claims about a model of baskets (Fung et al. 2010, section 13.1.4 and Table 13.7); each stands for how it is usually met.

    The ``knows`` of the adversary is bounded by a number of items or not. ``truthful``: counts in the release are true counts
    of the original. ``inferences``: conclusions on private items that nobody bounded can still be drawn; ``None`` where a model
    knows no private items. ``itemset_utility``: frequent sets of items are what is kept. ``value_exclusive``: no published
    item stands for another published one.
    """

    knows: Literal["bounded", "unbounded"]
    truthful: bool
    inferences: bool | None = None
    itemset_utility: bool = False
    value_exclusive: bool = True
