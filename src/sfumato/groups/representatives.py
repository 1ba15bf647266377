"""What stands for a group of records in one column: the mean or median of numbers, the value that lies nearest to all."""

from __future__ import annotations

import numpy as np

from sfumato.data.frozen import frozen
from sfumato.data.tree import Tree
from sfumato.kernels.arrays import Floats, Ints

__all__ = ["Shape", "aggregate", "middle_leaves"]

FloatArray = Floats


@frozen(eq=False)
class Shape:
    """A tree without its labels; leaves are numbered from left to right. Values without a tree hang below one root."""

    parent: Ints
    leaf_nodes: Ints
    leaf_last: Ints
    leaf_count: Ints

    @classmethod
    def of(cls, tree: Tree) -> Shape:
        """Return the shape of a tree."""
        parts = (tree.parent, tree.leaf_nodes, tree.leaf_last, tree.leaf_count)
        return cls(*(part.astype(np.int64) for part in parts))

    @classmethod
    def flat(cls, leaves: int) -> Shape:
        """Return the shape of values that have nothing in common but the root."""
        own = np.arange(leaves, dtype=np.int64)
        return cls(
            np.append(-1, np.zeros(leaves, np.int64)),
            own + 1,
            np.append(leaves, own + 1),
            np.append(leaves, np.ones(leaves, np.int64)),
        )

    @property
    def leaves(self) -> int:
        """Number of leaves."""
        return len(self.leaf_nodes)

    @property
    def price(self) -> Ints:
        """What two different leaves cost whose lowest common node it is: the leaves below it, less one."""
        return self.leaf_count - 1

    def maxima(self, price: FloatArray) -> FloatArray:
        """Return the table from which the price of the lowest node above any two leaves is read."""
        from sfumato.kernels.covers import neighbour_covers, run_maxima

        return run_maxima(price[neighbour_covers(self.parent, self.leaf_nodes, self.leaf_last)])


def aggregate(numbers: FloatArray, groups: Ints, statistic: str = "mean") -> FloatArray:
    """Return for each record the mean or median of its group; groups are numbered from 0 without gaps.

    >>> aggregate(np.array([1.0, 2.0, 9.0]), np.array([0, 0, 1])).tolist()
    [1.5, 1.5, 9.0]
    """
    sizes = np.bincount(groups)
    if statistic == "mean":
        # Differences to the overall mean are summed, so that large numbers lose no digits.
        centre = numbers.mean()
        return np.asarray((centre + np.bincount(groups, numbers - centre) / sizes)[groups])
    order = np.lexsort((numbers, groups))
    first = np.cumsum(sizes) - sizes
    low, high = numbers[order[first + (sizes - 1) // 2]], numbers[order[first + sizes // 2]]
    return np.asarray(((low + high) / 2)[groups])


def middle_leaves(leaves: Ints, groups: Ints, shape: Shape) -> Ints:
    """Return for each group the leaf, among those of its records, that costs least in total; of equal ones the first.

    A pair of leaves costs what their lowest common node costs. Without a tree that is the most frequent value.

    >>> middle_leaves(np.array([2, 0, 2, 1]), np.array([0, 0, 0, 1]), Shape.flat(3)).tolist()
    [2, 1]
    """
    from sfumato.kernels.covers import cover_prices

    wide = max(shape.leaves, 1)
    keys, counts = np.unique(groups * wide + leaves, return_counts=True)
    group, leaf = keys // wide, keys % wide
    first = np.searchsorted(group, np.arange(int(group[-1]) + 2))
    held = np.diff(first)
    # Every value of a group meets every value of the group once.
    one = np.repeat(np.arange(len(keys)), held[group])
    other = np.arange(len(one)) - np.repeat(np.cumsum(held[group]) - held[group], held[group]) + first[group[one]]
    low, high = np.minimum(leaf[one], leaf[other]), np.maximum(leaf[one], leaf[other])
    price = cover_prices(shape.maxima(shape.price.astype(np.float64)), shape.leaves - 1, low, high)
    cost = np.bincount(one, price * counts[other], minlength=len(keys))
    best = np.lexsort((leaf, cost, group))
    return np.asarray(leaf[best[first[:-1]]], np.int64)
