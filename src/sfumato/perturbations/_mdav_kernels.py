"""Kernels of microaggregation: groups are peeled off the outside of a cloud of records.

The record farthest from the centre is looked for among those that were far away from an earlier centre: a centre that moved by
``m`` changes no distance by more than ``m``. The piles stand in the order of their distance from the earlier centre, and the
search ends where nothing that follows can win. When too many have to be looked at, the caller sorts anew.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sfumato.kernels.jit import njit, whole
from sfumato.perturbations._near_tree_kernels import (
    Metric,
    NearTree,
    Piles,
    coarse,
    distance,
    farthest,
    nearest,
    take_off,
)

__all__ = ["Centre", "distances", "find_centre", "grow", "leave", "peel", "take_group"]

Array = Any

SLACK = 1e-11


class Centre(NamedTuple):
    """What the centre of the records that are left follows from.

    For sums of squares: the ``total`` of each column and what its additions ``lost``. For sums of parts, column by column
    from ``place[c]`` on, with the ``codes`` of each pile: how many records are left at each of its ``values``, and the median
    with the number of records ``below`` it. In a column with a tree, values are leaves, nodes begin at ``node[c]``, ``held``
    counts the records below each, and ``price`` is what two records cost whose lowest common node it is, in whole numbers.
    """

    total: Array
    lost: Array
    codes: Array
    place: Array
    counts: Array
    values: Array
    median: Array
    below: Array
    node: Array
    parent: Array
    leaf: Array
    held: Array
    price: Array


@njit(cache=True, nogil=True)
def distances(metric: Metric, points: Array, some: Array, point: Array, out: Array) -> None:
    """Write how far some points lie from another."""
    for at in range(len(some)):
        out[at] = distance(metric, points[some[at]], point)


@njit(cache=True, nogil=True)
def leave(metric: Metric, centre: Centre, points: Array, pile: int) -> None:
    """Forget a record of a pile."""
    if metric.squares:
        for column in range(points.shape[1]):
            # What an addition loses is added up beside it, so that the centre of the last records is as good as that of all.
            old, step = centre.total[column], -points[pile, column]
            new = old + step
            centre.lost[column] += (old - new) + step if abs(old) >= abs(step) else (step - new) + old
            centre.total[column] = new
        return
    for column in range(points.shape[1]):
        code = centre.codes[pile, column]
        centre.counts[centre.place[column] + code] -= 1
        if metric.tree[column]:
            node = centre.leaf[centre.place[column] + code]
            while node >= 0:
                centre.held[centre.node[column] + node] -= 1
                node = centre.parent[centre.node[column] + node]
        elif code < centre.median[column]:
            centre.below[column] -= 1


@njit(cache=True, nogil=True)
def find_centre(metric: Metric, centre: Centre, left: int, out: Array) -> None:
    """Write the centre of the records that are left: means, or lower medians and the leaves that lie nearest to all."""
    if metric.squares:
        for column in range(len(out)):
            out[column] = (centre.total[column] + centre.lost[column]) / left
        return
    for column in range(len(out)):
        place = centre.place[column]
        if not metric.tree[column]:
            rank = (left - 1) // 2
            at, below = centre.median[column], centre.below[column]
            while below > rank:
                at -= 1
                below -= centre.counts[place + at]
            while below + centre.counts[place + at] <= rank:
                below += centre.counts[place + at]
                at += 1
            centre.median[column], centre.below[column] = at, below
            out[column] = centre.values[place + at]
            continue
        nodes, best = centre.node[column], -1
        for code in range(metric.neighbours[column] + 1):
            if centre.counts[place + code] == 0:
                continue
            node = centre.leaf[place + code]
            cost, inside = 0, centre.held[nodes + node]
            while centre.parent[nodes + node] >= 0:
                node = centre.parent[nodes + node]
                held = centre.held[nodes + node]
                cost += (held - inside) * centre.price[nodes + node]
                inside = held
            if best < 0 or cost < best:
                best = cost
                out[column] = float(code)


@njit(cache=True, nogil=True)
def _take(metric: Metric, tree: NearTree, piles: Piles, centre: Centre, record: int, group: Array, number: int) -> None:
    pile = piles.place[record]
    group[record] = number
    leave(metric, centre, piles.points, pile)
    take_off(tree, piles, pile)


@njit(cache=True, nogil=True)
def take_group(
    metric: Metric,
    tree: NearTree,
    piles: Piles,
    centre: Centre,
    group: Array,
    number: int,
    first: int,
    k: int,
    found: Array,
    away: Array,
) -> int:
    """Make a group of a record and its ``k - 1`` nearest, written to ``found`` behind it; return its size."""
    found[0] = first
    held = 1
    if k > 1:
        held += nearest(metric, tree, piles.under, piles.points[piles.place[first]], k - 1, first, found[1:], away[1:])
    for at in range(held):
        _take(metric, tree, piles, centre, found[at], group, number)
    return held


@njit(cache=True, nogil=True)
def _outermost(
    metric: Metric, points: Array, top: Array, at: Array, order: Array, reach: Array, drift: float, state: Array
) -> int:
    """Return the record farthest from the centre; ``order`` and ``reach`` tell how far piles were from an earlier one."""
    best, least, chosen = -1.0, -1.0, -1
    head = state[1]
    while head < len(order) and top[order[head]] < 0:
        head += 1
    state[1] = head
    for place in range(head, len(order)):
        if (reach[place] + drift) * (1 + SLACK) < least:
            break
        state[2] += 1
        record = top[order[place]]
        if record < 0:
            continue
        far = coarse(distance(metric, points[order[place]], at))
        if far > best or (far == best and record < chosen):
            best, chosen = far, record
            least = np.sqrt(far) if metric.squares else far
    return chosen


@njit(cache=True, nogil=True)
def peel(
    metric: Metric,
    tree: NearTree,
    piles: Piles,
    centre: Centre,
    group: Array,
    k: int,
    order: Array,
    reach: Array,
    origin: Array,
    state: Array,
    until: int,
    looks: int,
) -> None:
    """Make pairs of groups at opposite ends until few records or piles are left, or too many had to be looked at.

    ``state`` holds the number of the next group, the first place in ``order`` that may still be there, and the looks so far.
    """
    points = piles.points
    at = np.empty(points.shape[1])
    found, away = np.empty(k, np.int64), np.empty(k)
    while piles.left[0] >= 3 * k and tree.count[0] >= until and state[2] < looks:
        find_centre(metric, centre, piles.left[0], at)
        moved = distance(metric, at, origin)
        drift = np.sqrt(moved) if metric.squares else moved
        one = _outermost(metric, points, piles.top, at, order, reach, drift, state)
        take_group(metric, tree, piles, centre, group, state[0], one, k, found, away)
        other = farthest(metric, tree, points[piles.place[one]])
        take_group(metric, tree, piles, centre, group, state[0] + 1, other, k, found, away)
        state[0] += 2


@njit(cache=True, nogil=True)
def grow(
    metric: Metric,
    tree: NearTree,
    piles: Piles,
    centre: Centre,
    group: Array,
    k: int,
    gamma: float,
    order: Array,
    state: Array,
    until: int,
) -> None:
    """Make groups from the outside in, around the first record in ``order`` that is left, until few records or piles are.

    A group of k takes in the record nearest to any of its members while that one is nearer to the group than ``gamma``
    times its distance from the nearest record outside, up to ``2 k - 1``.
    """
    most = 2 * k - 1
    found, away = np.empty(most, np.int64), np.empty(most)
    near, apart = np.empty(most, np.int64), np.empty(most)
    one, gap = np.empty(1, np.int64), np.empty(1)
    single, nobody = whole(1), whole(-1)
    factor = gamma * gamma if metric.squares else gamma
    while piles.left[0] >= k and tree.count[0] >= until:
        while group[order[state[1]]] >= 0:
            state[1] += 1
        number = state[0]
        held = take_group(metric, tree, piles, centre, group, number, order[state[1]], k, found, away)
        state[0] += 1
        known = 0
        while held < most and piles.left[0] > 0:
            nearer, apart_by = nobody, np.inf
            for member in range(held):
                if member >= known or group[near[member]] >= 0:
                    point = piles.points[piles.place[found[member]]]
                    nearest(metric, tree, piles.under, point, single, nobody, one, gap)
                    near[member], apart[member] = one[0], gap[0]
                if apart[member] < apart_by or (apart[member] == apart_by and near[member] < nearer):
                    nearer, apart_by = near[member], apart[member]
            known = held
            point = piles.points[piles.place[nearer]]
            if nearest(metric, tree, piles.under, point, single, nearer, one, gap) and not apart_by < coarse(
                factor * gap[0]
            ):
                break
            _take(metric, tree, piles, centre, nearer, group, number)
            found[held] = nearer
            held += 1
