"""Item NCP: the share of all items that a published item stands for, over all occurrences."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from sfumato.contracts.metric import Measured, MetricTraits
from sfumato.transactions.metric import BasketMetric, Masked

__all__ = ["ItemNCP"]


class ItemNCP(BasketMetric):
    """The mean of ``leaves / |I|`` over all public item occurrences of the input: 0 for items as they are, 1 if left out.

    An item that is published as a node of the taxonomy costs the share of leaves below the node. Each basket is read by its own
    map, so that local recodings are measured as well. The denominator is the number of public item occurrences before masking.

    Examples
    --------
    >>> from sfumato.transactions import Baskets
    >>> before = Baskets.of([{"a", "b"}, {"c"}], tree={"*": [{"A": ["a", "b"]}, "c", "d"]})
    >>> round(ItemNCP().measure(Masked(before, before.cut({"a": "A", "b": "A"}))).value, 4)
    0.3333

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 13.4.
    Terrovitis, Mamoulis, Kalnis, "Privacy-preserving anonymization of set-valued data", 2008, doi:10.14778/1453856.1453874.
    """

    id: ClassVar[str] = "item-ncp"
    traits: ClassVar[MetricTraits] = MetricTraits(better="lower")

    def measure(self, published: Masked) -> Measured:
        costs = np.append(_shares(published), 1.0)  # the last is what was left out
        found = costs[published.shown]
        return Measured(
            self.id, float(found.mean()) if len(found) else 0.0, lowest=0.0, highest=1.0, denominator=len(found)
        )


def _shares(published: Masked) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    tree = published.tree
    if tree is None:
        return np.zeros(len(published.after.items))
    nodes = [tree.node_of.get(name) for name in published.after.items]
    counts = [0 if node is None else int(tree.leaf_count[node]) for node in nodes]
    inner = [node is not None and bool(tree.children[node]) for node in nodes]
    return np.array([count / len(tree.leaves) if up else 0.0 for count, up in zip(counts, inner, strict=True)])
