"""Kernels of local recoding: which groups to merge, which records to borrow, how to cut a group, where its ends are.

Groups lie in slots ``0..count - 1``: a number that settles ties, a size, and the box of their records. Records are counted by
distinct row: a piece is a row and how many of its records a group holds; the pieces of a group are a linked list.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sfumato.algorithms.boxes._span_kernels import Spans, penalty, side, steps, union_penalty
from sfumato.kernels.arrays import Array, Codes, Ints
from sfumato.kernels.jit import njit

__all__ = [
    "NOBODY",
    "Groups",
    "Pieces",
    "UnionNodes",
    "cheapest_loan",
    "cheapest_union",
    "cut_part",
    "far_ends",
    "refresh_leaf",
    "refresh_nodes",
    "share_out",
    "widest_columns",
]

BEYOND = (1.0 + 1e-12) / 1099511627776.0
"""A step of a score, and a little more than rounding makes of it: what costs as much as the best is never passed over."""
NOBODY = -1
"""The slot of a place that no group has."""
NONE = 1 << 62
"""The smallest size below a node that has no groups."""


class Groups(NamedTuple):
    """The groups, by slot."""

    number: Ints
    size: Ints
    low: Codes
    high: Codes
    head: Ints


class Pieces(NamedTuple):
    """The pieces; ``after`` is the next one of the same group, -1 at the end."""

    row: Ints
    held: Ints
    after: Ints


class UnionNodes(NamedTuple):
    """The nodes of a tree of groups: the largest lower end, the smallest upper end and the smallest size below each.

    The halves of node ``n`` are ``2 n`` and ``2 n + 1``; leaves fill the second half of the arrays. A node without groups
    has the size ``NONE``.
    """

    low: Codes
    high: Codes
    size: Ints


@njit(cache=True, nogil=True)
def widest_columns(spans: Spans, low: Array, high: Array) -> Ints:
    """Return the column of each box whose side costs most, the first among equals."""
    out = np.zeros(len(low), np.int64)
    for box in range(len(low)):
        most = -1.0
        for column in range(low.shape[1]):
            cost = side(spans, column, low[box, column], high[box, column])
            if cost > most:
                most, out[box] = cost, column
    return out


@njit(cache=True, nogil=True)
def _refresh_one_leaf(groups: Groups, held: Array, room: int, nodes: UnionNodes, leaf: int) -> None:
    node = len(nodes.size) // 2 + leaf
    nodes.low[node], nodes.high[node], nodes.size[node] = -1, np.iinfo(np.int32).max, NONE
    for place in range(leaf * room, leaf * room + room):
        slot = held[place]
        if slot == NOBODY:
            continue
        nodes.size[node] = min(nodes.size[node], groups.size[slot])
        for column in range(groups.low.shape[1]):
            nodes.low[node, column] = max(nodes.low[node, column], groups.low[slot, column])
            nodes.high[node, column] = min(nodes.high[node, column], groups.high[slot, column])


@njit(cache=True, nogil=True)
def _refresh_above(nodes: UnionNodes, node: int) -> None:
    one, other = 2 * node, 2 * node + 1
    nodes.size[node] = min(nodes.size[one], nodes.size[other])
    for column in range(nodes.low.shape[1]):
        nodes.low[node, column] = max(nodes.low[one, column], nodes.low[other, column])
        nodes.high[node, column] = min(nodes.high[one, column], nodes.high[other, column])


@njit(cache=True, nogil=True)
def refresh_leaf(groups: Groups, held: Array, room: int, nodes: UnionNodes, leaf: int) -> None:
    """Write anew what a leaf and the nodes above it know."""
    _refresh_one_leaf(groups, held, room, nodes, leaf)
    node = (len(nodes.size) // 2 + leaf) // 2
    while node > 0:
        _refresh_above(nodes, node)
        node //= 2


@njit(cache=True, nogil=True)
def refresh_nodes(groups: Groups, held: Array, room: int, nodes: UnionNodes) -> None:
    """Write what every node knows."""
    for leaf in range(len(nodes.size) // 2):
        _refresh_one_leaf(groups, held, room, nodes, leaf)
    for node in range(len(nodes.size) // 2 - 1, 0, -1):
        _refresh_above(nodes, node)


@njit(cache=True, nogil=True)
def _covered(spans: Spans, low: Array, high: Array, other_low: Array, other_high: Array, most: float) -> float:
    """Return what the box around two boxes costs for each record; more than ``most``, once it is passed."""
    each = 0.0
    for at in range(len(low)):
        column = spans.order[at]
        least, last = min(low[column], other_low[column]), max(high[column], other_high[column])
        each += side(spans, column, least, last)
        if each > most:
            break
    return each


@njit(cache=True, nogil=True)
def cheapest_union(
    spans: Spans, groups: Groups, nodes: UnionNodes, held: Array, room: int, own: int, place: int
) -> int:
    """Return the slot of the group whose union with a group costs least over all records, the lowest number among equals.

    The leaf of the group itself is looked at first, then from the root on what may hold a cheaper or an equal one, the
    half that promises more before the other. A promise is a sum over the same columns in the same order as the cost itself,
    none of its terms above that of a group below, so that rounding keeps it below, too.
    """
    best, chosen, limit = np.inf, -1, np.inf
    low, high = groups.low[own], groups.high[own]
    leaves = len(nodes.size) // 2
    near = leaves + place // room
    waiting, promised = np.empty(128, np.int64), np.empty(128)
    waiting[0], promised[0] = 1, 0.0
    waiting[1], promised[1] = near, 0.0
    top = 2
    while top > 0:
        top -= 1
        node = waiting[top]
        if promised[top] > limit or (node == near and top != 1):
            continue
        if node >= leaves:
            for at in range((node - leaves) * room, (node - leaves + 1) * room):
                other = held[at]
                if other in (own, NOBODY):
                    continue
                size = groups.size[own] + groups.size[other]
                most = limit / size
                each = _covered(spans, low, high, groups.low[other], groups.high[other], most)
                if each > most:
                    continue
                cost = steps(each * size)
                if cost < best or (cost == best and groups.number[other] < groups.number[chosen]):
                    best, chosen = cost, other
                    limit = (best + 1.0) * BEYOND
            continue
        one, other = 2 * node, 2 * node + 1
        here, there = _promise(spans, groups, own, nodes, one, limit), _promise(spans, groups, own, nodes, other, limit)
        if there < here:
            one, other, here, there = other, one, there, here
        if there <= limit:
            waiting[top], promised[top] = other, there
            top += 1
        if here <= limit:  # what is put down last is taken first
            waiting[top], promised[top] = one, here
            top += 1
    return chosen


@njit(cache=True, nogil=True)
def _promise(spans: Spans, groups: Groups, own: int, nodes: UnionNodes, node: int, limit: float) -> float:
    """Return what a union with a group below a node costs at least, over all records; above the limit, once it is passed."""
    if nodes.size[node] == NONE:
        return np.inf
    size = groups.size[own] + nodes.size[node]
    most = limit / size
    return size * _covered(spans, groups.low[own], groups.high[own], nodes.low[node], nodes.high[node], most)  # type: ignore[no-any-return]


@njit(cache=True, nogil=True)
def _grown(spans: Spans, points: Array, low: Array, high: Array, row: int) -> float:
    return float(union_penalty(spans, low, high, points[row], points[row], np.inf))


@njit(cache=True, nogil=True)
def _nearest_piece(spans: Spans, points: Array, pieces: Pieces, head: int, gone: Array, low: Array, high: Array) -> int:
    """Return the piece, not yet wholly gone, whose row extends a box least; the lowest row among equals."""
    best, chosen = np.inf, -1
    piece = head
    while piece >= 0:
        if gone[piece] < pieces.held[piece]:
            cost = steps(_grown(spans, points, low, high, pieces.row[piece]))
            if cost < best or (cost == best and pieces.row[piece] < pieces.row[chosen]):
                best, chosen = cost, piece
        piece = pieces.after[piece]
    return chosen


@njit(cache=True, nogil=True)
def _extend(points: Array, row: int, low: Array, high: Array) -> None:
    for column in range(len(low)):
        low[column] = min(low[column], points[row, column])
        high[column] = max(high[column], points[row, column])


@njit(cache=True, nogil=True)
def _rest(points: Array, pieces: Pieces, head: int, gone: Array, low: Array, high: Array) -> None:
    """Write the box around what is left of a group."""
    low[:] = np.iinfo(np.int32).max
    high[:] = -1
    piece = head
    while piece >= 0:
        if gone[piece] < pieces.held[piece]:
            _extend(points, pieces.row[piece], low, high)
        piece = pieces.after[piece]


@njit(cache=True, nogil=True)
def cheapest_loan(
    spans: Spans, points: Array, groups: Groups, pieces: Pieces, count: int, own: int, k: int, gone: Array, taken: Array
) -> tuple[int, float]:
    """Find the group that lends the nearest records, up to k, at the least cost; ``taken`` tells how many of each piece.

    A lender keeps k. The cost is what all records of both groups cost afterwards, less what they cost before. Nearest are the
    records that extend the box of the borrower least, as it was before. Returns the slot, -1 if there is none, and the cost.
    """
    wide = points.shape[1]
    low, high = np.empty(wide, np.int32), np.empty(wide, np.int32)
    rest_low, rest_high = np.empty(wide, np.int32), np.empty(wide, np.int32)
    size = groups.size[own]
    before = penalty(spans, groups.low[own], groups.high[own]) * size
    best, chosen, price = np.inf, -1, np.inf
    for other in range(count):
        if other == own or groups.size[other] < 2 * k - size:
            continue
        low[:], high[:] = groups.low[own], groups.high[own]
        wanted = k - size
        while wanted > 0:
            piece = _nearest_piece(spans, points, pieces, groups.head[other], gone, groups.low[own], groups.high[own])
            some = min(wanted, pieces.held[piece] - gone[piece])
            gone[piece] += some
            wanted -= some
            _extend(points, pieces.row[piece], low, high)
        _rest(points, pieces, groups.head[other], gone, rest_low, rest_high)
        kept = groups.size[other] - (k - size)
        cost = (
            penalty(spans, low, high) * k
            + penalty(spans, rest_low, rest_high) * kept
            - before
            - penalty(spans, groups.low[other], groups.high[other]) * groups.size[other]
        )
        better = steps(cost) < best or (steps(cost) == best and groups.number[other] < groups.number[chosen])
        if better:
            best, chosen, price = steps(cost), other, cost
        piece = groups.head[other]
        while piece >= 0:
            if better:
                taken[piece] = gone[piece]
            gone[piece] = 0
            piece = pieces.after[piece]
    return chosen, price


@njit(cache=True, nogil=True)
def cut_part(spans: Spans, points: Array, groups: Groups, pieces: Pieces, own: int, k: int, taken: Array) -> int:
    """Choose the records of a part of k that is cut off a group of ``2 k`` or more; return how many there are.

    It starts at one end of the group's costliest pair of rows, the one with fewer records, and takes in the record that extends
    its box least. A row that has k records goes as a whole, as far as k records stay.
    """
    one, other, best = -1, -1, -1.0
    first = groups.head[own]
    while first >= 0:
        second = pieces.after[first]
        while second >= 0:
            low, high = first, second
            if pieces.row[low] > pieces.row[high]:
                low, high = high, low
            a, b = points[pieces.row[low]], points[pieces.row[high]]
            cost = steps(union_penalty(spans, a, a, b, b, np.inf))
            if cost > best or (
                cost == best and (pieces.row[low], pieces.row[high]) < (pieces.row[one], pieces.row[other])
            ):
                best, one, other = cost, low, high
            second = pieces.after[second]
        first = pieces.after[first]
    seed = other if pieces.held[other] < pieces.held[one] else one
    taken[seed] = pieces.held[seed] if pieces.held[seed] < k else min(pieces.held[seed], groups.size[own] - k)
    part = taken[seed]
    low_side, high_side = points[pieces.row[seed]].copy(), points[pieces.row[seed]].copy()
    while part < k:
        piece = _nearest_piece(spans, points, pieces, groups.head[own], taken, low_side, high_side)
        some = min(k - part, pieces.held[piece] - taken[piece])
        taken[piece] += some
        part += some
        _extend(points, pieces.row[piece], low_side, high_side)
    return int(part)


@njit(cache=True, nogil=True)
def far_ends(spans: Spans, points: Array, rows: Array, start: int, rounds: int) -> tuple[int, int]:
    """Return two rows that lie far apart: from a start, the farthest row is looked for again and again."""
    one, other = start, start
    for _ in range(rounds):
        one = other
        best = -1.0
        for at in range(len(rows)):
            a, b = points[one], points[rows[at]]
            cost = steps(union_penalty(spans, a, a, b, b, np.inf))
            if cost > best:
                best, other = cost, rows[at]
    return one, other


@njit(cache=True, nogil=True)
def share_out(spans: Spans, points: Array, weights: Array, rows: Array, one: int, other: int, second: Array) -> None:
    """Give rows, in turn, to the group of one or the other seed, whichever then costs less more; ties to the first.

    ``second`` tells for each row whether it went to the other seed; seeds stay where they are.
    """
    low, high = points[one].copy(), points[one].copy()
    other_low, other_high = points[other].copy(), points[other].copy()
    size, other_size = weights[one], weights[other]
    cost, other_cost = 0.0, 0.0
    for at in range(len(rows)):
        row = rows[at]
        if row in (one, other):
            second[at] = row == other
            continue
        here = union_penalty(spans, low, high, points[row], points[row], np.inf) * (size + weights[row])
        there = union_penalty(spans, other_low, other_high, points[row], points[row], np.inf) * (
            other_size + weights[row]
        )
        second[at] = steps(there - other_cost) < steps(here - cost)
        if second[at]:
            _extend(points, row, other_low, other_high)
            other_size += weights[row]
            other_cost = there
        else:
            _extend(points, row, low, high)
            size += weights[row]
            cost = here
