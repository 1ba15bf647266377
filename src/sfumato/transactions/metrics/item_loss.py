"""Item loss: how much of the taxonomy published items stand for, in sum."""

from __future__ import annotations

from typing import ClassVar

from sfumato.contracts.metric import Measured, MetricTraits
from sfumato.transactions.metric import BasketMetric, Masked

__all__ = ["ItemLoss"]


class ItemLoss(BasketMetric):
    """The sum of ``(leaves(i) - 1) / (|I| - 1)`` over all published occurrences of items i; 0 where there is no taxonomy.

    It never falls towards more general cuts; searches for a cut decide by it.

    Examples
    --------
    >>> from sfumato.transactions import Baskets
    >>> before = Baskets.of([{"a", "b"}, {"c"}], tree={"*": [{"A": ["a", "b"]}, "c", "d"]})
    >>> round(ItemLoss().measure(Masked(before, before.cut({"a": "A", "b": "A"}))).value, 4)
    0.3333

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 13.4.
    """

    id: ClassVar[str] = "item-loss"
    traits: ClassVar[MetricTraits] = MetricTraits(better="lower")

    def measure(self, published: Masked) -> Measured:
        tree, after = published.tree, published.after
        if tree is None or len(tree.leaves) < 2:
            return Measured(self.id, 0.0, lowest=0.0, highest=float(len(published.public)))
        nodes = [tree.node_of.get(name) for name in after.items]
        extra = sum(
            int(support) * (int(tree.leaf_count[node]) - 1)
            for node, support in zip(nodes, after.supports.tolist(), strict=True)
            if node is not None
        )
        return Measured(self.id, extra / (len(tree.leaves) - 1), lowest=0.0, highest=float(len(published.public)))
