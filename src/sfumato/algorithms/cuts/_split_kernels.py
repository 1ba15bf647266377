"""Counting for searches over split values: numbering groups, and the cheapest chain of intervals of one column.

Rows are distinct combinations with weights, sorted by the *block* of one column, the free one: blocks are the pieces between
its allowed split points. A row belongs to a group ``g`` (the splits that are fixed) and to a ``cell`` inside it (the splits
that may still come). Whatever splits come, a record ends up in a part of its group that holds its cell.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sfumato.kernels.arrays import Array, Ints
from sfumato.kernels.jit import njit

__all__ = [
    "INFINITE",
    "chains_with_each",
    "cheapest_chain",
    "cheapest_class_chain",
    "distinct_rows",
    "is_useless",
    "merged_rows",
    "numbered",
    "run_keys",
    "thin_intervals",
    "useful_splits",
]

#: Larger than any cost; two of them can be added.
INFINITE = 1 << 61


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
def cheapest_chain(
    first: Array,
    group: Array,
    cell: Array,
    weight: Array,
    groups: int,
    cells: int,
    k: int,
    penalty: int,
    budget: int,
    reach: Array,
    banned: Array,
    after: Array,
    limit: int,
    costs: Array,
    best: Array,
    before: Array,
) -> int:
    """Return the least cost over all ways to cut the blocks into intervals, a lower bound where cells are finer than groups.

    A kept record costs the size of its group, one that is left out ``penalty``. ``costs[i, j]`` becomes the least cost of the
    records in the blocks i to j - 1 as one interval, ``best[j]`` that of the cheapest chain up to j, ``before[j]`` the start
    of its last interval. An interval that starts at i ends at ``reach[i]`` at the latest, and is not allowed where ``banned``
    says so or if more than ``budget`` records would be left out in it alone. Starts whose chain would end at ``limit`` or
    above are skipped; ``after[i]`` is a lower bound of what follows i.
    """
    blocks = len(first) - 1
    size = np.zeros(groups, np.int64)
    inner = np.zeros(groups, np.int64)
    charged = np.zeros(groups, np.int64)
    held = np.zeros(cells, np.int64)
    bans = banned.shape[0] > 0
    best[0] = 0
    for j in range(1, blocks + 1):
        best[j] = INFINITE
    for i in range(blocks):
        for j in range(blocks + 1):
            costs[i, j] = INFINITE
        if best[i] >= INFINITE or best[i] + after[i] >= limit:
            continue
        size[:] = 0
        inner[:] = 0
        charged[:] = 0
        held[:] = 0
        total = 0
        gone = 0
        for j in range(i, reach[i]):
            for row in range(first[j], first[j + 1]):
                g = group[row]
                c = cell[row]
                w = weight[row]
                s = size[g]
                if s < k:
                    gone -= s
                if c < 0:
                    inner[g] += w * k
                else:
                    x = held[c]
                    y = x + w
                    held[c] = y
                    inner[g] += y * max(y, k) - x * max(x, k)
                s += w
                size[g] = s
                if s < k:
                    charge = penalty * s
                    gone += s
                elif s < 2 * k:
                    # Below 2k a group cannot fall into parts without leaving a record out.
                    charge = s * s
                    if budget > 0:
                        charge = min(charge, max(inner[g], penalty + (s - 1) * k))
                else:
                    charge = inner[g]
                total += charge - charged[g]
                charged[g] = charge
            if gone > budget or (bans and banned[i, j + 1] != 0):
                continue
            costs[i, j + 1] = total
            if best[i] + total < best[j + 1]:
                best[j + 1] = best[i] + total
                before[j + 1] = i
    return int(best[blocks])


@njit(cache=True, nogil=True)
def cheapest_class_chain(
    first: Array,
    group: Array,
    kind: Array,
    cell: Array,
    weight: Array,
    groups: int,
    cells: int,
    kinds: int,
    k: int,
    budget: int,
    reach: Array,
    banned: Array,
    after: Array,
    limit: int,
    costs: Array,
    best: Array,
    before: Array,
) -> int:
    """Do what :func:`cheapest_chain` does where a record costs 1 if left out or not of its group's largest class, else 0."""
    blocks = len(first) - 1
    size = np.zeros(groups, np.int64)
    inner = np.zeros(groups, np.int64)
    charged = np.zeros(groups, np.int64)
    top = np.zeros(groups, np.int64)
    of_kind = np.zeros(groups * kinds, np.int64)
    held = np.zeros(cells, np.int64)
    held_top = np.zeros(cells, np.int64)
    held_of_kind = np.zeros(cells * kinds, np.int64)
    bans = banned.shape[0] > 0
    best[0] = 0
    for j in range(1, blocks + 1):
        best[j] = INFINITE
    for i in range(blocks):
        for j in range(blocks + 1):
            costs[i, j] = INFINITE
        if best[i] >= INFINITE or best[i] + after[i] >= limit:
            continue
        size[:] = 0
        inner[:] = 0
        charged[:] = 0
        top[:] = 0
        of_kind[:] = 0
        held[:] = 0
        held_top[:] = 0
        held_of_kind[:] = 0
        total = 0
        gone = 0
        for j in range(i, reach[i]):
            for row in range(first[j], first[j + 1]):
                g = group[row]
                c = cell[row]
                w = weight[row]
                y = kind[row]
                s = size[g]
                if s < k:
                    gone -= s
                of_kind[g * kinds + y] += w
                top[g] = max(top[g], of_kind[g * kinds + y])
                if c >= 0:
                    rest = held[c] - held_top[c]
                    held[c] += w
                    held_of_kind[c * kinds + y] += w
                    held_top[c] = max(held_top[c], held_of_kind[c * kinds + y])
                    inner[g] += held[c] - held_top[c] - rest
                s += w
                size[g] = s
                if s < k:
                    charge = s
                    gone += s
                elif s < 2 * k:
                    charge = s - top[g]
                    if budget > 0:
                        charge = min(charge, max(inner[g], 1))
                else:
                    charge = inner[g]
                total += charge - charged[g]
                charged[g] = charge
            if gone > budget or (bans and banned[i, j + 1] != 0):
                continue
            costs[i, j + 1] = total
            if best[i] + total < best[j + 1]:
                best[j + 1] = best[i] + total
                before[j + 1] = i
    return int(best[blocks])


