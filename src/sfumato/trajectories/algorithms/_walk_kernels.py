"""Kernels of walks in the plane: how far one object is from all others, and who else is near by a curve through the plane."""

from __future__ import annotations

import numpy as np

from sfumato.kernels.arrays import Bools, Floats, Ints
from sfumato.kernels.jit import njit

__all__ = ["mean_distances", "merged_sets", "nearest_on_curve", "summed_distances"]


@njit(cache=True)
def mean_distances(x: Floats, y: Floats, one: int) -> Floats:
    """Return the mean distance over all times of one row of points to each row."""
    rows, times = x.shape
    out = np.zeros(rows)
    for row in range(rows):
        total = 0.0
        for at in range(times):
            dx = x[row, at] - x[one, at]
            dy = y[row, at] - y[one, at]
            total += np.sqrt(dx * dx + dy * dy)
        out[row] = total / times
    return out


@njit(cache=True)
def summed_distances(x: Floats, y: Floats, one: int, times: Ints) -> Floats:
    """Return the sum of distances at some times of one row of points to each row."""
    rows = len(x)
    out = np.zeros(rows)
    for row in range(rows):
        for at in times:
            dx = x[row, at] - x[one, at]
            dy = y[row, at] - y[one, at]
            out[row] += np.sqrt(dx * dx + dy * dy)
    return out


@njit(cache=True)
def nearest_on_curve(index: Ints, order: Ints, rank: Ints, one: int, times: Ints, wanted: int) -> Ints:
    """Return the ``wanted`` other objects with the least sum of differences of index at some times, ties to the first.

    ``order[t]`` holds objects in the order of ``index[:, t]``, ``rank[t]`` the place of each object in it. The threshold
    algorithm (Fagin, Lotem, Naor 2001): walk from the object to both sides in all orders in step, score whoever is met, and
    stop when nobody unmet can have a score below the worst that is kept.
    """
    objects = len(index)
    met = np.zeros(objects, np.bool_)
    met[one] = True
    best = np.full(wanted, np.iinfo(np.int64).max, np.int64)
    chosen = np.full(wanted, -1, np.int64)
    before = np.empty(len(times), np.int64)
    after = np.empty(len(times), np.int64)
    for place in range(len(times)):
        before[place] = rank[times[place], one] - 1
        after[place] = rank[times[place], one] + 1
    while True:
        floor = np.int64(0)
        open_ends = False
        for place in range(len(times)):
            at = times[place]
            own = index[one, at]
            low, high = before[place], after[place]
            down = own - index[order[at, low], at] if low >= 0 else np.int64(-1)
            up = index[order[at, high], at] - own if high < objects else np.int64(-1)
            if down < 0 and up < 0:
                continue
            open_ends = True
            if up < 0 or (down >= 0 and down <= up):
                other = order[at, low]
                before[place] -= 1
                floor += down
            else:
                other = order[at, high]
                after[place] += 1
                floor += up
            if not met[other]:
                met[other] = True
                score = np.int64(0)
                for when in times:
                    score += abs(index[other, when] - index[one, when])
                spot = wanted
                while spot > 0 and (
                    score < best[spot - 1]
                    or (score == best[spot - 1] and (other < chosen[spot - 1] or chosen[spot - 1] < 0))
                ):
                    spot -= 1
                if spot < wanted:
                    for move in range(wanted - 1, spot, -1):
                        best[move] = best[move - 1]
                        chosen[move] = chosen[move - 1]
                    best[spot] = score
                    chosen[spot] = other
        if not open_ends or best[wanted - 1] < floor:
            return chosen


@njit(cache=True)
def merged_sets(starts: Ints, members: Ints, held: Bools) -> Ints:
    """Return for each time the class of each object, by its first member, when sets that hold there and overlap are merged.

    Set ``i`` is ``members[starts[i]:starts[i + 1]]`` and holds at ``t`` where ``held[i, t]``.
    """
    objects, times = held.shape
    out = np.empty((times, objects), np.int64)
    for at in range(times):
        home = out[at]
        for one in range(objects):
            home[one] = one
        for one in range(objects):
            if not held[one, at]:
                continue
            for place in range(starts[one], starts[one + 1]):
                first, second = one, members[place]
                while home[first] != first:
                    home[first] = home[home[first]]
                    first = home[first]
                while home[second] != second:
                    home[second] = home[home[second]]
                    second = home[second]
                if first < second:
                    home[second] = first
                else:
                    home[first] = second
        for one in range(objects):  # a home comes before whoever lives there
            home[one] = home[home[one]]
    return out
