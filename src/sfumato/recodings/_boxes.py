"""Which box a point lies in, for many boxes and many points.

Boxes and points are cut in two along the edge that shares the boxes out best, until few boxes are left to be tried one by
one. Boxes that a partition of the space ends with lie on one side of such an edge each, so that every point meets about the
logarithm of their number; boxes that overlap are cut as long as it helps, and tried one by one then.
"""

from __future__ import annotations

import numpy as np

from sfumato.kernels.arrays import Codes, Ints

__all__ = ["first_box"]

_FEW = 8  # boxes that are quicker to try than to share out
_SMALL = 1 << 14  # pairs of a point and a box that are quicker to try than to share out
_PORTION = 1 << 20
_WORTH = 0.8  # a cut must leave at most this share of the boxes on either side


def first_box(points: Codes, low: Codes, high: Codes) -> Ints:
    """Return the number of the first box with ``low <= point < high`` in every column; -1 where there is none.

    >>> first_box(np.array([[1], [5], [9]]), np.array([[4], [0]]), np.array([[6], [6]])).tolist()
    [1, 0, -1]
    """
    out = np.full(len(points), -1, np.int64)
    boxes = np.flatnonzero((low < high).all(axis=1))
    waiting = [(np.flatnonzero((points >= 0).all(axis=1)), boxes)]
    while waiting:
        rows, boxes = waiting.pop()
        cut = None
        if len(boxes) > _FEW and len(rows) * len(boxes) > _SMALL:
            cut = _best_cut(low[boxes], high[boxes])
        if cut is None:
            _try_all(out, points, rows, low, high, boxes)
            continue
        at, place = cut
        below = points[rows, at] < place
        waiting.append((rows[below], boxes[low[boxes, at] < place]))
        waiting.append((rows[~below], boxes[high[boxes, at] > place]))
    return out


def _best_cut(low: Codes, high: Codes) -> tuple[int, int] | None:
    """Return the column and the edge that leave the fewest boxes on the fuller side; ``None`` if no cut is worth it."""
    best, found = _WORTH * len(low), None
    for at in range(low.shape[1]):
        starts, ends = np.sort(low[:, at]), np.sort(high[:, at])
        edges = np.unique(np.concatenate([starts, ends]))
        left = np.searchsorted(starts, edges, side="left")
        right = len(low) - np.searchsorted(ends, edges, side="right")
        fuller = np.maximum(left, right)
        place = int(fuller.argmin())
        if fuller[place] < best:
            best, found = float(fuller[place]), (at, int(edges[place]))
    return found


def _try_all(out: Ints, points: Codes, rows: Ints, low: Codes, high: Codes, boxes: Ints) -> None:
    if len(boxes) == 0:
        return
    size = max(_PORTION // len(boxes), 1)
    low, high = low[boxes], high[boxes]
    for start in range(0, len(rows), size):
        part = rows[start : start + size]
        inside = np.ones((len(part), len(boxes)), bool)
        for at in range(points.shape[1]):
            value = points[part, at, None]
            inside &= value >= low[:, at]
            inside &= value < high[:, at]
        first = inside.argmax(axis=1)
        out[part] = np.where(inside[np.arange(len(part)), first], boxes[first], -1)
