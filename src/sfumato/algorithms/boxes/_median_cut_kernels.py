"""Cutting groups of records in two at the middle of one axis, or into the children of a node.

Rows of coordinates lie group by group: group ``g`` is ``points[start[g]:end[g]]``, with the weight of each row beside it. The
rows are moved when a group is cut, so that every group is one run of memory. A cut of a line is the last coordinate of its
lower part; a cut of a tree is the node whose children become parts.
"""

from __future__ import annotations

import numpy as np

from sfumato.kernels.arrays import Array
from sfumato.kernels.axes import Axes, below, lowest_cover, width
from sfumato.kernels.jit import njit

__all__ = ["FRESH", "SCALE", "even_share", "mark_parts", "move_rows", "number_parts", "propose_medians", "survey"]

#: Scores are compared in whole steps of this fraction.
SCALE = 2.0**40

#: No cut of the axis has been tried yet.
FRESH = -1


@njit(cache=True, nogil=True)
def survey(
    points: Array,
    weights: Array,
    start: Array,
    end: Array,
    axes: Axes,
    low: Array,
    high: Array,
    size: Array,
    ranked: Array,
) -> None:
    """Fill in the bounds and the size of each group, and its axes from the widest to the narrowest; -1 ends the list.

    Axes of equal width stay in order, and axes on which all rows lie in one place are not listed.
    """
    depth = points.shape[1]
    wide = np.empty(depth, np.float64)
    for g in range(len(start)):
        first = start[g]
        for a in range(depth):
            low[g, a] = points[first, a]
            high[g, a] = points[first, a]
        total = 0
        for i in range(first, end[g]):
            total += weights[i]
            for a in range(depth):
                value = points[i, a]
                if value < low[g, a]:
                    low[g, a] = value
                elif value > high[g, a]:
                    high[g, a] = value
        size[g] = total
        count = 0
        for a in range(depth):
            if low[g, a] == high[g, a]:
                continue
            own = np.floor(width(axes, a, low[g, a], high[g, a]) * SCALE + 0.5)
            at = count
            while at > 0 and wide[at - 1] < own:
                wide[at] = wide[at - 1]
                ranked[g, at] = ranked[g, at - 1]
                at -= 1
            wide[at] = own
            ranked[g, at] = a
            count += 1
        for at in range(count, depth):
            ranked[g, at] = -1


@njit(cache=True, nogil=True)
def _median(
    points: Array, weights: Array, first: int, end: int, axis: int, low: int, high: int, size: int, counts: Array
) -> tuple[int, int]:
    """Return the lower median of an axis and the weight of the rows up to it."""
    wanted = (size - 1) // 2 + 1
    if high - low <= 2 * (end - first) + 16:
        for value in range(low, high + 1):
            counts[value] = 0
        for i in range(first, end):
            counts[points[i, axis]] += weights[i]
        total = 0
        for value in range(low, high + 1):
            total += counts[value]
            if total >= wanted:
                return value, total
    # Few rows on a long axis: the middle is closed in on from both sides.
    lower, upper, total = low, high, size
    while lower < upper:
        middle = (lower + upper) // 2
        held = 0
        for i in range(first, end):
            if points[i, axis] <= middle:
                held += weights[i]
        if held >= wanted:
            upper, total = middle, held
        else:
            lower = middle + 1
    return lower, total


@njit(cache=True, nogil=True)
def _next_cut(
    points: Array, weights: Array, first: int, end: int, axis: int, high: int, size: int, tried: tuple[int, int]
) -> tuple[int, int]:
    """Return the cut nearest to the middle outside those tried, and the weight of its lower part; -1 without any.

    Nearness is told by the records: the more even of the cuts next to the tried ones; of two equal ones the lower.
    """
    lower, upper = -1, high
    for i in range(first, end):
        value = points[i, axis]
        if value < tried[0] and value > lower:
            lower = value
        elif value > tried[1] and value < upper:
            upper = value
    left, right = 0, 0
    for i in range(first, end):
        value = points[i, axis]
        if value <= lower:
            left += weights[i]
        if value <= upper:
            right += weights[i]
    if lower < 0 and upper == high:
        return -1, 0
    if upper == high or (lower >= 0 and abs(2 * left - size) <= abs(2 * right - size)):
        return lower, left
    return upper, right


@njit(cache=True, nogil=True)
def _smallest_child(
    points: Array, weights: Array, first: int, end: int, axis: int, node: int, axes: Axes, held: Array
) -> int:
    """Return the weight of the smallest part that the children of a node make; children without a row do not count."""
    for at in range(axes.child_from[node], axes.child_to[node]):
        held[axes.child[at]] = 0
    for i in range(first, end):
        held[below(axes, axis, node, points[i, axis])] += weights[i]
    least = -1
    for at in range(axes.child_from[node], axes.child_to[node]):
        own = held[axes.child[at]]
        if own > 0 and (least < 0 or own < least):
            least = own
    return int(least)


