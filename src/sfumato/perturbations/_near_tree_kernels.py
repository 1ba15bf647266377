"""A tree of boxes over records that can be taken out: the nearest and the farthest record are found without looking at all.

Records are rows of coordinates, and those that lie at the same point are a pile: the tree holds each point once, so that a
search looks at a point and not at all its records, of which a table of a million rows may have hundreds. The distance of
records is a sum over columns: of squares, or of a part of each column that lies between 0 and its weight: the difference of
scaled numbers, or the price of the lowest node above two leaves. The tree halves the points by the widest column, down to a
handful; node ``i`` has the children ``2 i + 1`` and ``2 i + 2``. Every node knows the smallest box around the points that are
left below it, and from a box follow the least and the largest distance that anything inside can have. When the last record of
a pile leaves, the boxes above it shrink.

Distances are compared with 41 binary digits, and ties go to the record with the lower number, so the order in which sums
are added up does not decide. So it is always the lowest record of a pile that leaves it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sfumato.kernels.covers import cover_price
from sfumato.kernels.jit import njit, whole

__all__ = [
    "Metric",
    "NearTree",
    "Piles",
    "between",
    "build_tree",
    "coarse",
    "distance",
    "farthest",
    "heap_up",
    "nearest",
    "take_off",
]

Array = Any

HANDFUL = 16
SLACK = 1e-11


class Metric(NamedTuple):
    """How far records lie apart: squares of all columns, or absolute differences, with leaves of trees where ``tree``.

    The prices of the nodes of column ``c`` begin at ``start[c]`` in ``maxima``, for ``neighbours[c]`` pairs of leaves.
    """

    squares: bool
    tree: Array
    start: Array
    neighbours: Array
    maxima: Array


class Piles(NamedTuple):
    """The records at each of the ``points``: ``place`` tells the pile of a record, ``top`` its lowest record that is left.

    ``under`` is the next higher record of the same pile; -1 where there is none. ``left[0]`` records are left in all.
    """

    points: Array
    place: Array
    top: Array
    under: Array
    left: Array


class NearTree(NamedTuple):
    """The piles in the order of the leaves, each with its lowest ``record``, and the nodes; ``count[0]`` piles are left.

    ``reach`` is how far each pile lies from the ``origin``, squared, and ``most`` the largest reach below a node: sums of
    squares have a bound from it that is sharper than that of a box, whose corners stick out of a round cloud.
    """

    points: Array
    pile: Array
    record: Array
    slot: Array
    leaf: Array
    begin: Array
    count: Array
    low: Array
    high: Array
    origin: Array
    reach: Array
    most: Array


@njit(cache=True, nogil=True)
def coarse(value: float) -> float:
    """Return a number rounded to 41 binary digits."""
    wide = value * 4097.0
    return wide - (wide - value)


@njit(cache=True, nogil=True)
def between(metric: Metric, column: int, one: float, other: float) -> float:
    """Return the part of one column in a distance."""
    if metric.squares:
        return (one - other) * (one - other)
    if not metric.tree[column]:
        return abs(one - other)
    low, high = int(min(one, other)), int(max(one, other))
    if low == high:
        return 0.0
    return cover_price(metric.maxima, metric.start[column], metric.neighbours[column], low, high)


@njit(cache=True, nogil=True)
def distance(metric: Metric, one: Array, other: Array) -> float:
    """Return the distance of two records; squared, if it is a sum of squares."""
    total = 0.0
    if metric.squares:
        for column in range(len(one)):
            step = one[column] - other[column]
            total += step * step
        return total
    for column in range(len(one)):
        total += between(metric, column, one[column], other[column])
    return total


@njit(cache=True, nogil=True)
def _least(metric: Metric, point: Array, low: Array, high: Array) -> float:
    """Return the least distance that a record inside a box can have."""
    total = 0.0
    if metric.squares:
        for column in range(len(point)):
            at = point[column]
            step = max(max(low[column] - at, at - high[column]), 0.0)
            total += step * step
        return total
    for column in range(len(point)):
        at = point[column]
        if at < low[column]:
            total += between(metric, column, at, low[column])
        elif at > high[column]:
            total += between(metric, column, at, high[column])
    return total


@njit(cache=True, nogil=True)
def _largest(metric: Metric, tree: NearTree, point: Array, node: int) -> float:
    """Return the largest distance that a record below a node can have.

    With squares, ``|x - p|^2 = |x - o|^2 + |p - o|^2 - 2 (x - o)(p - o)``: the first part is at most that of the node, the
    product at least its least value in the box.
    """
    total = 0.0
    if metric.squares:
        out = 0.0
        for column in range(len(point)):
            origin = tree.origin[column]
            step = point[column] - origin
            side = tree.low[node, column] if step > 0 else tree.high[node, column]
            total += step * (step - 2.0 * (side - origin))
            out += step * step
        # The parts may be larger than what is left of them: what rounding can lose is added.
        return total + tree.most[node] + 1e-14 * (tree.most[node] + out)  # type: ignore[no-any-return]
    for column in range(len(point)):
        at = point[column]
        low, high = tree.low[node, column], tree.high[node, column]
        total += max(between(metric, column, at, low), between(metric, column, at, high))
    return total


# ---- making ----------------------------------------------------------------------------------------------------------------


@njit(cache=True, nogil=True)
def _halve(points: Array, order: Array, begin: int, end: int, middle: int, column: int) -> None:
    """Put records into an order in which none before ``middle`` has a larger value in a column than any after it."""
    low, high = begin, end - 1
    while low < high:
        pivot = points[order[(low + high) // 2], column]
        left, right = low, high
        while left <= right:
            while points[order[left], column] < pivot:
                left += 1
            while points[order[right], column] > pivot:
                right -= 1
            if left <= right:
                order[left], order[right] = order[right], order[left]
                left += 1
                right -= 1
        if middle <= right:
            high = right
        elif middle >= left:
            low = left
        else:
            return


@njit(cache=True, nogil=True)
def _enclose(points: Array, rows: Array, begin: int, end: int, low: Array, high: Array) -> None:
    for column in range(points.shape[1]):
        least, most = np.inf, -np.inf
        for at in range(begin, end):
            value = points[rows[at], column]
            least = min(least, value)
            most = max(most, value)
        low[column], high[column] = least, most


@njit(cache=True, nogil=True)
def heap_up(points: Array, place: Array) -> Piles:
    """Return the piles of all records, if ``place`` is the point of each."""
    top, under = np.full(len(points), -1, np.int64), np.empty(len(place), np.int64)
    for record in range(len(place) - 1, -1, -1):
        under[record] = top[place[record]]
        top[place[record]] = record
    return Piles(points, place, top, under, np.full(1, len(place), np.int64))


@njit(cache=True, nogil=True)
def build_tree(metric: Metric, piles: Piles, some: Array) -> NearTree:
    """Return the tree over some piles, by number."""
    points = piles.points
    n, wide = len(some), points.shape[1]
    depth = 0
    while n > HANDFUL << depth:
        depth += 1
    nodes = (2 << depth) - 1
    order = some.copy()
    begin, count = np.zeros(nodes, np.int64), np.zeros(nodes, np.int64)
    low, high = np.empty((nodes, wide)), np.empty((nodes, wide))
    leaf = np.empty(n, np.int64)
    count[0] = n
    first_leaf = (1 << depth) - 1
    for node in range(nodes):
        start, end = begin[node], begin[node] + count[node]
        _enclose(points, order, start, end, low[node], high[node])
        if node >= first_leaf:
            for at in range(start, end):
                leaf[at] = node
            continue
        widest, column = -1.0, whole(0)
        for c in range(wide):
            span = between(metric, c, low[node, c], high[node, c])
            if span > widest:
                widest, column = span, c
        middle = (start + end) // 2
        _halve(points, order, start, end, middle, column)
        begin[2 * node + 1], count[2 * node + 1] = start, middle - start
        begin[2 * node + 2], count[2 * node + 2] = middle, end - middle
    placed = np.empty((n, wide))
    slot = np.full(len(points), -1, np.int64)
    for at in range(n):
        placed[at] = points[order[at]]
        slot[order[at]] = at
    origin, reach, most = np.zeros(wide), np.zeros(n), np.zeros(nodes)
    if metric.squares:
        for at in range(n):
            for column in range(wide):
                origin[column] += placed[at, column] / n
        for at in range(n):
            reach[at] = distance(metric, placed[at], origin)
            most[leaf[at]] = max(most[leaf[at]], reach[at])
        for node in range(first_leaf - 1, -1, -1):
            most[node] = max(most[2 * node + 1], most[2 * node + 2])
    return NearTree(placed, order, piles.top[order], slot, leaf, begin, count, low, high, origin, reach, most)


@njit(cache=True, nogil=True)
def take_off(tree: NearTree, piles: Piles, pile: int) -> None:
    """Take the lowest record off a pile; of the last one, the boxes around it shrink."""
    at = tree.slot[pile]
    next_one = piles.under[tree.record[at]]
    piles.top[pile] = next_one
    piles.left[0] -= 1
    if next_one >= 0:
        tree.record[at] = next_one
        return
    node = tree.leaf[at]
    last = tree.begin[node] + tree.count[node] - 1
    wide = tree.points.shape[1]
    edge = tree.reach[at] == tree.most[node]
    for column in range(wide):
        value = tree.points[at, column]
        edge = edge or value == tree.low[node, column] or value == tree.high[node, column]
    other = tree.pile[last]
    tree.pile[at], tree.pile[last] = other, pile
    tree.slot[other], tree.slot[pile] = at, -1
    tree.record[at] = tree.record[last]
    for column in range(wide):
        tree.points[at, column] = tree.points[last, column]
    tree.reach[at] = tree.reach[last]
    tree.count[node] -= 1
    if edge:
        for column in range(wide):
            least, most = np.inf, -np.inf
            for place in range(tree.begin[node], last):
                value = tree.points[place, column]
                least = min(least, value)
                most = max(most, value)
            tree.low[node, column], tree.high[node, column] = least, most
        tree.most[node] = np.max(tree.reach[tree.begin[node] : last]) if tree.count[node] else 0.0
    while node > 0:
        node = (node - 1) // 2
        tree.count[node] -= 1
        if not edge:
            continue
        edge = False
        one, two = 2 * node + 1, 2 * node + 2
        for column in range(wide):
            least = min(tree.low[one, column], tree.low[two, column])
            most = max(tree.high[one, column], tree.high[two, column])
            if least != tree.low[node, column] or most != tree.high[node, column]:
                tree.low[node, column], tree.high[node, column] = least, most
                edge = True
        most = max(tree.most[one], tree.most[two])
        if most != tree.most[node]:
            tree.most[node] = most
            edge = True


# ---- looking -----------------------------------------------------------------------------------------------------------------


@njit(cache=True, nogil=True)
def nearest(
    metric: Metric, tree: NearTree, under: Array, point: Array, wanted: int, skip: int, found: Array, away: Array
) -> int:
    """Write the nearest records and their distances in order; return how many there are.

    ``skip``, the lowest record of its pile, is not one of them. ``under`` is that of the piles: handing over all of them at
    each of so many calls costs time.
    """
    nodes = np.empty(64, np.int64)
    bounds = np.empty(64)
    nodes[0], bounds[0] = 0, 0.0
    held, stack = 0, 1
    first_leaf = len(tree.begin) // 2
    while stack:
        stack -= 1
        node = nodes[stack]
        if tree.count[node] == 0 or (held == wanted and bounds[stack] * (1 - SLACK) > away[held - 1]):
            continue
        if node < first_leaf:
            one, two = 2 * node + 1, 2 * node + 2
            near_one = _least(metric, point, tree.low[one], tree.high[one]) if tree.count[one] else np.inf
            near_two = _least(metric, point, tree.low[two], tree.high[two]) if tree.count[two] else np.inf
            if near_one < near_two:
                one, two = two, one
                near_one, near_two = near_two, near_one
            nodes[stack], bounds[stack] = one, near_one
            nodes[stack + 1], bounds[stack + 1] = two, near_two
            stack += 2
            continue
        for at in range(tree.begin[node], tree.begin[node] + tree.count[node]):
            far = coarse(distance(metric, point, tree.points[at]))
            if held == wanted and far > away[held - 1]:
                continue
            record = tree.record[at]
            if record == skip:
                record = under[record]
            while record >= 0:  # a pile goes from low to high: after one that is not among the nearest, none is
                if held < wanted:
                    held += 1
                elif far > away[held - 1] or (far == away[held - 1] and record > found[held - 1]):
                    break
                place = held - 1
                while place > 0 and (far < away[place - 1] or (far == away[place - 1] and record < found[place - 1])):
                    away[place], found[place] = away[place - 1], found[place - 1]
                    place -= 1
                away[place], found[place] = far, record
                record = under[record]
    return held


@njit(cache=True, nogil=True)
def farthest(metric: Metric, tree: NearTree, point: Array) -> int:
    """Return the farthest record, the one with the lowest number among equally far ones; -1 if none is left."""
    nodes = np.empty(64, np.int64)
    bounds = np.empty(64)
    nodes[0], bounds[0] = 0, np.inf
    best, chosen, stack = -1.0, -1, 1
    first_leaf = len(tree.begin) // 2
    while stack:
        stack -= 1
        node = nodes[stack]
        if tree.count[node] == 0 or bounds[stack] * (1 + SLACK) < best:
            continue
        if node < first_leaf:
            one, two = 2 * node + 1, 2 * node + 2
            far_one = _largest(metric, tree, point, one) if tree.count[one] else -1.0
            far_two = _largest(metric, tree, point, two) if tree.count[two] else -1.0
            if far_one > far_two:
                one, two = two, one
                far_one, far_two = far_two, far_one
            nodes[stack], bounds[stack] = one, far_one
            nodes[stack + 1], bounds[stack + 1] = two, far_two
            stack += 2
            continue
        for at in range(tree.begin[node], tree.begin[node] + tree.count[node]):
            far = coarse(distance(metric, point, tree.points[at]))
            if far < best:
                continue
            record = tree.record[at]
            if far > best or record < chosen:
                best, chosen = far, record
    return chosen
