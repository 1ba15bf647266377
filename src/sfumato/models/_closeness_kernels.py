"""How far the distribution of each group is from that of the table, all values being equally far apart."""

from __future__ import annotations

from typing import Any

import numpy as np

from sfumato.kernels.jit import njit

__all__ = ["equal_distances"]

Array = Any


@njit(cache=True, nogil=True)
def equal_distances(counts: Array, sizes: Array, groups: Array, whole: Array) -> tuple[Array, Array]:
    """Return ``sum of max(0, c N - w n) / (N n)`` for some groups, and the table's share of the values it sums over.

    ``counts`` are ``groups x values``, ``whole`` the counts of the values in the table. Sums are whole numbers, so nothing
    depends on their order.
    """
    total = whole.sum()
    distances = np.empty(len(groups), np.float64)
    shares = np.empty(len(groups), np.float64)
    for at in range(len(groups)):
        group = groups[at]
        size = sizes[group]
        surplus = 0
        frequent = 0
        for value in range(len(whole)):
            over = np.int64(counts[group, value]) * total - whole[value] * size
            if over > 0:
                surplus += over
                frequent += whole[value]
        distances[at] = surplus / (total * size)
        shares[at] = frequent / total
    return distances, shares
