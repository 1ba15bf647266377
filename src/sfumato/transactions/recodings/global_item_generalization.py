"""Global item generalization: every item becomes the node of a cut through the taxonomy that lies above it."""

from __future__ import annotations

from typing import ClassVar

from sfumato.contracts.recoding import Recoding
from sfumato.contracts.thing import param
from sfumato.data.tree import Tree
from sfumato.errors import BadRequest
from sfumato.transactions.baskets import Baskets

__all__ = ["GlobalItemGeneralization"]


class GlobalItemGeneralization(Recoding):
    """Every public item becomes the node of the cut above it, in every basket; equal ones in a basket collapse.

    A cut meets each path from the root to a leaf once, so that all items below a node become it. What is counted in the result
    is true of the original: a basket holds the node if it held something below. No published item stands for another one.

    Examples
    --------
    >>> baskets = Baskets.of([{"a1", "b1"}, {"a2"}], tree={"ALL": [{"A": ["a1", "a2"]}, "b1"]})
    >>> [sorted(one) for one in GlobalItemGeneralization(cut=("A", "b1")).apply(baskets)]
    [['A', 'b1'], ['A']]

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 13.4.
    """

    id: ClassVar[str] = "global-item-generalization"

    cut: tuple[str, ...] = param(doc="nodes of the taxonomy, one on each path from the root to a leaf")

    @property
    def mixed_granularity(self) -> bool:
        """One granularity for each item: no published node lies above another."""
        return False

    def nodes(self, tree: Tree) -> dict[str, str]:
        """Return the node that each item becomes; refuse what is no cut."""
        if not tree.is_cut(self.cut):
            raise BadRequest(
                "is not a cut: it must meet each path from the root to a leaf once", parameter=f"{self.id}.cut"
            )
        out: dict[str, str] = {}
        for label in self.cut:
            node = tree.node(label)
            for leaf in tree.leaves[tree.leaf_first[node] : tree.leaf_last[node]]:
                out[str(leaf)] = label
        return out

    def apply(self, baskets: Baskets) -> Baskets:
        """Return the baskets with every public item replaced."""
        if baskets.tree is None:
            raise BadRequest("needs a taxonomy of the items", parameter="items.hierarchy")
        return baskets.cut(self.nodes(baskets.tree))
