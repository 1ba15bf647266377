"""Kernels of what a graph is like: triangles, distances, parts that hang together, spreading."""

from __future__ import annotations

import numpy as np

from sfumato.kernels.arrays import Bools, Codes, Floats, Ints
from sfumato.kernels.jit import njit

__all__ = ["distances", "largest_parts", "parts", "removal_order", "spread_size", "triangles"]


@njit(cache=True)
def triangles(starts: Ints, targets: Codes) -> Ints:
    """Return in how many triangles each node is: every link is walked from the node with the smaller degree."""
    nodes = len(starts) - 1
    degrees = starts[1:] - starts[:-1]
    onward = np.empty(len(targets) // 2 + 1, np.int32)
    begin = np.zeros(nodes + 1, np.int64)
    count = 0
    for node in range(nodes):
        begin[node] = count
        for at in range(starts[node], starts[node + 1]):
            other = targets[at]
            if degrees[other] > degrees[node] or (degrees[other] == degrees[node] and other > node):
                onward[count] = other
                count += 1
    begin[nodes] = count
    out = np.zeros(nodes, np.int64)
    stamp = np.full(nodes, -1, np.int64)
    for node in range(nodes):
        for at in range(begin[node], begin[node + 1]):
            stamp[onward[at]] = node
        for at in range(begin[node], begin[node + 1]):
            other = onward[at]
            for further in range(begin[other], begin[other + 1]):
                third = onward[further]
                if stamp[third] == node:
                    out[node] += 1
                    out[other] += 1
                    out[third] += 1
    return out


@njit(cache=True)
def distances(starts: Ints, targets: Codes, source: int, goal: int) -> Codes:
    """Return how many links each node is away from a source, -1 where no path leads; ends when a goal (if not -1) is met."""
    nodes = len(starts) - 1
    out = np.full(nodes, -1, np.int32)
    queue = np.empty(nodes, np.int32)
    queue[0], out[source] = source, 0
    head, filled = 0, 1
    while head < filled:
        node = queue[head]
        head += 1
        if node == goal:
            break
        for at in range(starts[node], starts[node + 1]):
            other = targets[at]
            if out[other] < 0:
                out[other] = out[node] + 1
                queue[filled] = other
                filled += 1
    return out


@njit(cache=True)
def _root(parent: Ints, node: int) -> int:
    while parent[node] != node:
        parent[node] = parent[parent[node]]
        node = parent[node]
    return node


@njit(cache=True)
def parts(starts: Ints, targets: Codes) -> Ints:
    """Return the first node of the part that each node hangs together with."""
    nodes = len(starts) - 1
    parent = np.arange(nodes)
    for node in range(nodes):
        for at in range(starts[node], starts[node + 1]):
            one, other = _root(parent, node), _root(parent, targets[at])
            if one != other:
                parent[max(one, other)] = min(one, other)
    for node in range(nodes):
        parent[node] = _root(parent, node)
    return parent


@njit(cache=True)
def removal_order(starts: Ints, targets: Codes) -> Ints:
    """Return nodes in the order in which they go: that with the highest degree among those left, the first of equals."""
    nodes = len(starts) - 1
    width = 1
    while width < nodes:
        width *= 2
    # A tree of winners: leaf `width + node` holds the degree, every inner place the better of the two below it.
    best = np.full(2 * width, -1, np.int64)
    for node in range(nodes):
        best[width + node] = starts[node + 1] - starts[node]
    for at in range(width - 1, 0, -1):
        best[at] = max(best[2 * at], best[2 * at + 1])
    out = np.empty(nodes, np.int64)
    for place in range(nodes):
        at = 1
        while at < width:
            at = 2 * at if best[2 * at] >= best[2 * at + 1] else 2 * at + 1
        chosen = at - width
        out[place] = chosen
        best[at] = -1
        for link in range(starts[chosen], starts[chosen + 1] + 1):
            here = at
            if link < starts[chosen + 1]:
                here = width + targets[link]
                if best[here] < 0:
                    continue
                best[here] -= 1
            here //= 2
            while here > 0:
                best[here] = max(best[2 * here], best[2 * here + 1])
                here //= 2
    return out


@njit(cache=True)
def largest_parts(starts: Ints, targets: Codes, order: Ints) -> Ints:
    """Return the size of the largest part before each removal in an order; nodes are put back from the last to the first."""
    nodes = len(starts) - 1
    parent = np.arange(nodes)
    size = np.ones(nodes, np.int64)
    there = np.zeros(nodes, np.bool_)
    out = np.empty(nodes, np.int64)
    best = 0
    for place in range(nodes - 1, -1, -1):
        node = order[place]
        there[node] = True
        for at in range(starts[node], starts[node + 1]):
            if there[targets[at]]:
                one, other = _root(parent, node), _root(parent, targets[at])
                if one != other:
                    parent[other] = one
                    size[one] += size[other]
        best = max(best, size[_root(parent, node)])
        out[place] = best
    return out


@njit(cache=True)
def spread_size(starts: Ints, targets: Codes, source: int, draws: Floats, beta: float, caught: Bools) -> int:
    """Return how many nodes catch what one has: each that newly does hands it to each neighbour once, with chance beta.

    ``draws`` has a number in [0, 1) for each entry of ``targets``; ``caught`` is marked in place.
    """
    queue = np.empty(len(starts) - 1, np.int32)
    queue[0] = source
    caught[source] = True
    head, filled = 0, 1
    while head < filled:
        node = queue[head]
        head += 1
        for at in range(starts[node], starts[node + 1]):
            other = targets[at]
            if not caught[other] and draws[at] < beta:
                caught[other] = True
                queue[filled] = other
                filled += 1
    return filled
