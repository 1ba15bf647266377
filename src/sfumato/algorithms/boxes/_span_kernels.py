"""What boxes of records cost: the share of each column's domain that a side covers, weighted and summed.

Coordinates are places of values on a line, or numbers of leaves from left to right. A side from ``low`` to ``high`` costs
nothing if it holds one value. On a line it costs ``factor`` times its length and ``step``; on a tree the price of the
lowest node above it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sfumato.kernels.arrays import Array
from sfumato.kernels.covers import cover_price
from sfumato.kernels.jit import njit

__all__ = ["Spans", "penalty", "side", "steps", "union_penalty"]


class Spans(NamedTuple):
    """The sides of boxes, column by column: lines begin at ``place`` in ``position``, trees at ``start`` in ``maxima``.

    ``order`` lists the columns so that a sum soon passes a limit: those first whose values differ much as a rule.
    """

    tree: Array
    place: Array
    position: Array
    factor: Array
    step: Array
    start: Array
    neighbours: Array
    maxima: Array
    order: Array


@njit(cache=True, nogil=True)
def steps(score: float) -> float:
    """Return a score in whole steps of ``2**-40``."""
    return float(np.floor(score * 1099511627776.0 + 0.5))


@njit(cache=True, nogil=True)
def side(spans: Spans, column: int, low: int, high: int) -> float:
    """Return what one side costs."""
    if low == high:
        return 0.0
    if spans.tree[column]:
        return cover_price(spans.maxima, spans.start[column], spans.neighbours[column], low, high)
    at = spans.place[column]
    return (spans.position[at + high] - spans.position[at + low]) * spans.factor[column] + spans.step[column]  # type: ignore[no-any-return]


@njit(cache=True, nogil=True)
def penalty(spans: Spans, low: Array, high: Array) -> float:
    """Return what a box costs for each of its records."""
    total = 0.0
    for column in range(len(low)):
        total += side(spans, column, low[column], high[column])
    return total


@njit(cache=True, nogil=True)
def union_penalty(spans: Spans, low: Array, high: Array, other_low: Array, other_high: Array, limit: float) -> float:
    """Return what the box around two boxes costs for each record; more than the limit, once it is passed."""
    total = 0.0
    for column in range(len(low)):
        least, most = min(low[column], other_low[column]), max(high[column], other_high[column])
        total += side(spans, column, least, most)
        if total > limit:
            break
    return total
