"""LKC-privacy of baskets: who knows at most L items finds K baskets or more, and no private item too surely."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

import numpy as np

from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.errors import BadRequest, misspelt
from sfumato.kernels.arrays import Bools
from sfumato.transactions.baskets import Baskets
from sfumato.transactions.itemset_model import ItemsetModel
from sfumato.transactions.traits import BasketTraits

__all__ = ["LKCPrivacy"]


class LKCPrivacy(ItemsetModel):
    """Any set of at most L public items that occurs is held by K baskets or more, and gives no private item away.

    The model of tables read for sets: ``Sup(q) >= K`` and ``Sup(q and s) / Sup(q) <= C`` for every set ``q`` of at most L
    public items that occurs and every private item ``s`` in ``values``. It is (h, k, p)-coherence with h = C, k = K, p = L
    and these private items. Fractions are compared exactly.

    Adversary: knows at most L public items of a basket.

    Examples
    --------
    >>> from sfumato.transactions import Baskets
    >>> baskets = Baskets.of([{"a", "b", "x"}, {"a", "b"}, {"a"}], private=["x"])
    >>> LKCPrivacy(L=2, K=2, C=0.5).judge(baskets).satisfied
    True

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, sections 2.2.6 and 14.2.
    """

    id: ClassVar[str] = "lkc-privacy"
    traits: ClassVar[BasketTraits] = BasketTraits(
        frozenset({"record", "attribute"}),
        "subsets",
        knows="bounded",
        truthful=True,
        inferences=True,
        itemset_utility=True,
    )
    adversary: ClassVar[str] = say("adversary.lkc-baskets")
    level: ClassVar[str] = "K"

    L: int = param(ge=1, doc="largest number of public items that the adversary knows")
    K: int = param(ge=1, doc="smallest number of baskets that must hold what the adversary knows")
    C: float = param(gt=0, le=1, default=1.0, doc="largest share of one private item among these baskets")
    values: tuple[str, ...] | None = param(default=None, doc="private items to protect; all if not given")

    def power(self) -> int:
        return self.L

    def smallest(self) -> int:
        return self.K

    def confidence(self) -> Fraction:
        return Fraction(str(self.C))

    def protected(self, baskets: Baskets) -> Bools:
        """Return the private items that are named; a public one is refused."""
        if self.values is None:
            return baskets.is_private
        public = sorted(set(self.values) & set(baskets.items) - baskets.private)
        if public:
            raise BadRequest(
                "items are not private",
                parameter=f"{self.id}.values",
                values=public,
                shown=misspelt(public, baskets.items),
            )
        return np.array([name in self.values for name in baskets.items], np.bool_)
