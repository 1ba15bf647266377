"""Kernels of colour refinement: the colours around each node in order, and nodes with the same ones in one class."""

from __future__ import annotations

import numpy as np

from sfumato.kernels.arrays import Codes, Ints
from sfumato.kernels.jit import njit

__all__ = ["equal_rows", "row_hashes", "rows_by_colour"]


@njit(cache=True)
def rows_by_colour(starts: Ints, targets: Codes, colours: Codes, count: int) -> Codes:
    """Return the colours of the neighbours of each node, rising, in the places of ``targets``.

    Nodes are walked in the order of their colours, and each leaves its colour with its neighbours: nothing is sorted.
    """
    nodes = len(starts) - 1
    place = np.zeros(count + 1, np.int64)
    for node in range(nodes):
        place[colours[node] + 1] += 1
    for colour in range(count):
        place[colour + 1] += place[colour]
    order = np.empty(nodes, np.int32)
    for node in range(nodes):
        order[place[colours[node]]] = node
        place[colours[node]] += 1
    fill = starts[:-1].copy()
    rows = np.empty(len(targets), np.int32)
    for walked in order:
        for at in range(starts[walked], starts[walked + 1]):
            other = targets[at]
            rows[fill[other]] = colours[walked]
            fill[other] += 1
    return rows


@njit(cache=True)
def row_hashes(starts: Ints, rows: Codes, own: Codes) -> Ints:
    """Return a number for each row and the node's own code; equal rows have equal ones, others hardly ever."""
    out = np.empty(len(starts) - 1, np.int64)
    for node in range(len(out)):
        value = np.uint64(own[node] + 1) * np.uint64(0x9E3779B97F4A7C15)
        for at in range(starts[node], starts[node + 1]):
            value ^= np.uint64(rows[at] + 1)
            value *= np.uint64(0xBF58476D1CE4E5B9)
            value ^= value >> np.uint64(29)
        out[node] = np.int64(value >> np.uint64(1))
    return out


@njit(cache=True)
def equal_rows(order: Ints, hashes: Ints, starts: Ints, rows: Codes, own: Codes) -> Codes:
    """Return the class of each node: equal own codes and equal rows; ``order`` sorts the hashes, which settle most of it.

    Rows of one hash are compared entry by entry, so that two that share it by accident are kept apart.
    """
    nodes = len(order)
    out = np.full(nodes, -1, np.int32)
    made = 0
    first = 0
    heads = np.empty(nodes, np.int64)
    while first < nodes:
        last = first
        while last < nodes and hashes[order[last]] == hashes[order[first]]:
            last += 1
        found = 0
        for place in range(first, last):
            node = order[place]
            for head in range(found):
                other = heads[head]
                same = own[node] == own[other] and starts[node + 1] - starts[node] == starts[other + 1] - starts[other]
                if same:
                    shift = starts[other] - starts[node]
                    for at in range(starts[node], starts[node + 1]):
                        if rows[at] != rows[at + shift]:
                            same = False
                            break
                if same:
                    out[node] = out[other]
                    break
            if out[node] < 0:
                heads[found] = node
                found += 1
                out[node] = made
                made += 1
        first = last
    return out
