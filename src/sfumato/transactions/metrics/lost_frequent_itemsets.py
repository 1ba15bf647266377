"""Lost frequent itemsets: what mining no longer finds."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil
from typing import ClassVar

from sfumato.contracts.metric import Measured, MetricTraits
from sfumato.contracts.thing import param
from sfumato.itemsets import Database, frequent_sets
from sfumato.transactions.baskets import Baskets
from sfumato.transactions.metric import BasketMetric, Masked

__all__ = ["LostFrequentItemsets"]


class LostFrequentItemsets(BasketMetric):
    """The share of frequent sets of items, before masking, that are not frequent any more.

    A set is frequent if at least ``support`` of all baskets hold it, and not one alone; sets of at most ``size`` items are
    looked at. A set with an item that was left out or became more general is lost. The denominator is the number of
    frequent sets before masking.

    Examples
    --------
    >>> from sfumato.transactions import Baskets
    >>> before = Baskets.of([{"a", "b"}, {"a", "b"}])
    >>> round(LostFrequentItemsets(support=1.0).measure(Masked(before, before.without(["b"]))).value, 4)
    0.6667

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 13.2.4.
    """

    id: ClassVar[str] = "lost-frequent-itemsets"
    traits: ClassVar[MetricTraits] = MetricTraits(better="lower")

    support: float = param(gt=0, le=1, default=0.01, doc="smallest share of baskets that hold a frequent set")
    size: int = param(ge=1, default=2, doc="largest number of items in a set")

    def measure(self, published: Masked) -> Measured:
        least = max(2, ceil(self.support * len(published.before) - 1e-9))
        before = set(self._frequent(published.before, least))
        lost = len(before - set(self._frequent(published.after, least)))
        return Measured(
            self.id, lost / len(before) if before else 0.0, lowest=0.0, highest=1.0, denominator=len(before)
        )

    def _frequent(self, baskets: Baskets, least: int) -> Iterator[tuple[str, ...]]:
        database = Database.of(baskets.starts, baskets.codes, len(baskets.items))
        for sets in frequent_sets(database, least, self.size):
            for members in sets.members.tolist():
                yield tuple(baskets.items[code] for code in members)
