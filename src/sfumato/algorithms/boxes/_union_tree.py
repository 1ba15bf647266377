"""Where groups lie: a tree of halves, so that the cheapest union is found among near groups and all others are passed over.

Every group has a place in a leaf. A node knows the largest lower end, the smallest upper end and the smallest size of the
groups below it; what a union with any of them covers is at least what a union with these ends covers, column by column, so
that a node is passed over when that costs more than the best union that is known. The answer is that of looking at every group.
"""

from __future__ import annotations

import numpy as np

from sfumato.algorithms.boxes._span_kernels import Spans
from sfumato.algorithms.boxes._union_kernels import (
    NOBODY,
    Groups,
    UnionNodes,
    cheapest_union,
    refresh_leaf,
    refresh_nodes,
    widest_columns,
)
from sfumato.kernels.arrays import Ints

__all__ = ["UnionTree"]

_LEAF = 12
"""About how many groups share a leaf: fewer make more nodes to look at, more make more groups."""


class UnionTree:
    """The places of groups, by slot; the node with the number ``n`` has the halves ``2 n`` and ``2 n + 1``."""

    def __init__(self, spans: Spans, groups: Groups, count: int) -> None:
        """Halve the groups again and again, across the column that costs most, at the median of their middles."""
        self.spans, self.built = spans, count
        levels = max(0, int(np.ceil(np.log2(max(count, 1) / _LEAF))))
        low, high = groups.low[:count], groups.high[:count]
        order = np.arange(count)
        for level in range(levels):
            bounds = _bounds(count, level)
            first = bounds[:-1]
            least, last = np.minimum.reduceat(low[order], first), np.maximum.reduceat(high[order], first)
            node = np.repeat(np.arange(len(first)), np.diff(bounds))
            column = widest_columns(spans, least, last)[node]
            middle = low[order, column].astype(np.int64) + high[order, column]
            order = order[np.argsort((node << 33) + middle, kind="stable")]
        bounds = _bounds(count, levels)
        self.room = int(np.diff(bounds).max()) + 1
        leaf = np.repeat(np.arange(1 << levels), np.diff(bounds))
        self.held = np.full(self.room << levels, NOBODY, np.int64)
        self.place = np.empty(len(groups.number), np.int64)
        self.place[order] = leaf * self.room + np.arange(count) - bounds[leaf]
        self.held[self.place[order]] = order
        # What was left last is filled first: what is cut off a union lies near the group that went into it.
        self.free: list[int] = np.flatnonzero(self.held == NOBODY).tolist()
        shape = (2 << levels, low.shape[1])
        self.nodes = UnionNodes(np.empty(shape, np.int32), np.empty(shape, np.int32), np.empty(shape[0], np.int64))
        refresh_nodes(groups, self.held, self.room, self.nodes)

    def cheapest(self, groups: Groups, own: int) -> int:
        """Return the slot of the group whose union with a group costs least, the lowest number among equals."""
        return int(cheapest_union(self.spans, groups, self.nodes, self.held, self.room, own, int(self.place[own])))

    def changed(self, groups: Groups, slot: int) -> None:
        """Note that a group has another box or size."""
        refresh_leaf(groups, self.held, self.room, self.nodes, int(self.place[slot]) // self.room)

    def added(self, groups: Groups, slot: int) -> bool:
        """Give a new group a place; tell whether there was one."""
        if not self.free or slot >= len(self.place):
            return False
        self.place[slot] = self.free.pop()
        self.held[self.place[slot]] = slot
        self.changed(groups, slot)
        return True

    def gone(self, groups: Groups, slot: int, last: int) -> None:
        """Note that the group of a slot is gone, and that the one of the last slot has moved there."""
        place = int(self.place[slot])
        self.held[place] = NOBODY
        self.free.append(place)
        if slot != last:
            self.place[slot] = self.place[last]
            self.held[self.place[slot]] = slot
        refresh_leaf(groups, self.held, self.room, self.nodes, place // self.room)


def _bounds(count: int, level: int) -> Ints:
    """Return where the parts begin and end after so many halvings: they differ by one at most.

    >>> _bounds(10, 2).tolist()
    [0, 2, 5, 7, 10]
    """
    return (np.arange((1 << level) + 1, dtype=np.int64) * count) >> level
