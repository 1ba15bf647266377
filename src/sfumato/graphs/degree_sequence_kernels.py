"""Kernels of degrees: the cheapest groups of a degree sequence, and links between nodes that lack some."""

from __future__ import annotations

import numpy as np

from sfumato.kernels.arrays import Codes, Ints
from sfumato.kernels.jit import njit

__all__ = ["cheapest_groups", "join_residuals"]


@njit(cache=True)
def cheapest_groups(degrees: Ints, k: int, both: bool) -> tuple[Ints, Ints]:
    """Return for each prefix of falling degrees what its cheapest groups of k or more cost, and how large the last one is.

    A group becomes its largest degree, or, with ``both``, its median. Groups of 2k or more can be cut without cost, so the last
    one has less, and prefix sums give each cost at once: O(nk).
    """
    count = len(degrees)
    sums = np.zeros(count + 1, np.int64)
    for at in range(count):
        sums[at + 1] = sums[at] + degrees[at]
    infinite = np.int64(2**62)
    best = np.full(count + 1, infinite, np.int64)
    size = np.zeros(count + 1, np.int64)
    best[0] = 0
    for end in range(k, count + 1):
        for own in range(k, min(2 * k - 1, end) + 1):
            first = end - own
            if best[first] == infinite:
                continue
            if both:
                middle = first + own // 2
                above = sums[middle] - sums[first]
                below = sums[end] - sums[middle]
                cost = above - degrees[middle] * (middle - first) + degrees[middle] * (end - middle) - below
            else:
                cost = degrees[first] * own - (sums[end] - sums[first])
            if best[first] + cost < best[end]:
                best[end] = best[first] + cost
                size[end] = own
    return best, size


@njit(cache=True)
def join_residuals(starts: Ints, targets: Codes, residual: Ints) -> tuple[Ints, Ints]:
    """Return links that give nodes what they lack, and what is lacking still.

    The node that lacks most (the first of equals) is joined with those that lack most among the nodes it is not linked with,
    until it lacks nothing or there is none left; and so on.
    """
    nodes = len(residual)
    lack = residual.copy()
    left = np.zeros(nodes, np.int64)
    most = lack.sum() // 2 + 1
    made = np.empty((most, 2), np.int64)
    head = np.full(nodes, -1, np.int64)  # links made so far, as lists of places in `onward`
    onward = np.empty(2 * most, np.int64)
    count = 0
    stamp = np.full(nodes, -1, np.int64)
    open_ = np.flatnonzero(lack > 0)
    while len(open_) > 0:
        open_ = open_[np.argsort(-lack[open_], kind="mergesort")]
        node = open_[0]
        stamp[node] = node
        for at in range(starts[node], starts[node + 1]):
            stamp[targets[at]] = node
        at = head[node]
        while at >= 0:
            stamp[made[at // 2, 1 - at % 2]] = node
            at = onward[at]
        for other in open_[1:]:
            if lack[node] == 0:
                break
            if stamp[other] == node:
                continue
            made[count, 0], made[count, 1] = node, other
            onward[2 * count], onward[2 * count + 1] = head[node], head[other]
            head[node], head[other] = 2 * count, 2 * count + 1
            count += 1
            lack[node] -= 1
            lack[other] -= 1
        left[node] = lack[node]
        lack[node] = 0
        open_ = np.sort(open_[lack[open_] > 0])
    return made[:count], left
