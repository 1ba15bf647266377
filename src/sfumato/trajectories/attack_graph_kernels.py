"""Kernels of the attack graph: which regions may be whose, and which of these links lie on a cycle."""

from __future__ import annotations

import numpy as np

from sfumato.kernels.arrays import Bools, Ints
from sfumato.kernels.jit import njit

__all__ = ["fitting_regions", "strong_components"]


@njit(cache=True)
def fitting_regions(
    low: Ints, high: Ints, published_low: Ints, published_high: Ints, seen: Bools, known: Bools
) -> tuple[Ints, Ints]:
    """Return in compressed rows the objects whose region holds the box of an individual at all times that are known of it."""
    objects, times = known.shape
    starts = np.zeros(objects + 1, np.int64)
    targets = np.empty(max(4 * objects, 16), np.int64)
    filled = 0
    for one in range(objects):
        for other in range(objects):
            fits = True
            for at in range(times):
                if known[one, at] and not (
                    seen[other, at]
                    and published_low[other, at, 0] <= low[one, at, 0]
                    and published_low[other, at, 1] <= low[one, at, 1]
                    and high[one, at, 0] <= published_high[other, at, 0]
                    and high[one, at, 1] <= published_high[other, at, 1]
                ):
                    fits = False
                    break
            if fits:
                if filled == len(targets):
                    larger = np.empty(2 * filled, np.int64)
                    larger[:filled] = targets
                    targets = larger
                targets[filled] = other
                filled += 1
        starts[one + 1] = filled
    return starts, targets[:filled].copy()


@njit(cache=True)
def strong_components(starts: Ints, targets: Ints) -> Ints:
    """Return the strongly connected component of each node, numbered as they are finished (Tarjan 1972)."""
    nodes = len(starts) - 1
    found = np.full(nodes, -1, np.int64)
    lowest = np.zeros(nodes, np.int64)
    component = np.full(nodes, -1, np.int64)
    stack = np.empty(nodes, np.int64)
    trail = np.empty(nodes, np.int64)
    place = starts[:-1].copy()
    height = visited = number = 0
    for root in range(nodes):
        if found[root] >= 0:
            continue
        depth = 0
        trail[0] = root
        found[root] = lowest[root] = visited
        visited += 1
        stack[height] = root
        height += 1
        while depth >= 0:
            node = trail[depth]
            if place[node] < starts[node + 1]:
                other = targets[place[node]]
                place[node] += 1
                if found[other] < 0:
                    found[other] = lowest[other] = visited
                    visited += 1
                    stack[height] = other
                    height += 1
                    depth += 1
                    trail[depth] = other
                elif component[other] < 0:
                    lowest[node] = min(lowest[node], found[other])
                continue
            if lowest[node] == found[node]:
                while True:
                    height -= 1
                    component[stack[height]] = number
                    if stack[height] == node:
                        break
                number += 1
            depth -= 1
            if depth >= 0:
                lowest[trail[depth]] = min(lowest[trail[depth]], lowest[node])
    return component
