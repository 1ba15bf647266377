"""The Hilbert curve: one number for each cell of a square grid, so that cells with near numbers are near."""

from __future__ import annotations

import numpy as np

from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Ints

__all__ = ["hilbert_index"]


def hilbert_index(x: Ints, y: Ints, size: int) -> Ints:
    """Return the place of cells on the Hilbert curve through a grid of ``size`` by ``size`` cells, a power of two.

    ``d = 0``; for ``s = size / 2, ..., 1``: with ``rx``, ``ry`` whether x and y have bit s, ``d += s^2 ((3 rx) XOR ry)``; where
    ry is 0, turn the quadrant (``x, y = n - 1 - x, n - 1 - y`` if rx is 1, then swap x and y).

    >>> hilbert_index(np.array([2, 3]), np.array([1, 6]), 16).tolist()
    [13, 51]
    """
    if size < 1 or size & (size - 1):
        raise BadRequest("must be a power of two", parameter="size", value=size)
    x, y = np.array(x, np.int64), np.array(y, np.int64)
    if x.size and (min(x.min(), y.min()) < 0 or max(x.max(), y.max()) >= size):
        raise BadRequest("cells must lie on the grid", parameter="size", value=size)
    index = np.zeros(np.broadcast(x, y).shape, np.int64)
    step = size // 2
    while step:
        rx, ry = (x & step) > 0, (y & step) > 0
        index += step * step * ((3 * rx) ^ ry)
        turned = ~ry & rx
        x, y = np.where(turned, size - 1 - x, x), np.where(turned, size - 1 - y, y)
        x, y = np.where(ry, x, y), np.where(ry, y, x)
        step //= 2
    return index
