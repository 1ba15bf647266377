"""Records that two classes can share, value by value: the sum of minima of their histograms, for many pairs of classes.

Histograms are runs ``start[g]:start[g + 1]`` of codes and counts; codes index the values of the whole series.
"""

from __future__ import annotations

import numpy as np

from sfumato.kernels.arrays import Array
from sfumato.kernels.jit import njit

__all__ = ["least_shared", "shared_by_pair"]


@njit(cache=True, nogil=True)
def least_shared(
    order1: Array,
    order2: Array,
    begin1: Array,
    begin2: Array,
    start1: Array,
    code1: Array,
    count1: Array,
    start2: Array,
    code2: Array,
    count2: Array,
    values: int,
    most: int,
    positive: bool,
    least1: Array,
    least2: Array,
    partner1: Array,
    partner2: Array,
) -> None:
    """Fill in, for every class, the fewest records that it can share with a class of its component, and which that is.

    Component c holds the classes ``order1[begin1[c]:begin1[c + 1]]`` of one release and likewise ``order2`` of the other;
    every one of the first is comparable with every one of the second. No value counts more than ``most`` times. If
    ``positive``, pairs that share nothing are passed over.
    """
    held = np.zeros(values, np.int64)
    for c in range(len(begin1) - 1):
        for i in range(begin1[c], begin1[c + 1]):
            a = order1[i]
            for e in range(start1[a], start1[a + 1]):
                held[code1[e]] = min(count1[e], most)
            for j in range(begin2[c], begin2[c + 1]):
                b = order2[j]
                enough = max(least1[a], least2[b])
                shared = 0
                for e in range(start2[b], start2[b + 1]):
                    shared += min(count2[e], held[code2[e]])
                    if shared >= enough:
                        break
                if positive and shared == 0:
                    continue
                if shared < least1[a]:
                    least1[a], partner1[a] = shared, b
                if shared < least2[b]:
                    least2[b], partner2[b] = shared, a
            for e in range(start1[a], start1[a + 1]):
                held[code1[e]] = 0


@njit(cache=True, nogil=True)
def shared_by_pair(
    one: Array,
    two: Array,
    start1: Array,
    code1: Array,
    count1: Array,
    start2: Array,
    code2: Array,
    count2: Array,
    values: int,
    most: int,
) -> Array:
    """Return the records that the classes of each pair can share; quickest where pairs with one first class lie together."""
    held = np.zeros(values, np.int64)
    out = np.zeros(len(one), np.int64)
    last = -1
    for at in range(len(one)):
        a, b = one[at], two[at]
        if a != last:
            if last >= 0:
                for e in range(start1[last], start1[last + 1]):
                    held[code1[e]] = 0
            for e in range(start1[a], start1[a + 1]):
                held[code1[e]] = min(count1[e], most)
            last = a
        for e in range(start2[b], start2[b + 1]):
            out[at] += min(count2[e], held[code2[e]])
    return out
