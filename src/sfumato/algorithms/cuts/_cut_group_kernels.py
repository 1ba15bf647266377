"""Grouping rows by what a set of cuts shows of them, leaving small groups out, and pricing what is left.

``codes`` is ``columns x rows``: column by column is five times as fast as row by row. Column ``j`` shows a row as
``slots[shift[j] + codes[j, row]]``. A row is alive until its group is found too small.
"""

from __future__ import annotations

from sfumato.kernels.arrays import Array
from sfumato.kernels.jit import njit

__all__ = ["drop_small", "fold_slots", "lost_detail", "misjudged_records", "number_groups"]


@njit(cache=True, nogil=True)
def fold_slots(codes: Array, slots: Array, shift: Array, columns: Array, strides: Array, key: Array) -> None:
    """Make one number of what some columns show of each row: the sum of slot times stride."""
    key[:] = 0
    for at in range(len(columns)):
        j = columns[at]
        part = slots[shift[j] : shift[j + 1]] * strides[at]
        held = codes[j]
        for row in range(len(key)):
            key[row] += part[held[row]]


@njit(cache=True, nogil=True)
def number_groups(
    codes: Array,
    weights: Array,
    slots: Array,
    shift: Array,
    columns: Array,
    key: Array,
    exact: bool,
    alive: Array,
    table: Array,
    first: Array,
    group: Array,
    size: Array,
) -> int:
    """Number the groups of alive rows that some columns show alike; return how many there are.

    ``key`` tells rows apart; if it is not ``exact`` different slots may have the same key, and rows are compared column by
    column. ``table`` has room for twice the rows, its length a power of two. ``first`` and ``size`` are filled by group,
    ``group`` by row (-1 for a row that is not alive).
    """
    mask = len(table) - 1
    table[:] = -1
    groups = 0
    for row in range(len(key)):
        if not alive[row]:
            group[row] = -1
            continue
        mixed = key[row] * -7046029254386353131  # 2^64 over the golden ratio: neighbours are spread over the table
        place = (mixed ^ (mixed >> 32)) & mask
        while True:
            found = table[place]
            if found < 0:
                table[place] = groups
                first[groups] = row
                size[groups] = weights[row]
                group[row] = groups
                groups += 1
                break
            same = key[first[found]] == key[row]
            if same and not exact:
                for at in range(len(columns)):
                    j = columns[at]
                    if slots[shift[j] + codes[j, row]] != slots[shift[j] + codes[j, first[found]]]:
                        same = False
                        break
            if same:
                size[found] += weights[row]
                group[row] = found
                break
            place = (place + 1) & mask
    return groups


@njit(cache=True, nogil=True)
def drop_small(group: Array, size: Array, least: int, alive: Array, weights: Array) -> int:
    """Let the rows of groups with fewer than ``least`` records die; return how many records they stand for."""
    dropped = 0
    for row in range(len(group)):
        if alive[row] and size[group[row]] < least:
            alive[row] = False
            dropped += weights[row]
    return dropped


@njit(cache=True, nogil=True)
def misjudged_records(classes: Array, alive: Array, group: Array, groups: int, held: Array) -> int:
    """Return how many records of alive rows are not of their group's most frequent class.

    ``classes`` is ``rows x classes``, ``held`` has room for ``groups x classes``.
    """
    width = classes.shape[1]
    held[:groups] = 0
    for row in range(len(group)):
        if alive[row]:
            for c in range(width):
                held[group[row], c] += classes[row, c]
    misjudged = 0
    for g in range(groups):
        largest = 0
        for c in range(width):
            misjudged += held[g, c]
            largest = max(largest, held[g, c])
        misjudged -= largest
    return misjudged


@njit(cache=True, nogil=True)
def lost_detail(codes: Array, weights: Array, loss: Array, shift: Array, alive: Array, by_code: Array) -> float:
    """Return the sum over the cells of alive rows of ``loss[shift[j] + code]``; ``by_code`` is as long as ``loss``."""
    by_code[:] = 0
    for j in range(codes.shape[0]):
        held = codes[j]
        base = shift[j]
        for row in range(len(weights)):
            if alive[row]:
                by_code[base + held[row]] += weights[row]
    total = 0.0
    for at in range(len(loss)):
        total += loss[at] * by_code[at]
    return total
