"""Kernel of stay points: runs of points that keep near their first one for long enough."""

from __future__ import annotations

import numpy as np

from sfumato.kernels.arrays import Floats, Ints
from sfumato.kernels.jit import njit

__all__ = ["stays"]


@njit(cache=True)
def stays(starts: Ints, x: Floats, y: Floats, times: Floats, distance: float, duration: float) -> Ints:
    """Return the number of the stay that each point belongs to, -1 if it belongs to none; stays are numbered in order.

    From a point on, the following ones belong to it as long as they are within the distance; it is a stay if from the first
    to the last of them at least the duration goes by.
    """
    out = np.full(len(x), -1, np.int64)
    found = 0
    for person in range(len(starts) - 1):
        first = starts[person]
        while first < starts[person + 1]:
            last = first
            while last + 1 < starts[person + 1]:
                dx = x[last + 1] - x[first]
                dy = y[last + 1] - y[first]
                if dx * dx + dy * dy > distance * distance:
                    break
                last += 1
            if times[last] - times[first] >= duration:
                out[first : last + 1] = found
                found += 1
                first = last + 1
            else:
                first += 1
    return out
