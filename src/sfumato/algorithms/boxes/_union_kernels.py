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

__all__ = ["Groups", "Pieces", "cheapest_loan", "cheapest_union", "cut_part", "far_ends", "share_out"]

STEP = 1.0 / 1099511627776.0


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


@njit(cache=True, nogil=True)
def cheapest_union(spans: Spans, groups: Groups, count: int, own: int) -> int:
    """Return the slot of the group whose union with a group costs least over all records, the lowest number among equals."""
    best, chosen, limit = np.inf, -1, np.inf
    low, high = groups.low[own], groups.high[own]
    for other in range(count):
        if other == own:
            continue
        size = groups.size[own] + groups.size[other]
        most, each = limit / size, 0.0
        for at in range(len(low)):
            column = spans.order[at]
            least, last = min(low[column], groups.low[other, column]), max(high[column], groups.high[other, column])
            each += side(spans, column, least, last)
            if each > most:
                break
        if each > most:
            continue
        cost = steps(each * size)
        if cost < best or (cost == best and groups.number[other] < groups.number[chosen]):
            best, chosen = cost, other
            limit = (best + 1.0) * STEP
    return chosen


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
