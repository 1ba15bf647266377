"""Sums of squared group sizes, now and one step ahead; ``searches.partition_kernels`` says what the arrays are."""

from __future__ import annotations

import numpy as np

from sfumato.kernels.arrays import Array, Ints
from sfumato.kernels.jit import njit

__all__ = ["squares_ahead", "squares_of_slots"]


@njit(cache=True, nogil=True)
def squares_ahead(
    codes: Array,
    weights: Array,
    order: Array,
    start: Array,
    end: Array,
    shown: Array,
    changed: Array,
    columns: Array,
    live: Array,
    child: Array,
    shift: Array,
    children: Array,
    slot_shift: Array,
    below: Array,
    counters: Array,
    counter_shift: Array,
) -> None:
    """Set ``below[local, group]`` of the changed groups to the sum of squared sizes of the parts each column would make.

    Columns without a candidate in a group are left alone. ``counters`` is zero before and after.
    """
    for t in range(len(changed)):
        g = changed[t]
        for local in range(len(columns)):
            j = columns[local]
            if live[j] == 0:
                continue
            parts = children[slot_shift[j] + shown[local, g]]
            if parts == 0:
                continue
            base = counter_shift[j]
            for i in range(start[g], end[g]):
                row = order[i]
                counters[base + child[shift[j] + codes[row, j]]] += weights[row]
            total = 0
            for c in range(base, base + parts):
                total += counters[c] * counters[c]
                counters[c] = 0
            below[local, g] = total


@njit(cache=True, nogil=True)
def squares_of_slots(shown: Array, size: Array, below: Array, groups: int, slots: int) -> tuple[Ints, Ints]:
    """Return, by slot of one column, the sum of squared sizes of the groups that show it, and of their parts."""
    current = np.zeros(slots, np.int64)
    parts = np.zeros(slots, np.int64)
    for g in range(groups):
        current[shown[g]] += size[g] * size[g]
        parts[shown[g]] += below[g]
    return current, parts
