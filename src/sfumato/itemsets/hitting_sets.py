"""Hitting sets: items that leave no set of a family untouched, chosen greedily or at the least cost of all."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sfumato.data.frozen import frozen
from sfumato.errors import Unsupported
from sfumato.itemsets.exact_solver import exact_solver
from sfumato.itemsets.hitting_set_kernels import greedy_choice, traded_choice
from sfumato.itemsets.level_kernels import transposed
from sfumato.kernels.arrays import Codes, Floats, Ints

__all__ = ["Chosen", "greedy_hitting_set", "greedy_trade", "optimal_hitting_set"]

MOST_ITEMS = 5_000
"""Up to so many items a hitting set is proven to be the cheapest."""


@frozen
class Chosen:
    """One step: the item that was chosen, how many sets it hit that nothing had hit before, and how many good ones it cost."""

    item: int
    hit: int
    lost: int = 0


def greedy_hitting_set(family: Sequence[Codes], costs: Floats, supports: Ints) -> list[Chosen]:
    """Return items until every set holds one: each time the one with the most sets left for its cost.

    Ties go to more sets, then to the smaller support, then to the smaller code. A cost of 0 is an infinite score. ``family``
    holds arrays of sets of one size each; an index from items to sets is walked, so that only sets that fall are touched.

    >>> pairs = np.array([[0, 1], [0, 2]], np.int32)
    >>> [step.item for step in greedy_hitting_set([pairs], np.ones(3), np.ones(3, np.int64))]
    [0]
    """
    items, hits = greedy_choice(*_indexed(family, len(costs)), costs, supports)
    return [Chosen(item, hit) for item, hit in zip(items.tolist(), hits.tolist(), strict=True)]


def greedy_trade(family: Sequence[Codes], good: Sequence[Codes], supports: Ints) -> list[Chosen]:
    """Return items until every set of a family holds one: each time the one with the most sets left for what it costs.

    That is ``sets / (good sets + 1)``: sets of ``good`` are lost with any of their items, and count no more afterwards. Ties go
    to more sets, then to the smaller support, then to the smaller code.

    >>> pairs, kept = np.array([[0, 1], [0, 2]], np.int32), np.array([[0, 3], [0, 4], [0, 5]], np.int32)
    >>> [(step.item, step.hit, step.lost) for step in greedy_trade([pairs], [kept], np.ones(6, np.int64))]
    [(1, 1, 0), (2, 1, 0)]
    """
    found = traded_choice(*_indexed(family, len(supports)), *_indexed(good, len(supports)), supports)
    return [Chosen(*step) for step in zip(*(one.tolist() for one in found), strict=True)]


def _indexed(family: Sequence[Codes], width: int) -> tuple[Codes, Ints, Codes, Ints, Ints]:
    """Return members, where each set begins, the sets of each item and where these begin, and how many each item is in."""
    flat, starts = _flat(family)
    left = np.bincount(flat, minlength=width).astype(np.int64)
    item_starts = np.concatenate(([0], np.cumsum(left)))
    owner = np.repeat(np.arange(len(starts) - 1, dtype=np.int32), np.diff(starts))[transposed(flat, item_starts)]
    return flat, starts, owner, item_starts, left


def _flat(family: Sequence[Codes]) -> tuple[Codes, Ints]:
    """Return all members one after the other, and where each set begins."""
    held = [sets for sets in family if len(sets)]
    flat = np.concatenate([sets.ravel() for sets in held] or [np.empty(0, np.int32)]).astype(np.int32)
    sizes = np.concatenate([np.full(len(sets), sets.shape[1]) for sets in held] or [np.empty(0, np.int64)])
    return flat, np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)


def optimal_hitting_set(family: Sequence[Codes], costs: Floats) -> list[int]:
    """Return the cheapest items that leave no set untouched: ``min sum of c x`` with ``sum of x over each set >= 1``, x 0 or 1.

    The costs must be whole multiples of some unit that a double holds; needs the extra ``exact``.
    """
    flat, starts = _flat(family)
    items, columns = np.unique(flat, return_inverse=True)
    if not len(items):
        return []
    if len(items) > MOST_ITEMS:
        raise Unsupported(
            f"{len(items):,} items are too many to find the cheapest choice; up to {MOST_ITEMS:,} can be",
            thing="optimal-cohesion",
            alternatives=["mole-suppression"],
        )
    solver = exact_solver("optimal-cohesion", "the cheapest choice")
    import highspy

    count = len(items)
    solver.addVars(count, np.zeros(count), np.ones(count))
    solver.changeColsCost(count, np.arange(count, dtype=np.int32), costs[items].astype(np.float64))
    kinds = np.array([highspy.HighsVarType.kInteger] * count)
    solver.changeColsIntegrality(count, np.arange(count, dtype=np.int32), kinds)
    sets = len(starts) - 1
    solver.addRows(
        sets,
        np.ones(sets),
        np.full(sets, highspy.kHighsInf),
        len(flat),
        starts[:-1].astype(np.int32),
        columns.astype(np.int32),
        np.ones(len(flat)),
    )
    solver.run()
    if solver.getModelStatus().name != "kOptimal":
        raise Unsupported("the solver did not prove a cheapest choice", thing="optimal-cohesion")
    values = np.array(solver.getSolution().col_value)
    return [int(item) for item in items[values > 0.5]]
