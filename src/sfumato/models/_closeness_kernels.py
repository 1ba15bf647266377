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
    down to it from above. Tables have fewer than 2^31 records.
    """
    total = whole.sum()
    records, parts = np.int32(total), whole.astype(np.int32)  # narrow numbers are multiplied several at once
    needed = (1.0 - t) * total
    distances = np.zeros(len(sizes), np.float64)
    least = np.zeros(len(sizes), np.int64)
    for group in range(len(sizes)):
        if skipped[group]:
            continue
        size, row = np.int32(sizes[group]), counts[group]
        surplus = np.int64(0)
        few = 0  # records of values that are less frequent than in the table
        frequent = 0  # records of the table of all other values
        for value in range(len(parts)):
            over = np.int64(row[value]) * np.int64(records) - np.int64(parts[value]) * np.int64(size)
            if over > 0:
                surplus += over
            few += row[value] if over < 0 else 0
            frequent += parts[value] if over >= 0 else 0
        distances[group] = surplus / (total * size)
        if distances[group] <= t:
            continue
        left = float(size)
        for _ in range(20):
            if few * float(total) + frequent * left >= needed * left or frequent >= needed:
                break
            left = few * float(total) / (needed - frequent)
            rate = left / total
            few = 0
            frequent = 0
            for value in range(len(parts)):
                rare = row[value] < rate * parts[value]
                few += row[value] if rare else 0
                frequent += 0 if rare else parts[value]
        least[group] = np.int64(np.ceil(max(size - left - 1e-6, 0.0)))
    return distances, least
