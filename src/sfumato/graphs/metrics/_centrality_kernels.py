"""Kernels of centralities: on how many shortest paths nodes lie."""

from __future__ import annotations

import numpy as np

from sfumato.kernels.arrays import Codes, Floats, Ints
from sfumato.kernels.jit import njit

__all__ = ["paths_through"]


@njit(cache=True)
def paths_through(starts: Ints, targets: Codes, sources: Ints) -> Floats:
    """Return the share of shortest paths that lead through each node, summed over pairs of a source and any other node."""
    nodes = len(starts) - 1
    out = np.zeros(nodes)
    away = np.empty(nodes, np.int64)
    ways, share = np.empty(nodes), np.empty(nodes)
    queue = np.empty(nodes, np.int64)
    for source in sources:
        away[:] = -1
        ways[:], share[:] = 0.0, 0.0
        queue[0], away[source], ways[source] = source, 0, 1.0
        head, filled = 0, 1
        while head < filled:
            node = queue[head]
            head += 1
            for at in range(starts[node], starts[node + 1]):
                other = targets[at]
                if away[other] < 0:
                    away[other] = away[node] + 1
                    queue[filled] = other
                    filled += 1
                if away[other] == away[node] + 1:
                    ways[other] += ways[node]
        for back in range(filled - 1, 0, -1):
            node = queue[back]
            for at in range(starts[node], starts[node + 1]):
                other = targets[at]
                if away[other] == away[node] - 1:
                    share[other] += ways[other] / ways[node] * (1.0 + share[node])
            out[node] += share[node]
    return out
