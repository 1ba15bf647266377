"""Rows of searches over split values: groups numbered, equal rows put together, and the splits that part nothing.

Rows are distinct combinations with weights. A row belongs to a group ``g`` (the splits that are fixed) and to a ``cell`` inside
it (the splits that may still come).
"""

from __future__ import annotations

import numpy as np

from sfumato.kernels.arrays import Array, Ints
from sfumato.kernels.jit import njit

__all__ = ["distinct_rows", "is_useless", "merged_rows", "numbered", "run_keys", "thin_intervals", "useful_splits"]


@njit(cache=True, nogil=True)
def numbered(keys: Array) -> tuple[Ints, int]:
    """Number equal keys alike, in order of first occurrence; return the numbers and how many there are."""
    slots = 16
    while slots < 2 * len(keys):
        slots *= 2
    mask = slots - 1
    table = np.full(slots, -1, np.int64)
    out = np.empty(len(keys), np.int64)
    held = np.empty(len(keys), np.int64)
    count = 0
    for row in range(len(keys)):
        key = keys[row]
        at = ((key * -7046029254386353131) >> 29) & mask
        while True:
            number = table[at]
            if number < 0:
                table[at] = count
                held[count] = key
                out[row] = count
                count += 1
                break
            if held[number] == key:
                out[row] = number
                break
            at = (at + 1) & mask
    return out, count


@njit(cache=True, nogil=True)
def run_keys(codes: Array, runs: Array, shifts: Array) -> Ints:
    """Return one key per row: the sum over its codes of ``runs[shifts[column] + code]``; ``codes`` is columns x rows."""
    out = np.zeros(codes.shape[1], np.int64)
    for column in range(codes.shape[0]):
        shift = shifts[column]
        for row in range(codes.shape[1]):
            out[row] += runs[shift + codes[column, row]]
    return out


@njit(cache=True, nogil=True)
def distinct_rows(
    block: Array, cell: Array, kind: Array, weight: Array, blocks: int, kinds: int
) -> tuple[Ints, Ints, Ints]:
    """Merge rows of equal block, cell and class; return where each block begins, a row of each kind, and the weights."""
    slots = 16
    while slots < 2 * len(weight):
        slots *= 2
    mask = slots - 1
    table = np.full(slots, -1, np.int64)
    shown = np.empty(len(weight), np.int64)
    total = np.empty(len(weight), np.int64)
    first = np.zeros(blocks + 1, np.int64)
    count = 0
    for row in range(len(weight)):
        key = (cell[row] * blocks + block[row]) * kinds + kind[row]
        at = ((key * -7046029254386353131) >> 29) & mask
        while True:
            number = table[at]
            if number < 0:
                table[at] = count
                shown[count] = row
                total[count] = weight[row]
                first[block[row] + 1] += 1
                count += 1
                break
            other = shown[number]
            if cell[other] == cell[row] and block[other] == block[row] and kind[other] == kind[row]:
                total[number] += weight[row]
                break
            at = (at + 1) & mask
    for index in range(blocks):
        first[index + 1] += first[index]
    place = first.copy()
    out_shown = np.empty(count, np.int64)
    out_total = np.empty(count, np.int64)
    for number in range(count):
        at = place[block[shown[number]]]
        place[block[shown[number]]] += 1
        out_shown[at] = shown[number]
        out_total[at] = total[number]
    return first, out_shown, out_total


@njit(cache=True, nogil=True)
def merged_rows(
    first: Array,
    group: Array,
    kind: Array,
    cell: Array,
    weight: Array,
    groups: int,
    kinds: int,
    codes: Array,
    at: int,
) -> tuple[Ints, Ints, Ints, Ints, Ints]:
    """Merge rows that a chain need not tell apart: same block, group and class, and a cell that is not tracked (-1).

    With ``at >= 0`` every group ``g`` is first parted into ``2g`` and ``2g + 1`` by whether ``codes`` reach ``at``.
    """
    blocks = len(first) - 1
    width = 2 * groups if at >= 0 else groups
    scratch = np.zeros(width * kinds, np.int64)
    touched = np.empty(width * kinds, np.int64)
    rows = len(weight)
    out_first = np.zeros(blocks + 1, np.int64)
    out_group = np.empty(rows, np.int64)
    out_kind = np.empty(rows, np.int64)
    out_cell = np.empty(rows, np.int64)
    out_weight = np.empty(rows, np.int64)
    made = 0
    for block in range(blocks):
        seen = 0
        for row in range(first[block], first[block + 1]):
            g = group[row]
            if at >= 0:
                g = 2 * g + (1 if codes[row] >= at else 0)
            if cell[row] < 0:
                key = g * kinds + kind[row]
                if scratch[key] == 0:
                    touched[seen] = key
                    seen += 1
                scratch[key] += weight[row]
            else:
                out_group[made] = g
                out_kind[made] = kind[row]
                out_cell[made] = cell[row]
                out_weight[made] = weight[row]
                made += 1
        for index in range(seen):
            key = touched[index]
            out_group[made] = key // kinds
            out_kind[made] = key % kinds
            out_cell[made] = -1
            out_weight[made] = scratch[key]
            scratch[key] = 0
            made += 1
        out_first[block + 1] = made
    return out_first, out_group[:made], out_kind[:made], out_cell[:made], out_weight[:made]


