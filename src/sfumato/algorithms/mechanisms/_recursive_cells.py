"""A recursive histogram: a box is cut in the middle of every side until no part holds more than so many points."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np

from sfumato.contracts.progress import Progress
from sfumato.data.frozen import frozen
from sfumato.kernels.arrays import Floats, Ints

__all__ = ["Cells", "recursive_cells", "sides_at"]

_TICK = 1024


@frozen(eq=False)
class Cells:
    """Boxes that do not overlap, in the order of a walk through all cuts, lower halves first, and the box of each point.

    ``low`` and ``high`` have a row for each box, ``counts`` the points in it (0 for empty ones, if they are listed),
    ``cell`` the number of the box of each point. ``crowded`` counts boxes that hold too many points at the greatest
    depth."""

    low: Floats
    high: Floats
    counts: Ints
    cell: Ints
    depth: int
    crowded: int


def recursive_cells(
    points: Floats,
    low: Sequence[float],
    high: Sequence[float],
    limit: int,
    *,
    max_depth: int,
    empty: bool = False,
    progress: Progress | None = None,
) -> Cells:
    """Cut a box until no part holds more than ``limit`` points; a point in the middle of a side goes up.

    >>> cells = recursive_cells(np.array([[1.0], [2.0], [7.0]]), [0], [8], 1, max_depth=9)
    >>> cells.low.ravel().tolist(), cells.counts.tolist()
    ([0.0, 2.0, 4.0], [1, 1, 1])
    """
    width = points.shape[1]
    number = np.empty(len(points), np.int64)
    lows: list[Floats] = []
    highs: list[Floats] = []
    counts: list[int] = []
    deepest = crowded = turns = done = 0
    whole = (np.arange(len(points)), np.asarray(low, np.float64), np.asarray(high, np.float64), 0)
    stack = [whole]
    place = 1 << np.arange(width - 1, -1, -1, dtype=np.int64)
    while stack:
        held, begin, end, depth = stack.pop()
        deepest = max(deepest, depth)
        turns += 1
        if progress is not None and turns % _TICK == 0:
            progress.tick(done / len(points), f"{len(counts):,} boxes")
        if len(held) <= limit or depth == max_depth:
            done += len(held)
            crowded += len(held) > limit
            number[held] = len(counts)
            lows.append(begin)
            highs.append(end)
            counts.append(len(held))
            continue
        middle = (begin + end) / 2
        child = (points[held] >= middle) @ place
        order = np.argsort(child, kind="stable")
        codes, starts = np.unique(child[order], return_index=True)
        parts = dict(zip(codes.tolist(), np.split(held[order], starts[1:]), strict=True))
        wanted = (
            [sum(bit << (width - 1 - at) for at, bit in enumerate(bits)) for bits in product((0, 1), repeat=width)]
            if empty
            else codes.tolist()
        )
        for code in reversed(wanted):
            up = ((code >> np.arange(width - 1, -1, -1)) & 1).astype(bool)
            inside = parts.get(code, np.empty(0, np.int64))
            stack.append((inside, np.where(up, middle, begin), np.where(up, end, middle), depth + 1))
    return Cells(np.array(lows), np.array(highs), np.array(counts, np.int64), number, deepest, crowded)


def sides_at(points: Floats, others: Floats, limit: int, *, max_depth: int, progress: Progress | None = None) -> Floats:
    """Return the sides of the box that holds each point, when space is cut by how many of the others lie there.

    A box without any of the others is not cut further. Points outside of the box around the others count as on its rim.

    >>> sides_at(np.array([[1.0], [3.0], [9.0]]), np.array([[0.0], [1.0], [1.5], [8.0]]), 2, max_depth=9).tolist()
    [[1.0], [2.0], [4.0]]
    """
    begin, end = others.min(axis=0), others.max(axis=0)
    inside = np.clip(points, begin, end)
    out = np.empty_like(points)
    stack = [(np.arange(len(points)), np.arange(len(others)), begin, end, 0)]
    place = 1 << np.arange(points.shape[1] - 1, -1, -1, dtype=np.int64)
    turns = done = 0
    while stack:
        turns += 1
        if progress is not None and turns % _TICK == 0:
            progress.tick(done / len(points), f"{turns:,} boxes")
        mine, theirs, low, high, depth = stack.pop()
        if len(theirs) <= limit or depth == max_depth:
            out[mine] = high - low
            done += len(mine)
            continue
        middle = (low + high) / 2
        own, other = (inside[mine] >= middle) @ place, (others[theirs] >= middle) @ place
        for code in np.unique(own).tolist():
            up = ((code >> np.arange(points.shape[1] - 1, -1, -1)) & 1).astype(bool)
            stack.append(
                (
                    mine[own == code],
                    theirs[other == code],
                    np.where(up, middle, low),
                    np.where(up, high, middle),
                    depth + 1,
                )
            )
    return out
