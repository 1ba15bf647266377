"""Kernel of exact enumeration: weigh every way to give the sensitive values of groups to their records.

The choices of a group are tables of counts, cell by value. Groups are chosen one after the other, so that the weight of the
beginning of a world is kept and only what a choice changes is counted anew.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sfumato.kernels.jit import njit, whole

__all__ = ["weigh_worlds"]

Array = Any

_ROOM = 30.0  # how far a weight may grow, in natural logarithms, before all sums are scaled down


@njit(cache=True, nogil=True)
def _put(table: Array, rows: Array, code: Array, counts: Array, rising: Array, sign: int) -> float:
    """Add the counts of one choice, or take them away; return the change of the logarithm of the weight."""
    change = 0.0
    cells, attributes = rows.shape
    for cell in range(cells):
        for value in range(len(code)):
            amount = table[cell * len(code) + value] * sign
            if amount == 0:
                continue
            for at in range(attributes):
                row = rows[cell, at]
                if row >= 0:
                    before = counts[row, code[value]]
                    counts[row, code[value]] = before + amount
                    change += rising[before + amount] - rising[before]
    return change


@njit(cache=True, nogil=True)
def weigh_worlds(
    first: Array,
    tables: Array,
    width: Array,
    ways: Array,
    cell_start: Array,
    rows: Array,
    value_start: Array,
    code: Array,
    counts: Array,
    rising: Array,
) -> Array:
    """Return the share of the weight of all worlds in which each choice of each group was made.

    ``first[g]:first[g + 1]`` are the choices of group g, and choice c holds ``tables[width[c]:width[c + 1]]``. ``ways`` is the
    logarithm of how many assignments of single records a choice stands for. ``rising[c]`` is the logarithm of the rising
    factorial of c. ``counts`` holds what is settled, and does so again at the end.
    """
    groups = len(first) - 1
    total = np.zeros(len(ways))
    chosen = np.full(groups, -1, np.int64)
    weight = np.zeros(groups + 1)
    below = np.zeros(groups)
    highest = -np.inf
    depth = 0
    while depth >= 0:
        mine, here = rows[cell_start[depth] : cell_start[depth + 1]], code[value_start[depth] : value_start[depth + 1]]
        if chosen[depth] >= 0:
            choice = chosen[depth]
            _put(tables[width[choice] : width[choice + 1]], mine, here, counts, rising, whole(-1))
            total[choice] += below[depth]
            if depth > 0:
                below[depth - 1] += below[depth]
            below[depth] = 0.0
            chosen[depth] += 1
        else:
            chosen[depth] = first[depth]
        choice = chosen[depth]
        if choice == first[depth + 1]:
            chosen[depth] = -1
            depth -= 1
            continue
        change = _put(tables[width[choice] : width[choice + 1]], mine, here, counts, rising, whole(1))
        weight[depth + 1] = weight[depth] + ways[choice] + change
        if depth < groups - 1:
            depth += 1
            continue
        if weight[groups] > highest + _ROOM:
            scale = np.exp(highest - weight[groups])
            highest = weight[groups]
            total *= scale
            below *= scale
        below[depth] += np.exp(weight[groups] - highest)
    for group in range(groups):
        inside = total[first[group] : first[group + 1]]
        inside /= inside.sum()
    return total
