"""Kernel of anatomization: take one from each of the l fullest buckets, again and again.

Buckets are kept in order of their counts. Lowering a count by one moves the bucket to the end of the run of buckets that
had the same count, so each step costs l moves and the whole is linear in the number of records.
"""

from __future__ import annotations

import numpy as np

from sfumato.kernels.arrays import Array
from sfumato.kernels.jit import njit

__all__ = ["fill_groups"]


@njit(cache=True, nogil=True)
def fill_groups(counts: Array, l: int) -> tuple[Array, int]:
    """Return the buckets of each slot (groups x l) and how many groups there are; ``counts`` keeps what is left.

    ``counts`` falls. A group takes one from each of the l fullest buckets; of equally full ones those that stand first.
    """
    buckets = len(counts)
    order = np.arange(buckets)
    total = 0
    for bucket in range(buckets):
        total += counts[bucket]
    # reach[c]: how many buckets hold at least c; they are the first ones in the order.
    reach = np.zeros(counts[0] + 1, np.int64)
    for bucket in range(buckets):
        reach[counts[bucket]] += 1
    for count in range(len(reach) - 2, -1, -1):
        reach[count] += reach[count + 1]
    slots = np.empty((total // l, l), np.int32)
    groups = 0
    while groups < len(slots) and reach[1] >= l:
        # From the back, so that a bucket that moves away never stands before one that is still to be taken.
        for place in range(l - 1, -1, -1):
            bucket = order[place]
            count = counts[bucket]
            last = reach[count] - 1
            order[place], order[last] = order[last], bucket
            reach[count] -= 1
            counts[bucket] -= 1
            slots[groups, place] = bucket
        groups += 1
    return slots[:groups], groups
