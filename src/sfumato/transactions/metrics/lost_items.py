"""Lost items: how many occurrences of public items were left out."""

from __future__ import annotations

from typing import ClassVar

from sfumato.contracts.metric import Measured, MetricTraits
from sfumato.transactions.metric import BasketMetric, Masked

__all__ = ["LostItems"]


class LostItems(BasketMetric):
    """The share of public item occurrences that are in no way published, neither as they are nor as a node above them.

    The denominator is the number of public item occurrences before masking; private ones, which nobody leaves out, do not
    count. It is called distortion in the book.

    Examples
    --------
    >>> from sfumato.transactions import Baskets
    >>> before = Baskets.of([{"a", "b"}, {"a"}])
    >>> round(LostItems().measure(Masked(before, before.without(["b"]))).value, 4)
    0.3333

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 13.2.3.
    """

    id: ClassVar[str] = "lost-items"
    aliases: ClassVar[tuple[str, ...]] = ("distortion",)
    traits: ClassVar[MetricTraits] = MetricTraits(better="lower")

    def measure(self, published: Masked) -> Measured:
        shown = published.shown
        return Measured(
            self.id, float((shown < 0).mean()) if len(shown) else 0.0, lowest=0.0, highest=1.0, denominator=len(shown)
        )
