"""Transactional k-anonymity: every basket is there k times or more."""

from __future__ import annotations

from collections import Counter
from typing import ClassVar

from sfumato.contracts.model import Model, Verdict, Violation
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.transactions.baskets import Baskets
from sfumato.transactions.traits import BasketTraits

__all__ = ["TransactionalKAnonymity"]


class TransactionalKAnonymity(Model[Baskets]):
    """Every published set of public items is the set of at least k baskets; the empty one as well.

    Whatever somebody knows of items that are or are not in a basket, 0 or at least k baskets fit. So it implies
    k^m-anonymity for every m; the converse fails. Private items are not compared: what is concluded on them is not bounded.

    Adversary: knows which public items a basket holds and which it does not, as many as she likes.

    Examples
    --------
    >>> from sfumato.transactions import Baskets
    >>> TransactionalKAnonymity(k=2).judge(Baskets.of([{"a"}, {"a"}, {"a", "b"}])).strongest
    1

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 13.5.1, Definition 13.4.
    He, Naughton, "Anonymization of set-valued data via top-down, local generalization", 2009, doi:10.14778/1687627.1687733.
    """

    id: ClassVar[str] = "transactional-k-anonymity"
    traits: ClassVar[BasketTraits] = BasketTraits(
        frozenset({"record"}), "group", knows="unbounded", truthful=False, value_exclusive=False
    )
    adversary: ClassVar[str] = say("adversary.transactional-k-anonymity")
    level: ClassVar[str] = "k"

    k: int = param(ge=1, doc="smallest number of baskets that must be alike")

    def necessary(self, records: int) -> str | None:
        """Fewer baskets than must look alike can never do."""
        return f"k={self.k} is larger than the number of baskets, {records}" if records < self.k else None

    def judge(self, view: Baskets, *, worst: int = 10) -> Verdict:
        """Judge how often each set is there."""
        sizes = Counter(basket - view.private for basket in view)
        broken = sorted((size, sorted(basket)) for basket, size in sizes.items() if size < self.k)
        return self.verdict(
            satisfied=not broken,
            strongest=min(sizes.values(), default=None),
            groups=len(sizes),
            records=len(view),
            bound=say("bound.records", k=self.k),
            violations=[Violation(tuple(basket), size, size, {"baskets": size}) for size, basket in broken[:worst]],
            violating_groups=len(broken),
            violating_records=sum(size for size, _ in broken),
        )
