"""How far the distribution of each group is from that of the table, all values being equally far apart."""

from __future__ import annotations

from typing import Any

import numpy as np

from sfumato.kernels.jit import njit

__all__ = ["equal_distances"]

Array = Any


@njit(cache=True, nogil=True)
def equal_distances(counts: Array, sizes: Array, skipped: Array, whole: Array, t: float) -> tuple[Array, Array]:
    """Return ``sum of max(0, c N - w n) / (N n)`` for each group, and how many records must go from it until that is ``t``.

    Both are 0 for groups that are ``skipped``.

    ``counts`` are ``groups x values``, ``whole`` the counts of the values in the table. Sums are whole numbers, so nothing
    depends on their order. With x records left, at most c of each value, the distance is at least
    ``1 - sum of min(c / x, w / N)``. The largest x for which that is ``t`` is a root of a concave function, and tangents come
    down to it from above.
    """
    total = whole.sum()
    shares = whole / total
    distances = np.zeros(len(sizes), np.float64)
    least = np.zeros(len(sizes), np.int64)
    for group in range(len(sizes)):
        if skipped[group]:
            continue
        size = sizes[group]
        surplus = 0
        for value in range(len(whole)):
            surplus += max(np.int64(counts[group, value]) * total - whole[value] * size, 0)
        distances[group] = surplus / (total * size)
        if distances[group] <= t:
            continue
        left = float(size)
        for _ in range(20):
            few = 0.0
            share = 0.0
            for value in range(len(whole)):
                if counts[group, value] < left * shares[value]:
                    few += counts[group, value]
                else:
                    share += shares[value]
            if few + share * left >= (1.0 - t) * left or share >= 1.0 - t:
                break
            left = few / (1.0 - t - share)
        least[group] = np.int64(np.ceil(max(size - left - 1e-6, 0.0)))
    return distances, least