@njit(cache=True, nogil=True)
def _charge(size: int, inner: int, k: int, penalty: int, keep_all: bool) -> int:
    """Return the least that the records of one group can cost, as in :func:`cheapest_chain`."""
    if size < k:
        return penalty * size
    if size >= 2 * k:
        return inner
    whole = size * size
    return whole if keep_all else min(whole, max(inner, penalty + (size - 1) * k))


@njit(cache=True, nogil=True)
def chains_with_each(
    first: Array,
    group: Array,
    cell: Array,
    weight: Array,
    piece: Array,
    starts: Array,
    groups: int,
    cells: int,
    k: int,
    penalty: int,
    budget: int,
    reach: Array,
    after: Array,
    limit: int,
) -> Any:
    """Return, for each of many splits, what :func:`cheapest_chain` says with that one split put into the head.

    ``piece[row, a]`` is the piece of a row between the splits of the a-th column, numbered over all columns; the pieces of that
    column begin at ``starts[a]``. The splits are listed column by column, between one piece and the next. All chains
    are computed side by side: rows are counted once for all splits, by piece.
    """
    blocks = len(first) - 1
    wide = piece.shape[1]
    pieces = starts[wide]
    splits = pieces - wide
    # Rows whose cell is not tracked are counted together, by block, group and piece.
    bare = np.zeros((blocks, groups, pieces), np.int64)
    bare_size = np.zeros((blocks, groups), np.int64)
    for block in range(blocks):
        for row in range(first[block], first[block + 1]):
            if cell[row] < 0:
                bare_size[block, group[row]] += weight[row]
                for a in range(wide):
                    bare[block, group[row], piece[row, a]] += weight[row]
    size = np.zeros(groups, np.int64)
    inner = np.zeros(groups, np.int64)
    held = np.zeros(cells, np.int64)
    part_size = np.zeros((groups, pieces), np.int64)
    part_inner = np.zeros((groups, pieces), np.int64)
    best = np.full((blocks + 1, splits), INFINITE, np.int64)
    total = np.zeros(splits, np.int64)
    gone = np.zeros(splits, np.int64)
    for split in range(splits):
        best[0, split] = 0
    for i in range(blocks):
        alive = False
        for split in range(splits):
            if best[i, split] < INFINITE and best[i, split] + after[i] < limit:
                alive = True
            else:
                best[i, split] = INFINITE
        if not alive:
            continue
        size[:] = 0
        inner[:] = 0
        held[:] = 0
        part_size[:] = 0
        part_inner[:] = 0
        for j in range(i, reach[i]):
            for g in range(groups):
                if bare_size[j, g] > 0:
                    size[g] += bare_size[j, g]
                    inner[g] += bare_size[j, g] * k
                    for z in range(pieces):
                        part_size[g, z] += bare[j, g, z]
                        part_inner[g, z] += bare[j, g, z] * k
            for row in range(first[j], first[j + 1]):
                c = cell[row]
                if c < 0:
                    continue
                g = group[row]
                w = weight[row]
                x = held[c]
                y = x + w
                held[c] = y
                more = y * max(y, k) - x * max(x, k)
                size[g] += w
                inner[g] += more
                for a in range(wide):
                    part_size[g, piece[row, a]] += w
                    part_inner[g, piece[row, a]] += more
            total[:] = 0
            gone[:] = 0
            for g in range(groups):
                s = size[g]
                if s == 0:
                    continue
                whole = _charge(s, inner[g], k, penalty, budget == 0)
                split = 0
                for a in range(wide):
                    left = 0
                    left_inner = 0
                    for z in range(starts[a], starts[a + 1] - 1):
                        left += part_size[g, z]
                        left_inner += part_inner[g, z]
                        right = s - left
                        if left == 0 or right == 0:
                            total[split] += whole
                            if s < k:
                                gone[split] += s
                        else:
                            total[split] += _charge(left, left_inner, k, penalty, budget == 0)
                            total[split] += _charge(right, inner[g] - left_inner, k, penalty, budget == 0)
                            if left < k:
                                gone[split] += left
                            if right < k:
                                gone[split] += right
                        split += 1
            for split in range(splits):
                if gone[split] <= budget and best[i, split] + total[split] < best[j + 1, split]:
                    best[j + 1, split] = best[i, split] + total[split]
    return best[blocks]


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
