"""(h, k, p)-coherence: who knows at most p public items finds k baskets or more, and no private item in too many of them."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.transactions.itemset_model import ItemsetModel
from sfumato.transactions.traits import BasketTraits

__all__ = ["HKPCoherence"]


class HKPCoherence(ItemsetModel):
    """No set of at most p public items is a mole: held by fewer than k baskets, or sure of a private item beyond h.

    For a set ``b`` of public items with ``1 <= |b| <= p`` and ``Sup(b) > 0``: ``Sup(b) >= k``, and for every private item e
    ``Sup(b and e) / Sup(b) <= h``. Thresholds are compared exactly: three of five baskets do not exceed 0.6. With h = 1 the
    second part is off, with k = 1 the first. Baskets are k^m-anonymous exactly if they are (1, k, m)-coherent with one more
    private item in all of them. What can be concluded from more than p items is not bounded.

    Adversary: knows at most p public items of a basket.

    Examples
    --------
    >>> from sfumato.transactions import Baskets
    >>> baskets = Baskets.of([{"a", "b", "x"}, {"a", "b", "x"}, {"a"}], private=["x"])
    >>> verdict = HKPCoherence(h=0.8, k=2, p=1).judge(baskets)
    >>> verdict.satisfied, verdict.violations[0].group, verdict.violations[0].measured
    (False, ('b',), 1.0)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 13.2, Definition 13.1.
    Xu, Wang, Fu, Yu, "Anonymizing transaction databases for publication", 2008, doi:10.1145/1401890.1401982.
    """

    id: ClassVar[str] = "hkp-coherence"
    traits: ClassVar[BasketTraits] = BasketTraits(
        frozenset({"record", "attribute"}),
        "subsets",
        knows="bounded",
        truthful=True,
        inferences=True,
        itemset_utility=True,
    )
    adversary: ClassVar[str] = say("adversary.hkp-coherence")

    h: float = param(
        gt=0, le=1, doc="largest share of baskets with one private item among those that hold what is known"
    )
    k: int = param(ge=1, doc="smallest number of baskets that must hold what the adversary knows")
    p: int = param(ge=1, doc="largest number of public items that the adversary knows")

    def power(self) -> int:
        return self.p

    def smallest(self) -> int:
        return self.k

    def confidence(self) -> Fraction:
        return Fraction(str(self.h))
