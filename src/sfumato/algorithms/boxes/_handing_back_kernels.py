"""Kernel of progressive local recoding: specialize one column of a group, and hand back what would not be safe.

A group is a list of rows with the number of records of each. A part is safe if it has k records and no sensitive value a
share above its limit. ``heights`` tells, as ``Spans``, how many levels lie between a side and the
lowest leaves; single leaves have a ``height``, too.
"""

from __future__ import annotations

import numpy as np

from sfumato.algorithms.boxes._span_kernels import Spans, penalty, side
from sfumato.kernels.arrays import Array
from sfumato.kernels.axes import Axes, lowest_cover
from sfumato.kernels.jit import njit

__all__ = ["safe", "specialize"]


@njit(cache=True, nogil=True)
def safe(counts: Array, size: int, k: int, limits: Array) -> bool:
    """Tell whether a part with these counts of sensitive values is safe."""
    if size < k:
        return False
    worst = 0.0  # how far the shares stand above their limits, at most
    for value in range(len(counts)):
        worst = max(worst, counts[value] / size - limits[value])
    return worst <= 0.0


@njit(cache=True, nogil=True)
def _parts(axes: Axes, axis: int, points: Array, rows: Array, held: Array, part: Array) -> int:
    """Write the part of each row: the child of the lowest cover, or the side of the median; return how many there are."""
    low, high = points[rows[0], axis], points[rows[0], axis]
    total = 0
    for at in range(len(rows)):
        low, high = min(low, points[rows[at], axis]), max(high, points[rows[at], axis])
        total += held[at]
    if low == high:
        return 0
    if axes.tree[axis]:
        node = lowest_cover(axes, axis, low, high)
        begin, end = axes.child_from[node], axes.child_to[node]
        for at in range(len(rows)):
            left, right = begin, end - 1
            while left < right:
                middle = (left + right + 1) // 2
                if axes.first[axes.child[middle]] <= points[rows[at], axis]:
                    left = middle
                else:
                    right = middle - 1
            part[at] = left - begin
        return int(end - begin)
    values = np.empty(len(rows), np.int64)
    for at in range(len(rows)):
        values[at] = points[rows[at], axis]
    order = np.argsort(values)
    rank, median = 0, low
    for at in order:
        rank += held[at]
        if 2 * rank >= total:
            median = values[at]
            break
    # A median that is the largest value parts nothing; what equals it is then the upper part.
    edge = median if median < high else median - 1
    for at in range(len(rows)):
        part[at] = 1 if values[at] > edge else 0
    return 2


@njit(cache=True, nogil=True)
def _hand_back(counts: Array, sizes: Array, good: Array, k: int, limits: Array, moved: Array) -> bool:
    """Move single records from safe parts to the last one until it is safe; tell whether that succeeds.

    The largest part gives first; it gives a record of the value that the last part has least of, and stays safe itself.
    """
    back = len(sizes) - 1
    values = counts.shape[1]
    while not safe(counts[back], sizes[back], k, limits):
        giver, given = -1, -1
        tried = np.zeros(back, np.bool_)
        while giver < 0:
            largest = -1
            for part in range(back):
                if good[part] and not tried[part] and (largest < 0 or sizes[part] > sizes[largest]):
                    largest = part
            if largest < 0:
                return False
            tried[largest] = True
            best = -1
            for value in range(values):
                if counts[largest, value] == 0:
                    continue
                # A value without a limit can do no harm, however many there are.
                weight = counts[back, value] if limits[value] < 1 else -1
                if given >= 0 and weight >= best:
                    continue
                counts[largest, value] -= 1
                if safe(counts[largest], sizes[largest] - 1, k, limits):
                    giver, given, best = largest, value, weight
                counts[largest, value] += 1
        counts[giver, given] -= 1
        counts[back, given] += 1
        moved[giver, given] += 1
        sizes[giver] -= 1
        sizes[back] += 1
    return True


@njit(cache=True, nogil=True)
def specialize(
    axes: Axes,
    spans: Spans,
    heights: Spans,
    height: Array,
    points: Array,
    secret: Array,
    rows: Array,
    held: Array,
    axis: int,
    k: int,
    limits: Array,
    part: Array,
    back: Array,
) -> tuple[int, float, float]:
    """Specialize a column of a group: write the part of each row and how many of its records are handed back.

    Rows of parts that are not safe are handed back as a whole: their part is the last one. Returns the number of parts with
    the one that is handed back, 0 if nothing is gained; how many levels the records then climb (up to a constant), and what
    their boxes cost.
    """
    found = _parts(axes, axis, points, rows, held, part)
    if found == 0:
        return 0, 0.0, 0.0
    values = len(limits)
    counts, sizes = np.zeros((found + 1, values), np.int64), np.zeros(found + 1, np.int64)
    for at in range(len(rows)):
        counts[part[at], secret[rows[at]]] += held[at]
        sizes[part[at]] += held[at]
    good = np.zeros(found, np.bool_)
    some = False
    for at in range(found):
        good[at] = sizes[at] > 0 and safe(counts[at], sizes[at], k, limits)
        some = some or good[at]
        if not good[at]:
            sizes[found] += sizes[at]
            counts[found] += counts[at]
    if not some:
        return 0, 0.0, 0.0
    moved = np.zeros((found, values), np.int64)
    if sizes[found] > 0 and not _hand_back(counts, sizes, good, k, limits, moved):
        return 0, 0.0, 0.0
    wide = points.shape[1]
    low, high = np.full((found + 1, wide), np.iinfo(np.int32).max, np.int32), np.full((found + 1, wide), -1, np.int32)
    for at in range(len(rows)):
        own, row = part[at], rows[at]
        back[at] = min(held[at], moved[own, secret[row]]) if good[own] else held[at]
        if good[own]:
            moved[own, secret[row]] -= back[at]
        else:
            part[at] = found
        for column in range(wide):
            value = points[row, column]
            if back[at] < held[at]:
                low[own, column], high[own, column] = min(low[own, column], value), max(high[own, column], value)
            if back[at] > 0:
                low[found, column], high[found, column] = (
                    min(low[found, column], value),
                    max(high[found, column], value),
                )
    climbed, cost = 0.0, 0.0
    for at in range(found + 1):
        if sizes[at] == 0 or (at < found and not good[at]):
            continue
        cost += penalty(spans, low[at], high[at]) * sizes[at]
        for column in range(wide):
            least, most = low[at, column], high[at, column]
            alone = least == most and axes.tree[column]
            level = height[axes.place[column] + least] if alone else side(heights, column, least, most)
            climbed += level * sizes[at]
    return found + 1, climbed, cost
