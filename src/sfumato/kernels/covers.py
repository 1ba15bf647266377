"""What the lowest node above a run of leaves costs, in two look-ups.

Leaves of a tree are numbered from left to right. The lowest node above leaves ``i < j`` is the highest of the lowest nodes
above two neighbours between them, so any price that grows towards the root is the largest price among these neighbours.
Maxima of all runs of 1, 2, 4, ... neighbours are kept; two of them, which may overlap, answer for a run of any length.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.kernels.arrays import Floats
from sfumato.kernels.jit import njit

__all__ = ["cover_price", "cover_prices", "neighbour_covers", "run_maxima"]

Array = Any


def neighbour_covers(
    parent: npt.NDArray[np.integer], leaf_nodes: npt.NDArray[np.integer], leaf_last: npt.NDArray[np.integer]
) -> Array:
    """Return the lowest node above each leaf and the next one; ``leaf_last`` is one past the last leaf below a node."""
    out = np.empty(max(len(leaf_nodes) - 1, 0), np.int64)
    for leaf in range(len(out)):
        node = int(leaf_nodes[leaf])
        while leaf_last[node] <= leaf + 1:
            node = int(parent[node])
        out[leaf] = node
    return out


def run_maxima(prices: Floats) -> Floats:
    """Return the maxima of all runs of 1, 2, 4, ... prices, one after the other; each level is as long as the prices.

    >>> run_maxima(np.array([1.0, 3.0, 2.0])).tolist()
    [1.0, 3.0, 2.0, 3.0, 3.0, 2.0]
    """
    levels = [np.asarray(prices, np.float64)]
    width = 1
    while 2 * width <= len(prices):
        last = levels[-1]
        longer = last.copy()
        longer[: len(last) - width] = np.maximum(last[: len(last) - width], last[width:])
        levels.append(longer)
        width *= 2
    return np.concatenate(levels)


def cover_prices(
    maxima: Floats, neighbours: int, low: npt.NDArray[np.integer], high: npt.NDArray[np.integer]
) -> Floats:
    """Return the price of the lowest node above each pair of leaves, the lower one first; 0 where they are the same."""
    length = np.asarray(high, np.int64) - low
    out = np.zeros(len(length))
    apart = np.flatnonzero(length > 0)
    level = np.frexp(length[apart].astype(np.float64))[1] - 1  # of a whole number: floor(log2)
    first = maxima[level * neighbours + low[apart]]
    out[apart] = np.maximum(first, maxima[level * neighbours + high[apart] - (1 << level.astype(np.int64))])
    return out


@njit(cache=True, nogil=True)
def cover_price(maxima: Array, start: int, neighbours: int, low: int, high: int) -> float:
    """Return the largest price between two different leaves; the table begins at ``start``."""
    length = high - low
    width, level = 1, start
    while 2 * width <= length:
        width *= 2
        level += neighbours
    first = maxima[level + low]
    last = maxima[level + high - width]
    return first if first > last else last  # type: ignore[no-any-return]
