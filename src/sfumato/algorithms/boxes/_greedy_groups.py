"""Greedy local recoding: groups of k are merged from single rows, or found by halving the table again and again.

Reference: Xu, Wang, Pei, Wang, Shi, Fu, "Utility-based anonymization using local recoding", 2006,
doi:10.1145/1150402.1150504.
"""

from __future__ import annotations

import numpy as np

from sfumato.algorithms.boxes._cell_groups import CellGroups, DistinctRecords
from sfumato.algorithms.boxes._span_kernels import penalty, steps
from sfumato.algorithms.boxes._union_kernels import cheapest_loan, far_ends, share_out
from sfumato.contracts.progress import Progress
from sfumato.kernels.arrays import Ints

__all__ = ["halve", "merge_up", "repair"]

ROUNDS = 3
"""How often the farthest row is looked for, from a random one on."""

_TICK = 64


def merge_up(rows: DistinctRecords, k: int, progress: Progress) -> CellGroups:
    """Return groups of k and more: the first smaller group is merged, until it has k, with the one whose union costs least.

    A group that reaches ``2 k`` is cut.
    """
    state = CellGroups(rows)
    small = state.small(k)
    # Numbers only vanish, and parts that are cut off have k: who was large enough stays so.
    for at, number in enumerate(small):
        if at % _TICK == 0:
            progress.tick(at / len(small), f"{state.count:,} groups")
        while number in state.slot and state.groups.size[state.slot[number]] < k:
            slot = state.slot[number]
            merged = state.merge(slot, state.cheapest_union(slot))
            state.cut(int(state.groups.number[merged]), k)
    return state


def halve(rows: DistinctRecords, k: int, rng: np.random.Generator, progress: Progress) -> Ints:
    """Return a group for each row: parts are halved as long as they have more than k records and different rows.

    Two rows that lie far apart start the halves; the others join, in random order, the half whose cost grows less.
    """
    group = np.empty(len(rows), np.int64)
    stack: list[Ints] = [np.arange(len(rows))]
    number = done = 0
    while stack:
        part = stack.pop()
        if len(part) == 1 or int(rows.weights[part].sum()) <= k:
            group[part] = number
            number += 1
            done += len(part)
            if number % _TICK == 0:
                progress.tick(done / len(rows), f"{number:,} groups")
            continue
        start = int(part[rng.integers(len(part))])
        one, other = far_ends(rows.spans, rows.points, part, start, ROUNDS)
        order = rng.permutation(part)
        second = np.zeros(len(order), np.bool_)
        share_out(rows.spans, rows.points, rows.weights, order, one, other, second)
        # The first half is halved on before the second one is looked at.
        stack += [np.sort(order[second]), np.sort(order[~second])]
    return group


def repair(state: CellGroups, k: int, progress: Progress) -> None:
    """Bring every group to k records: it borrows the nearest ones, or is merged, whichever costs less.

    A group of ``2 k`` and more that comes of merging is cut.
    """
    rows = state.rows
    start = len(state.small(k))
    turns = 0
    while small := state.small(k):
        for number in small:
            slot = state.slot.get(number)
            if slot is None or state.groups.size[slot] >= k:
                continue
            turns += 1
            if turns % _TICK == 0:
                progress.tick(1 - len(small) / start, f"{state.count:,} groups")
            lender, price = cheapest_loan(
                rows.spans, rows.points, state.groups, state.pieces, state.count, slot, k, state.gone, state.taken
            )
            partner = state.cheapest_union(slot)
            before = state.cost(slot) + state.cost(partner)
            if lender >= 0 and steps(price) <= steps(_union_cost(state, slot, partner) - before):
                state.move(lender, slot)
                state.taken[:] = 0  # what lenders offered that were not chosen in the end
                state.loans += 1
                continue
            state.taken[:] = 0
            merged = state.merge(slot, partner)
            state.cut(int(state.groups.number[merged]), k)


def _union_cost(state: CellGroups, one: int, other: int) -> float:
    groups = state.groups
    low, high = np.minimum(groups.low[one], groups.low[other]), np.maximum(groups.high[one], groups.high[other])
    return float(penalty(state.rows.spans, low, high) * (groups.size[one] + groups.size[other]))
