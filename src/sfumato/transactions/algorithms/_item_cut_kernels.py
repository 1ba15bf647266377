"""Kernels that lift rare sets of nodes to ancestors that are not rare, at the least loss of the cut."""

from __future__ import annotations

import numpy as np

from sfumato.kernels.arrays import Codes, Ints, Words
from sfumato.kernels.jit import njit

__all__ = ["lift_rare_sets", "node_records"]

_REMEMBERED = 1 << 18


@njit(cache=True)
def _enough(nodes: Ints, count: int, k: int, starts: Ints, tids: Codes, dense: Codes, words: Words) -> bool:
    """Tell whether at least k records have something below each of the nodes."""
    smallest = nodes[0]
    for at in range(1, count):
        if starts[nodes[at] + 1] - starts[nodes[at]] < starts[smallest + 1] - starts[smallest]:
            smallest = nodes[at]
    found = 0
    for place in range(starts[smallest], starts[smallest + 1]):
        tid = tids[place]
        there = True
        for at in range(count):
            node = nodes[at]
            if node == smallest:
                continue
            if dense[node] >= 0:
                there = (words[dense[node], tid >> 6] >> np.uint64(tid & 63)) & np.uint64(1) == np.uint64(1)
            else:
                low, high = starts[node], starts[node + 1]
                while low < high:
                    middle = (low + high) // 2
                    if tids[middle] < tid:
                        low = middle + 1
                    else:
                        high = middle
                there = low < starts[node + 1] and tids[low] == tid
            if not there:
                break
        if there:
            found += 1
            if found >= k:
                return True
    return False


@njit(cache=True)
def _distinct(nodes: Ints, count: int, leaf_first: Codes, leaf_last: Codes) -> int:
    """Sort nodes and drop doubles in place; return how many are left, or -1 if one lies above another."""
    for at in range(1, count):
        value = nodes[at]
        to = at
        while to > 0 and nodes[to - 1] > value:
            nodes[to] = nodes[to - 1]
            to -= 1
        nodes[to] = value
    left = 1
    for at in range(1, count):
        if nodes[at] != nodes[left - 1]:
            # In pre-order whatever lies below a node follows it at once.
            if leaf_first[nodes[at]] < leaf_last[nodes[left - 1]]:
                return -1
            nodes[left] = nodes[at]
            left += 1
    return left


@njit(cache=True)
def node_records(starts: Ints, leaf_nodes: Codes, parent: Codes) -> tuple[Ints, Codes]:
    """Return the records that hold something below each node: starts by node, and records in order.

    Record ``i`` holds the leaves ``leaf_nodes[starts[i]:starts[i + 1]]``.
    """
    seen = np.full(len(parent), -1, np.int64)
    node_starts = np.zeros(len(parent) + 1, np.int64)
    for record in range(len(starts) - 1):
        for at in range(starts[record], starts[record + 1]):
            node = leaf_nodes[at]
            while node >= 0 and seen[node] != record:
                seen[node] = record
                node_starts[node + 1] += 1
                node = parent[node]
    for node in range(len(parent)):
        node_starts[node + 1] += node_starts[node]
    filled = node_starts[:-1].copy()
    records = np.empty(node_starts[-1], np.int32)
    seen[:] = -1
    for record in range(len(starts) - 1):
        for at in range(starts[record], starts[record + 1]):
            node = leaf_nodes[at]
            while node >= 0 and seen[node] != record:
                seen[node] = record
                records[filled[node]] = record
                filled[node] += 1
                node = parent[node]
    return node_starts, records


@njit(cache=True)
def lift_rare_sets(
    sets: Codes,
    k: int,
    parent: Codes,
    leaf_first: Codes,
    leaf_last: Codes,
    cut_of_leaf: Codes,
    inside: Ints,
    starts: Ints,
    tids: Codes,
    dense: Codes,
    words: Words,
) -> int:
    """Repair sets of cut nodes in turn so that k records hold each; return how many had to be.

    A set that is rare as the cut stands is lifted: each member to itself or to an ancestor, whichever way adds least to the
    loss of the cut; ties go to fewer leaves, then to the first nodes. ``cut_of_leaf`` and ``inside``, the loss of the cut
    below each node, are changed in place. ``starts`` and ``tids`` list the records of each node, ``words`` are bits of
    those of ``dense`` ones.
    """
    size = sets.shape[1]
    current, lifted, best = np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size, np.int64)
    chain, lengths, turn = np.empty((size, 200), np.int64), np.empty(size, np.int64), np.empty(size, np.int64)
    known = np.full(
        _REMEMBERED, -1, np.int64
    )  # pairs that were found to be frequent: they stay so, and most come again
    repaired = 0
    for row in range(len(sets)):
        for at in range(size):
            current[at] = cut_of_leaf[leaf_first[sets[row, at]]]
        count = _distinct(current, size, leaf_first, leaf_last)
        pair = current[0] * len(parent) + current[count - 1] if count <= 2 else np.int64(-2)
        slot = (pair * 0x9E3779B1 >> 7) & (_REMEMBERED - 1)
        if known[slot] == pair:
            continue
        if _enough(current, count, k, starts, tids, dense, words):
            if count <= 2:
                known[slot] = pair
            continue
        repaired += 1
        for at in range(count):
            lengths[at] = 0
            node = current[at]
            while node >= 0 and lengths[at] < 200:
                chain[at, lengths[at]] = node
                lengths[at] += 1
                node = parent[node]
            turn[at] = 0
        best_count = 0
        best_cost, best_leaves = np.int64(0), np.int64(0)
        while True:
            for at in range(count):
                lifted[at] = chain[at, turn[at]]
            left = _distinct(lifted, count, leaf_first, leaf_last)
            if left > 0:
                cost, leaves = np.int64(0), np.int64(0)
                for at in range(left):
                    node = lifted[at]
                    below = leaf_last[node] - leaf_first[node]
                    if cut_of_leaf[leaf_first[node]] != node:
                        cost += (starts[node + 1] - starts[node]) * (below - 1) - inside[node]
                        leaves += below
                better = best_count == 0 or cost < best_cost or (cost == best_cost and leaves < best_leaves)
                if not better and cost == best_cost and leaves == best_leaves:
                    for at in range(min(left, best_count)):
                        if lifted[at] != best[at]:
                            better = lifted[at] < best[at]
                            break
                if better and _enough(lifted, left, k, starts, tids, dense, words):
                    best_count, best_cost, best_leaves = left, cost, leaves
                    for at in range(left):
                        best[at] = lifted[at]
            at = count - 1
            while at >= 0 and turn[at] == lengths[at] - 1:
                turn[at] = 0
                at -= 1
            if at < 0:
                break
            turn[at] += 1
        for at in range(best_count):
            node = best[at]
            if cut_of_leaf[leaf_first[node]] == node:
                continue
            below = leaf_last[node] - leaf_first[node]
            change = (starts[node + 1] - starts[node]) * (below - 1) - inside[node]
            for leaf in range(leaf_first[node], leaf_last[node]):
                cut_of_leaf[leaf] = node
            up = node
            while up >= 0:
                inside[up] += change
                up = parent[up]
    return repaired
