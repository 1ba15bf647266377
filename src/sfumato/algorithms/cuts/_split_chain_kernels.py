"""The cheapest chain of intervals of one column, for searches over split values.

Rows are distinct combinations with weights, sorted by the *block* of one column, the free one: blocks are the pieces between
its allowed split points. A row belongs to a group ``g`` (the splits that are fixed) and to a ``cell`` inside it (the splits
that may still come). Whatever splits come, a record ends up in a part of its group that holds its cell.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sfumato.kernels.arrays import Array
from sfumato.kernels.jit import njit

__all__ = ["INFINITE", "chains_with_each", "cheapest_chain", "cheapest_class_chain"]

#: Larger than any cost; two of them can be added.
INFINITE = 1 << 61


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