@njit(cache=True, nogil=True)
def propose_medians(
    points: Array,
    weights: Array,
    start: Array,
    end: Array,
    axes: Axes,
    low: Array,
    high: Array,
    size: Array,
    ranked: Array,
    least: int,
    anywhere: bool,
    relaxed: bool,
    turn: Array,
    tried: Array,
    axis: Array,
    cut: Array,
    taken: Array,
) -> None:
    """Find the next cut of each group whose parts have at least ``least`` records; ``axis`` is -1 where there is none left.

    ``turn`` (the place in the ranking) and ``tried`` (the cuts of that axis so far, as a range) say where the last call
    ended. ``anywhere``: after the median the other cuts of an axis are tried. ``relaxed``: rows at the median are shared out
    so that the parts are even; ``taken`` of them go to the lower part, and -1 means all.
    """
    depth = points.shape[1]
    counts = np.empty(len(axes.position), np.int64)
    held = np.empty(len(axes.parent), np.int64)
    for g in range(len(start)):
        first, last, total = start[g], end[g], size[g]
        axis[g] = -1
        if total < 2 * least:
            continue
        while turn[g] < depth and ranked[g, turn[g]] >= 0:
            a = ranked[g, turn[g]]
            fresh = tried[g, 0] == FRESH
            if axes.tree[a]:
                node = lowest_cover(axes, a, low[g, a], high[g, a])
                if fresh and _smallest_child(points, weights, first, last, a, node, axes, held) >= least:
                    tried[g, 0] = tried[g, 1] = 0
                    axis[g], cut[g], taken[g] = a, node, -1
                    break
            elif fresh:
                middle, left = _median(points, weights, first, last, a, low[g, a], high[g, a], total, counts)
                tried[g, 0] = tried[g, 1] = middle
                share = -1
                if relaxed:
                    share = even_share(points, weights, first, last, a, middle, total)
                    left = (total + 1) // 2
                if left >= least and total - left >= least:
                    axis[g], cut[g], taken[g] = a, middle, share
                    break
                if anywhere and not relaxed:
                    continue
            elif anywhere and not relaxed:
                found, left = _next_cut(points, weights, first, last, a, high[g, a], total, (tried[g, 0], tried[g, 1]))
                # Cuts come from the most even to the least: after one that is too uneven all are.
                if found >= 0 and left >= least and total - left >= least:
                    tried[g, 0] = min(tried[g, 0], found)
                    tried[g, 1] = max(tried[g, 1], found)
                    axis[g], cut[g], taken[g] = a, found, -1
                    break
            turn[g] += 1
            tried[g, 0] = tried[g, 1] = FRESH


@njit(cache=True, nogil=True)
def even_share(points: Array, weights: Array, first: int, end: int, axis: int, middle: int, size: int) -> int:
    """Return how many of the records at the median must go to the lower part so that the parts are even."""
    left = 0
    for i in range(first, end):
        if points[i, axis] < middle:
            left += weights[i]
    return int((size + 1) // 2 - left)


@njit(cache=True, nogil=True)
def mark_parts(
    points: Array,
    start: Array,
    end: Array,
    axes: Axes,
    axis: Array,
    cut: Array,
    taken: Array,
    part: Array,
    parts: Array,
) -> None:
    """Number the parts of each group from 0, row by row in ``part``; ``parts`` counts them."""
    slot = np.empty(len(axes.parent), np.int32)
    for g in range(len(start)):
        a, at = axis[g], cut[g]
        if not axes.tree[a]:
            left = taken[g]
            for i in range(start[g], end[g]):
                value = points[i, a]
                part[i] = 1 if value > at else 0
                if left >= 0 and value == at:
                    # Shared out: the first rows at the cut go to the lower part. Rows are single records then.
                    part[i] = 0 if left > 0 else 1
                    left = max(left - 1, 0)
            parts[g] = 2
            continue
        for spot in range(axes.child_from[at], axes.child_to[at]):
            slot[axes.child[spot]] = -1
        for i in range(start[g], end[g]):
            slot[below(axes, a, at, points[i, a])] = 0
        count = 0
        for spot in range(axes.child_from[at], axes.child_to[at]):
            child = axes.child[spot]
            if slot[child] == 0:
                slot[child] = count
                count += 1
        for i in range(start[g], end[g]):
            part[i] = slot[below(axes, a, at, points[i, a])]
        parts[g] = count


@njit(cache=True, nogil=True)
def number_parts(start: Array, end: Array, order: Array, part: Array, first: Array, rows: Array, number: Array) -> None:
    """List the rows of all groups, by their number in the table, with the number of their part among all parts."""
    at = 0
    for g in range(len(start)):
        for i in range(start[g], end[g]):
            rows[at] = order[i]
            number[at] = first[g] + part[i]
            at += 1


@njit(cache=True, nogil=True)
def move_rows(
    points: Array,
    weights: Array,
    order: Array,
    part: Array,
    start: Array,
    end: Array,
    parts: Array,
    new_start: Array,
    new_end: Array,
) -> None:
    """Bring the parts of each group together, in order; the runs of the parts follow each other in the new groups."""
    depth = points.shape[1]
    made = 0
    for g in range(len(start)):
        count = parts[g]
        for p in range(made, made + count):
            new_end[p] = 0
        for i in range(start[g], end[g]):
            new_end[made + part[i]] += 1
        at = start[g]
        for p in range(made, made + count):
            new_start[p] = at
            at += new_end[p]
            new_end[p] = new_start[p]  # grows to the end as rows come in
        bound = start[g]
        for p in range(count):
            bound = new_start[made + p + 1] if p + 1 < count else end[g]
            i = new_end[made + p]
            while i < bound:
                own = part[i]
                if own == p:
                    i += 1
                    continue
                j = new_end[made + own]
                new_end[made + own] += 1
                while part[j] == own:
                    j = new_end[made + own]
                    new_end[made + own] += 1
                part[i], part[j] = part[j], part[i]
                order[i], order[j] = order[j], order[i]
                weights[i], weights[j] = weights[j], weights[i]
                for a in range(depth):
                    points[i, a], points[j, a] = points[j, a], points[i, a]
            new_end[made + p] = bound
        made += count
