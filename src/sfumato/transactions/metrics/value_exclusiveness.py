"""Value exclusiveness: no published item is an ancestor of another published item, so counts mean one thing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from sfumato.contracts.metric import Measured, MetricTraits
from sfumato.data.tree import Tree
from sfumato.errors import BadRequest
from sfumato.transactions.baskets import Baskets
from sfumato.transactions.metric import BasketMetric, Masked

__all__ = ["ValueExclusiveness", "generalized_counts", "true_count"]


class ValueExclusiveness(BasketMetric):
    """How many published items have an ancestor that is published too; 0 if items exclude each other.

    Where some occurrences of an item are published as they are and others as an ancestor, how often the item occurs is only
    known to lie between its own count and that count plus those of its published ancestors. Global recodings publish
    either an item or an ancestor and are exclusive; local ones need not be.

    Examples
    --------
    >>> tree = Tree.from_nested({"America": ["Canada", "USA"]})
    >>> baskets = Baskets.of([{"Canada"}, {"America"}, {"USA"}])
    >>> ValueExclusiveness().measure(baskets, tree).value
    2.0
    >>> true_count("Canada", {"Canada": 3, "USA": 3, "America": 3}, tree)
    (3, 6)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 13.1.4. The count of the
    parent after a local recoding is x + x', not x + y as printed.
    """

    id: ClassVar[str] = "value-exclusiveness"
    traits: ClassVar[MetricTraits] = MetricTraits(better="lower")

    def measure(self, published: Masked | Baskets | Mapping[str, int], tree: Tree | None = None) -> Measured:
        """Count published items below a published one: of masked baskets, of baskets, or of a mapping to their counts.

        Items without a taxonomy are below no other one.
        """
        if isinstance(published, Masked):
            tree, published = tree or published.tree, published.after
        tree = tree or (published.tree if isinstance(published, Baskets) else None)
        if tree is None:
            return Measured(self.id, 0.0, lowest=0.0)
        shown = (
            published.items if isinstance(published, Baskets) else [name for name, count in published.items() if count]
        )
        names = set(shown)
        below = sum(bool(names.intersection(_ancestors(name, tree))) for name in names if name in tree.labels)
        return Measured(self.id, float(below), lowest=0.0, highest=float(len(names)))

    def exclusive(self, published: Baskets | Mapping[str, int], tree: Tree | None = None) -> bool:
        """Tell whether no published item is an ancestor of another."""
        return self.measure(published, tree).value == 0


def _ancestors(label: str, tree: Tree) -> list[str]:
    if label not in tree.labels:
        raise BadRequest("is not in the taxonomy", parameter="item", value=label)
    node, out = tree.labels.index(label), []
    while tree.parent[node] >= 0:
        node = int(tree.parent[node])
        out.append(tree.labels[node])
    return out


def true_count(item: str, published: Mapping[str, int], tree: Tree) -> tuple[int, int]:
    """Return between which numbers the true count of an item lies, given what is published."""
    own = published.get(item, 0)
    return own, own + sum(published.get(label, 0) for label in _ancestors(item, tree))


def generalized_counts(occurrences: Mapping[str, int], generalized: Mapping[str, int], tree: Tree) -> dict[str, int]:
    """Return the published counts after some occurrences of each item were replaced by their parent."""
    out = dict(occurrences)
    for item, count in generalized.items():
        if not 0 <= count <= occurrences.get(item, 0):
            raise BadRequest("has fewer occurrences", parameter="generalized", value=count)
        above = _ancestors(item, tree)
        if not above:
            raise BadRequest("has no parent", parameter="generalized", value=item)
        out[item] -= count
        out[above[0]] = out.get(above[0], 0) + count
    return out
