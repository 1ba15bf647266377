"""Kernels of the band order: degrees in the graph of baskets that share an item, and its reverse Cuthill-McKee order."""

from __future__ import annotations

import numpy as np

from sfumato.kernels.arrays import Codes, Ints
from sfumato.kernels.jit import njit

__all__ = ["cuthill_mckee", "shared_degrees"]


@njit(cache=True)
def shared_degrees(starts: Ints, codes: Codes, tid_starts: Ints, tids: Ints) -> Ints:
    """Return how many other rows share an item with each row."""
    rows = len(starts) - 1
    out = np.zeros(rows, np.int64)
    stamp = np.full(rows, -1, np.int64)
    for row in range(rows):
        stamp[row] = row
        for at in range(starts[row], starts[row + 1]):
            item = codes[at]
            for place in range(tid_starts[item], tid_starts[item + 1]):
                other = tids[place]
                if stamp[other] != row:
                    stamp[other] = row
                    out[row] += 1
    return out


@njit(cache=True)
def cuthill_mckee(starts: Ints, codes: Codes, tid_starts: Ints, tids: Ints, degrees: Ints) -> Ints:
    """Return the rows in Cuthill-McKee order: breadth first from rows of least degree, neighbours by rising degree.

    Each item is followed once: afterwards all rows that hold it are in the order.
    """
    rows = len(starts) - 1
    order = np.empty(rows, np.int64)
    seen = np.zeros(rows, np.bool_)
    followed = np.zeros(len(tid_starts) - 1, np.bool_)
    rank = np.sort(degrees * rows + np.arange(rows)) % max(rows, 1)
    filled = 0
    for first in rank:
        if seen[first]:
            continue
        seen[first] = True
        order[filled] = first
        head, filled = filled, filled + 1
        while head < filled:
            row = order[head]
            head += 1
            begin = filled
            for at in range(starts[row], starts[row + 1]):
                item = codes[at]
                if followed[item]:
                    continue
                followed[item] = True
                for place in range(tid_starts[item], tid_starts[item + 1]):
                    other = tids[place]
                    if not seen[other]:
                        seen[other] = True
                        order[filled] = degrees[other] * rows + other
                        filled += 1
            order[begin:filled] = np.sort(order[begin:filled]) % rows
    return order
