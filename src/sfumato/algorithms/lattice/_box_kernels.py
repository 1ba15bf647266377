"""Kernels over the nodes of a lattice that is kept as one flat array: raise the numbers of a box, and climb a path.

A node is a place in the array; ``strides[i]`` is the distance to the node one level up in attribute i. A box is all nodes
between two nodes. A number of infinity marks a node that is settled.
"""

from __future__ import annotations

import numpy as np

from sfumato.kernels.arrays import Array
from sfumato.kernels.jit import njit

__all__ = ["bar_pairs", "climb", "highest_open", "raise_box", "raise_box_by_lines"]


@njit(cache=True, nogil=True)
def raise_box(numbers: Array, strides: Array, low: Array, high: Array, value: float, limit: float) -> None:
    """Raise the numbers of a box to at least ``value``, and to infinity where they then exceed ``limit``."""
    depth = len(low)
    level = low.copy()
    place = 0
    for i in range(depth):
        place += low[i] * strides[i]
    last = depth - 1
    while True:
        for step in range(high[last] - low[last] + 1):
            at = place + step * strides[last]
            if numbers[at] < value:
                numbers[at] = value
            if numbers[at] > limit:
                numbers[at] = np.inf
        i = last - 1
        while i >= 0 and level[i] == high[i]:
            place -= (high[i] - low[i]) * strides[i]
            level[i] = low[i]
            i -= 1
        if i < 0:
            return
        level[i] += 1
        place += strides[i]


@njit(cache=True, nogil=True)
def raise_box_by_lines(numbers: Array, strides: Array, high: Array, lines: Array, largest: bool, limit: float) -> None:
    """Raise each node at or below ``high`` to the sum (or the largest) of what its levels cost at least.

    Level l of attribute i costs ``lines[i, l]``. Nothing is done if the numbers of ``high`` and of the lowest node, both
    open, hardly rise: then those between hardly do.
    """
    depth = len(high)
    own_place = 0
    own_number = 0.0
    low_number = 0.0
    for i in range(depth):
        own_place += high[i] * strides[i]
        end, begin = lines[i, high[i]], lines[i, 0]
        own_number = max(own_number, end) if largest and i > 0 else own_number + end
        low_number = max(low_number, begin) if largest and i > 0 else low_number + begin
    if own_number <= 1.001 * numbers[own_place] < np.inf and low_number <= 1.001 * numbers[0] < np.inf:
        return
    level = np.zeros(depth, np.int64)
    partial = np.zeros(depth, np.float64)  # of the attributes before i, by i
    last = depth - 1
    for i in range(1, depth):
        own = lines[i - 1, 0]
        partial[i] = (max(partial[i - 1], own) if largest and i > 1 else partial[i - 1] + own) if i > 1 else own
    place = 0
    while True:
        for step in range(high[last] + 1):
            own = lines[last, step]
            if last == 0:
                value = own
            elif largest:
                value = max(partial[last], own)
            else:
                value = partial[last] + own
            at = place + step * strides[last]
            if numbers[at] < value:
                numbers[at] = value
            if numbers[at] > limit:
                numbers[at] = np.inf
        i = last - 1
        while i >= 0 and level[i] == high[i]:
            place -= high[i] * strides[i]
            level[i] = 0
            i -= 1
        if i < 0:
            return
        level[i] += 1
        place += strides[i]
        for j in range(i, last):
            own = lines[j, level[j]]
            if j == 0:
                partial[1] = own
            elif largest:
                partial[j + 1] = max(partial[j], own)
            else:
                partial[j + 1] = partial[j] + own


@njit(cache=True, nogil=True)
def bar_pairs(numbers: Array, strides: Array, top: Array, barred: Array) -> None:
    """Settle the nodes with two attributes i < j at levels a and b for which ``barred[i, a, j, b]``."""
    depth = len(top)
    level = np.full(depth, -1, np.int64)
    i, place = 0, -strides[0]
    while i >= 0:
        if level[i] == top[i]:
            place -= level[i] * strides[i]
            level[i] = -1
            i -= 1
            continue
        level[i] += 1
        place += strides[i]
        closed = False
        for j in range(i):
            closed |= barred[j, level[j], i, level[i]]
        if closed:
            numbers[place : place + strides[i]] = np.inf
        elif i < depth - 1:
            i += 1
            place -= strides[i]


@njit(cache=True, nogil=True)
def climb(numbers: Array, known: Array, strides: Array, top: Array, start: int) -> Array:
    """Return the places from one upwards, each time to the open node above with the lowest number; stop at a known one."""
    depth = len(top)
    level = np.empty(depth, np.int64)
    left = start
    for i in range(depth):
        level[i] = left // strides[i]
        left -= level[i] * strides[i]
    path = np.empty(top.sum() + 1, np.int64)
    path[0] = start
    count = 1
    place = start
    while not known[place]:
        best = -1
        for i in range(depth):
            if level[i] < top[i]:
                number = numbers[place + strides[i]]
                if number < np.inf and (best < 0 or number < numbers[place + strides[best]]):
                    best = i
        if best < 0:
            break
        level[best] += 1
        place += strides[best]
        path[count] = place
        count += 1
    return path[:count]


@njit(cache=True, nogil=True)
def highest_open(numbers: Array, strides: Array, shape: Array) -> Array:
    """Return the open places that have no other open one above them, in order."""
    size, depth = len(numbers), len(shape)
    reached = np.empty(size, np.bool_)  # at or below an open place
    for place in range(size):
        reached[place] = numbers[place] < np.inf
    for i in range(depth):
        stride, extent = strides[i], shape[i]
        for begin in range(0, size, stride * extent):
            for level in range(extent - 2, -1, -1):
                at = begin + level * stride
                for place in range(at, at + stride):
                    reached[place] |= reached[place + stride]
    out = np.empty(size, np.int64)
    count = 0
    for place in range(size):
        if numbers[place] < np.inf:
            above = False
            for i in range(depth):
                if (place // strides[i]) % shape[i] < shape[i] - 1:
                    above |= reached[place + strides[i]]
            if not above:
                out[count] = place
                count += 1
    return out[:count].copy()
