"""Kernels of neighbourhoods: how many neighbours the two ends of a link share."""

from __future__ import annotations

import numpy as np

from sfumato.kernels.arrays import Codes, Ints
from sfumato.kernels.jit import njit

__all__ = ["shared_neighbours"]


@njit(cache=True)
def shared_neighbours(starts: Ints, targets: Codes) -> Codes:
    """Return how many neighbours the two nodes of each entry in ``targets`` share."""
    nodes = len(starts) - 1
    out = np.zeros(len(targets), np.int32)
    stamp = np.full(nodes, -1, np.int64)
    for node in range(nodes):
        for at in range(starts[node], starts[node + 1]):
            stamp[targets[at]] = node
        for at in range(starts[node], starts[node + 1]):
            other = targets[at]
            if starts[other + 1] - starts[other] < 2:
                continue
            count = 0
            for further in range(starts[other], starts[other + 1]):
                if stamp[targets[further]] == node:
                    count += 1
            out[at] = count
    return out