@njit(cache=True, nogil=True)
def thin_intervals(first: Array, group: Array, weight: Array, groups: int, k: int, whole: bool, banned: Array) -> None:
    """Ban every interval in which some group has records, but fewer than k; ``whole``: count all blocks for any interval."""
    blocks = len(first) - 1
    size = np.zeros(groups, np.int64)
    for i in range(blocks):
        size[:] = 0
        thin = 0
        if whole:
            for row in range(len(weight)):
                size[group[row]] += weight[row]
            for g in range(groups):
                if 0 < size[g] < k:
                    thin += 1
        for j in range(i, blocks):
            if not whole:
                for row in range(first[j], first[j + 1]):
                    g = group[row]
                    if 0 < size[g] < k:
                        thin -= 1
                    size[g] += weight[row]
                    if size[g] < k:
                        thin += 1
            if thin > 0:
                banned[i, j + 1] = 1


@njit(cache=True, nogil=True)
def is_useless(
    first: Array,
    group: Array,
    weight: Array,
    codes: Array,
    at: int,
    groups: int,
    reach: Array,
    k: int,
    largest: int,
    records: int,
) -> bool:
    """Tell whether a split can be taken away from any good solution at no cost.

    In every group of every interval that may still come, it leaves fewer than k records on one side (which would be left
    out), and joining them again is not dearer. ``largest`` is the most records that a kept group of a good solution may have;
    ``records`` those of the table, or -1 where a record left out costs more than any group can.
    """
    blocks = len(first) - 1
    low = np.zeros((blocks + 1, groups), np.int64)
    high = np.zeros((blocks + 1, groups), np.int64)
    for block in range(blocks):
        for g in range(groups):
            low[block + 1, g] = low[block, g]
            high[block + 1, g] = high[block, g]
        for row in range(first[block], first[block + 1]):
            if codes[row] >= at:
                high[block + 1, group[row]] += weight[row]
            else:
                low[block + 1, group[row]] += weight[row]
    furthest = 0
    for i in range(blocks):
        j = reach[i]
        if j <= furthest:
            continue  # inside an interval that was looked at
        furthest = j
        for g in range(groups):
            left = low[j, g] - low[i, g]
            right = high[j, g] - high[i, g]
            if left == 0 or right == 0:
                continue
            small = min(left, right)
            if small >= k:
                return False
            big = min(max(left, right), largest)
            if records >= 0 and left + right >= k and 2 * big + small > records:
                return False
    return True


@njit(cache=True, nogil=True)
def useful_splits(
    first: Array,
    group: Array,
    weight: Array,
    piece: Array,
    starts: Array,
    groups: int,
    reach: Array,
    k: int,
    largest: int,
    records: int,
) -> Ints:
    """Tell of many splits whether they are of use: 0 where :func:`is_useless` would say so; see there and above."""
    blocks = len(first) - 1
    wide = piece.shape[1]
    pieces = starts[wide]
    below = np.zeros((blocks + 1, groups, pieces), np.int64)
    for block in range(blocks):
        below[block + 1] = below[block]
        for row in range(first[block], first[block + 1]):
            for a in range(wide):
                below[block + 1, group[row], piece[row, a]] += weight[row]
    out = np.zeros(pieces - wide, np.int8)
    furthest = 0
    for i in range(blocks):
        j = reach[i]
        if j <= furthest:
            continue
        furthest = j
        for g in range(groups):
            split = 0
            for a in range(wide):
                whole = 0
                for z in range(starts[a], starts[a + 1]):
                    whole += below[j, g, z] - below[i, g, z]
                left = 0
                for z in range(starts[a], starts[a + 1] - 1):
                    left += below[j, g, z] - below[i, g, z]
                    right = whole - left
                    small = min(left, right)
                    if small >= k:
                        out[split] = 1
                    elif small > 0 and records >= 0 and whole >= k:
                        big = min(max(left, right), largest)
                        if 2 * big + small > records:
                            out[split] = 1
                    split += 1
    return out
