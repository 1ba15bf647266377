"""Kernel of streamed condensation: add records to the nearest group until one is full."""

from __future__ import annotations

import numpy as np

from sfumato.kernels.arrays import Array
from sfumato.kernels.jit import njit

__all__ = ["add_until_full"]


@njit(cache=True, nogil=True)
def add_until_full(
    points: Array, begin: int, groups: int, counts: Array, sums: Array, products: Array, full: int
) -> tuple[int, int]:
    """Add points, from ``begin`` on, to the group with the nearest mean; the first of equally near ones.

    Returns the number of points that were read and the group that has become ``full``, or -1 at the end.
    """
    wide = points.shape[1]
    means = np.empty((groups, wide))
    for group in range(groups):
        for i in range(wide):
            means[group, i] = sums[group, i] / counts[group]
    for at in range(begin, len(points)):
        best, chosen = np.inf, 0
        for group in range(groups):
            away = 0.0
            for i in range(wide):
                step = points[at, i] - means[group, i]
                away += step * step
            if away < best:
                best, chosen = away, group
        counts[chosen] += 1
        for i in range(wide):
            sums[chosen, i] += points[at, i]
            means[chosen, i] = sums[chosen, i] / counts[chosen]
            for j in range(wide):
                products[chosen, i, j] += points[at, i] * points[at, j]
        if counts[chosen] == full:
            return at + 1, chosen
    return len(points), -1
