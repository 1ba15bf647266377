"""The cut of each group that costs least, over all axes and all places to cut: for classes, numbers, or queries.

Rows lie group by group as in ``_median_cut_kernels``. To try every cut of an axis the rows of a group are taken in
the order of their coordinates; what the lower part holds grows row by row, and what the upper part holds is the rest. Costs
are given per record of the group and compared in whole steps of ``1 / SCALE``; of equal cuts the first axis, then the lowest
place is taken. A cut that a requirement refused is passed over by asking for the next one after it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sfumato.algorithms.boxes._median_cut_kernels import SCALE
from sfumato.kernels.arrays import Array
from sfumato.kernels.axes import Axes, below, lowest_cover
from sfumato.kernels.jit import njit

__all__ = ["Queries", "Targets", "propose_for_queries", "propose_for_targets"]


class Targets(NamedTuple):
    """What should stay predictable, by row of the table.

    ``classes``: numbers of classes, counted through over all columns (rows x columns). ``kinds``: how many classes there are.
    ``numbers``: centred numbers (rows x columns). ``scale``: what their squares are divided by. ``mixed``: whether both occur,
    so that each column counts by the share of its disorder that is left.
    """

    classes: Array
    kinds: int
    numbers: Array
    scale: float
    mixed: bool


class Queries(NamedTuple):
    """Selections by row and by axis.

    ``meets``: whether a row of the table lies in a selection (rows x queries). ``weight``: of each query. ``asks``: whether a
    query has a condition on an axis (queries x axes). ``low``, ``high``: the range, where the axis is numbers (``numeric``).
    ``reach``: the selected coordinates of all axes, summed up (queries x places); axis ``a`` starts at ``place[a] + a``.
    """

    meets: Array
    weight: Array
    asks: Array
    numeric: Array
    low: Array
    high: Array
    reach: Array


@njit(cache=True, nogil=True)
def _in_order(points: Array, first: int, end: int, axis: int, low: int, high: int, counts: Array, rows: Array) -> None:
    """List the rows of a group in the order of their coordinates on an axis."""
    size = end - first
    if high - low > 4 * size + 64:
        order = np.argsort(points[first:end, axis])
        for at in range(size):
            rows[at] = first + order[at]
        return
    for value in range(low, high + 2):
        counts[value] = 0
    for i in range(first, end):
        counts[points[i, axis] + 1] += 1
    for value in range(low, high + 1):
        counts[value + 1] += counts[value]
    for i in range(first, end):
        value = points[i, axis]
        rows[counts[value]] = i
        counts[value] += 1


@njit(cache=True, nogil=True)
def _bits(count: float) -> float:
    return count * np.log2(count) if count > 0 else 0.0


@njit(cache=True, nogil=True)
def _better(score: float, axis: int, cut: int, best: float, last: float, last_axis: int, last_cut: int) -> bool:
    """Tell whether a cut costs less than the best one and comes after the last one that was proposed."""
    if score >= best or score < last:
        return False
    if score > last:
        return True
    return axis > last_axis or (axis == last_axis and cut > last_cut)


@njit(cache=True, nogil=True)
def _disorder(
    targets: Targets, held: Array, listed: Array, ends: Array, sums: Array, squares: Array, weight: int, out: Array
) -> None:
    """Add what the classes and numbers of a part cost, column by column, to ``out``."""
    columns = targets.classes.shape[1]
    for t in range(columns):
        bits = _bits(weight)
        for at in range(ends[t], ends[t + 1]):
            bits -= _bits(held[listed[at]])
        out[t] += max(bits, 0.0)
    for t in range(targets.numbers.shape[1]):
        out[columns + t] += max(squares[t] - sums[t] * sums[t] / weight, 0.0) / targets.scale


@njit(cache=True, nogil=True)
def _cost(targets: Targets, spent: Array, before: Array, size: int) -> float:
    """Return one number for the disorder of all columns, per record."""
    total = 0.0
    for t in range(len(spent)):
        if not targets.mixed:
            total += spent[t] / size
        elif before[t] > size * 1e-12:
            total += spent[t] / before[t] / len(spent)
    return total


@njit(cache=True, nogil=True)
def _add(targets: Targets, row: int, weight: int, held: Array, sums: Array, squares: Array) -> None:
    for t in range(targets.classes.shape[1]):
        held[targets.classes[row, t]] += weight
    for t in range(targets.numbers.shape[1]):
        value = targets.numbers[row, t]
        sums[t] += weight * value
        squares[t] += weight * value * value


@njit(cache=True, nogil=True)
def propose_for_targets(
    points: Array,
    weights: Array,
    order: Array,
    start: Array,
    end: Array,
    axes: Axes,
    low: Array,
    high: Array,
    size: Array,
    targets: Targets,
    least: int,
    min_gain: float,
    last: Array,
    axis: Array,
    cut: Array,
    score: Array,
) -> None:
    """Find the cut of each group after the ``last`` one (score, axis, place) that leaves least disorder; axis -1: none."""
    depth = points.shape[1]
    longest = 0
    for g in range(len(start)):
        longest = max(longest, end[g] - start[g])
    rows = np.empty(longest, np.int64)
    counts = np.empty(len(axes.position) + 2, np.int64)
    columns, numbers = targets.classes.shape[1], targets.numbers.shape[1]
    whole, left = np.zeros(targets.kinds, np.int64), np.zeros(targets.kinds, np.int64)
    right = np.zeros(targets.kinds, np.int64)
    listed = np.empty(targets.kinds, np.int64)
    ends = np.zeros(columns + 1, np.int64)
    sums, left_sums, right_sums = np.zeros(numbers), np.zeros(numbers), np.zeros(numbers)
    squares, left_squares, right_squares = np.zeros(numbers), np.zeros(numbers), np.zeros(numbers)
    before, spent = np.zeros(columns + numbers), np.zeros(columns + numbers)
    for g in range(len(start)):
        first, total = start[g], size[g]
        axis[g] = -1
        if total < 2 * least:
            continue
        # What the group holds as a whole.
        sums[:], squares[:], before[:] = 0.0, 0.0, 0.0
        for t in range(columns):
            count = ends[t]
            for i in range(first, end[g]):
                own = targets.classes[order[i], t]
                if whole[own] == 0:
                    listed[count] = own
                    count += 1
                whole[own] += weights[i]
            ends[t + 1] = count
        for i in range(first, end[g]):
            for t in range(numbers):
                value = targets.numbers[order[i], t]
                sums[t] += weights[i] * value
                squares[t] += weights[i] * value * value
        _disorder(targets, whole, listed, ends, sums, squares, total, before)
        start_cost = _cost(targets, before, before, total)
        best = np.inf
        for a in range(depth):
            if low[g, a] == high[g, a]:
                continue
            length = end[g] - first
            _in_order(points, first, end[g], a, low[g, a], high[g, a], counts, rows)
            for at in range(ends[columns]):
                left[listed[at]] = 0
            left_sums[:], left_squares[:], spent[:] = 0.0, 0.0, 0.0
            weight, node, fits = 0, -1, True
            if axes.tree[a]:
                node = lowest_cover(axes, a, low[g, a], high[g, a])
            child = -1 if node < 0 else below(axes, a, node, points[rows[0], a])
            for at in range(length):
                i = rows[at]
                _add(targets, order[i], weights[i], left, left_sums, left_squares)
                weight += weights[i]
                value = points[i, a]
                if node >= 0:
                    if at + 1 < length and points[rows[at + 1], a] < axes.last[child]:
                        continue
                    # The last row of a child: the part is whole.
                    fits = fits and weight >= least
                    _disorder(targets, left, listed, ends, left_sums, left_squares, weight, spent)
                    for spot in range(ends[columns]):
                        left[listed[spot]] = 0
                    left_sums[:], left_squares[:] = 0.0, 0.0
                    weight = 0
                    if at + 1 < length:
                        child = below(axes, a, node, points[rows[at + 1], a])
                    continue
                if at + 1 == length or points[rows[at + 1], a] == value or weight < least or total - weight < least:
                    continue
                spent[:] = 0.0
                for spot in range(ends[columns]):
                    right[listed[spot]] = whole[listed[spot]] - left[listed[spot]]
                for t in range(numbers):
                    right_sums[t] = sums[t] - left_sums[t]
                    right_squares[t] = squares[t] - left_squares[t]
                _disorder(targets, left, listed, ends, left_sums, left_squares, weight, spent)
                _disorder(targets, right, listed, ends, right_sums, right_squares, total - weight, spent)
                cost = _cost(targets, spent, before, total)
                steps = np.floor(cost * SCALE + 0.5)
                if _better(steps, a, value, best, last[g, 0], int(last[g, 1]), int(last[g, 2])):
                    best = steps
                    axis[g], cut[g], score[g] = a, value, cost
            if node >= 0 and fits:
                cost = _cost(targets, spent, before, total)
                steps = np.floor(cost * SCALE + 0.5)
                if _better(steps, a, node, best, last[g, 0], int(last[g, 1]), int(last[g, 2])):
                    best = steps
                    axis[g], cut[g], score[g] = a, node, cost
        for at in range(ends[columns]):
            whole[listed[at]] = 0
        if axis[g] >= 0:
            last[g, 0], last[g, 1], last[g, 2] = best, axis[g], cut[g]
            if min_gain > 0 and np.floor((start_cost - score[g]) * SCALE + 0.5) < np.floor(min_gain * SCALE + 0.5):
                axis[g] = -1


@njit(cache=True, nogil=True)
def _imprecision(queries: Queries, axes: Axes, lowest: Array, highest: Array, weight: int, inside: Array) -> float:
    """Return the records of a part that queries meet with its box but not with their selection, weighted."""
    out = 0.0
    for q in range(len(queries.weight)):
        meets = True
        for a in range(len(lowest)):
            if not queries.asks[q, a]:
                continue
            at = axes.place[a]
            if queries.numeric[a]:
                meets = (
                    axes.position[at + lowest[a]] <= queries.high[q, a]
                    and axes.position[at + highest[a]] >= queries.low[q, a]
                )
            elif axes.tree[a]:
                node = lowest_cover(axes, a, lowest[a], highest[a])
                meets = queries.reach[q, at + a + axes.last[node]] > queries.reach[q, at + a + axes.first[node]]
            else:
                meets = queries.reach[q, at + a + highest[a] + 1] > queries.reach[q, at + a + lowest[a]]
            if not meets:
                break
        if meets:
            out += queries.weight[q] * (weight - inside[q])
    return out


@njit(cache=True, nogil=True)
def _widen(points: Array, i: int, lowest: Array, highest: Array) -> None:
    for a in range(len(lowest)):
        lowest[a] = min(lowest[a], points[i, a])
        highest[a] = max(highest[a], points[i, a])


@njit(cache=True, nogil=True)
def propose_for_queries(
    points: Array,
    weights: Array,
    order: Array,
    start: Array,
    end: Array,
    axes: Axes,
    low: Array,
    high: Array,
    size: Array,
    queries: Queries,
    shown: Array,
    least: int,
    min_gain: float,
    last: Array,
    axis: Array,
    cut: Array,
    score: Array,
) -> None:
    """Find the cut of each group after the ``last`` one that is least imprecise; only ``shown`` axes are cut."""
    depth = points.shape[1]
    longest = 0
    for g in range(len(start)):
        longest = max(longest, end[g] - start[g])
    rows = np.empty(longest, np.int64)
    upper = np.empty(longest, np.float64)
    counts = np.empty(len(axes.position) + 2, np.int64)
    lowest, highest = np.empty(depth, np.int64), np.empty(depth, np.int64)
    asked = len(queries.weight)
    inside = np.zeros(asked, np.int64)
    for g in range(len(start)):
        first, total = start[g], size[g]
        length = end[g] - first
        axis[g] = -1
        if total < 2 * least:
            continue
        best, start_cost = np.inf, 0.0
        for a in range(depth):
            if low[g, a] == high[g, a] or not shown[a]:
                continue
            _in_order(points, first, end[g], a, low[g, a], high[g, a], counts, rows)
            node = lowest_cover(axes, a, low[g, a], high[g, a]) if axes.tree[a] else -1
            # From above: what everything from a row on costs as one part.
            lowest[:], highest[:], inside[:], weight = len(axes.position), -1, 0, 0
            for at in range(length - 1, -1, -1):
                i = rows[at]
                _widen(points, i, lowest, highest)
                weight += weights[i]
                for q in range(asked):
                    if queries.meets[order[i], q]:
                        inside[q] += weights[i]
                if at == 0 or points[rows[at - 1], a] != points[i, a]:
                    upper[at] = _imprecision(queries, axes, lowest, highest, weight, inside)
            start_cost = upper[0] / total
            lowest[:], highest[:], inside[:], weight = len(axes.position), -1, 0, 0
            fits, spent = True, 0.0
            child = -1 if node < 0 else below(axes, a, node, points[rows[0], a])
            for at in range(length):
                i = rows[at]
                value = points[i, a]
                _widen(points, i, lowest, highest)
                weight += weights[i]
                for q in range(asked):
                    if queries.meets[order[i], q]:
                        inside[q] += weights[i]
                if node >= 0:
                    if at + 1 < length and points[rows[at + 1], a] < axes.last[child]:
                        continue
                    fits = fits and weight >= least
                    spent += _imprecision(queries, axes, lowest, highest, weight, inside)
                    lowest[:], highest[:], inside[:], weight = len(axes.position), -1, 0, 0
                    if at + 1 < length:
                        child = below(axes, a, node, points[rows[at + 1], a])
                    continue
                if at + 1 == length or points[rows[at + 1], a] == value or weight < least or total - weight < least:
                    continue
                cost = (_imprecision(queries, axes, lowest, highest, weight, inside) + upper[at + 1]) / total
                steps = np.floor(cost * SCALE + 0.5)
                if _better(steps, a, value, best, last[g, 0], int(last[g, 1]), int(last[g, 2])):
                    best = steps
                    axis[g], cut[g], score[g] = a, value, cost
            if node >= 0 and fits:
                steps = np.floor(spent / total * SCALE + 0.5)
                if _better(steps, a, node, best, last[g, 0], int(last[g, 1]), int(last[g, 2])):
                    best = steps
                    axis[g], cut[g], score[g] = a, node, spent / total
        if axis[g] >= 0:
            last[g, 0], last[g, 1], last[g, 2] = best, axis[g], cut[g]
            if min_gain > 0 and np.floor((start_cost - score[g]) * SCALE + 0.5) < np.floor(min_gain * SCALE + 0.5):
                axis[g] = -1
