"""k^m-anonymity: who knows at most m items of a basket finds k baskets or more."""

from __future__ import annotations

from typing import ClassVar

from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.transactions.itemset_model import ItemsetModel
from sfumato.transactions.traits import BasketTraits

__all__ = ["KMAnonymity"]


class KMAnonymity(ItemsetModel):
    """Every set of at most m public items that a basket holds is held by at least k baskets.

    For all sets ``b`` with ``1 <= |b| <= m``: ``Sup(b) = 0`` or ``Sup(b) >= k``. Baskets that are k^m-anonymous under a cut of
    the taxonomy are under every more general one. It speaks of items that are there: who knows that an item is *not* in a
    basket may find fewer (see ``absence-attack``).

    Adversary: knows at most m public items of a basket; presence knowledge only.

    Examples
    --------
    >>> from sfumato.transactions import Baskets
    >>> baskets = Baskets.of([{"a", "b"}, {"a", "b"}, {"a", "c"}, {"c"}])
    >>> verdict = KMAnonymity(k=2, m=2).judge(baskets)
    >>> verdict.satisfied, verdict.violations[0].group, verdict.strongest
    (False, ('a', 'c'), 1)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 13.4, Definition 13.3.
    Terrovitis, Mamoulis, Kalnis, "Privacy-preserving anonymization of set-valued data", 2008, doi:10.14778/1453856.1453874.
    """

    id: ClassVar[str] = "km-anonymity"
    traits: ClassVar[BasketTraits] = BasketTraits(frozenset({"record"}), "subsets", knows="bounded", truthful=True)
    adversary: ClassVar[str] = say("adversary.km-anonymity")

    k: int = param(ge=1, doc="smallest number of baskets that must hold what the adversary knows")
    m: int = param(ge=1, doc="largest number of items that the adversary knows")

    def power(self) -> int:
        return self.m

    def smallest(self) -> int:
        return self.k
