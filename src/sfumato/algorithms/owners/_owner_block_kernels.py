"""Kernels of blocks around protected records: cells of a lattice node that hold one, their counts, and what leaves them.

Records with equal values are one *group*, and groups leave together. Of all cells of a node only those are counted that hold
the group of a pending seed, so the hash table of a node stays small however large the table is. Arguments that belong
together travel as tuples:

- ``table``: ``codes`` (attributes x groups), ``start``, ``value`` and ``count`` (the sensitive values of group g are the
  entries ``start[g]:start[g + 1]``), ``alive`` (still unclaimed), ``block_of`` (the block that claimed a group)
- ``space``: ``offsets`` (nodes x attributes) into ``parts``, what each code adds to the key of its group at a node; ``slots``
  (nodes x hash places) with the cell in each place or -1; ``keys`` of the cells; ``first``, the cells of node v are
  ``first[v]:first[v + 1]``; ``seed``, a group that lies in each cell; ``exact``, whether different values always have
  different keys. Where the bits of 64 are too few for that, equal keys are compared value by value (``maps``).
- ``tally``: ``counts`` (cells x values), ``sizes``, and ``state``: 1 the frequencies hold, 2 they do not, 0 not looked at
- ``chain``: ``head`` of each cell and ``after`` of each group list the members of the cells of some nodes; ``slot_of`` says in
  which row of ``after`` a node has its list, ``held`` which node a row belongs to, ``turn`` which row is given away next
- ``rule``: ``whole`` (counts of the table), its sum ``n``, the floor of ``th * n * c`` as ``a c + (r c) // q``, whether values
  that are absent from the block count too, and the least size
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sfumato.kernels.jit import njit, whole

__all__ = [
    "accept_blocks",
    "choose_completion",
    "choose_suppression",
    "claim_cell",
    "complete_counts",
    "count_cells",
    "frequency_holds",
    "remove_record",
    "seed_cells",
]

Array = Any

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@njit(cache=True, nogil=True)
def _place(key: Any, places: int) -> Any:
    mixed = np.uint64(key) * _GOLDEN
    return np.int64((mixed ^ (mixed >> np.uint64(32))) & np.uint64(places - 1))


@njit(cache=True, nogil=True)
def _look_up(
    key: Any,
    codes: Array,
    group: int,
    node: int,
    offsets: Array,
    maps: Array,
    slots: Array,
    keys: Array,
    seed: Array,
    exact: bool,
) -> tuple[int, int]:
    """Return the cell of a group at a node, given its key, -1 if no seed lies there; and its place among the slots."""
    at = _place(key, slots.shape[1])
    while True:
        cell = slots[node, at]
        if cell < 0:
            break
        if keys[cell] == key:
            same = True
            if not exact:
                for i in range(len(codes)):
                    start = offsets[node, i]
                    if maps[start + codes[i, group]] != maps[start + codes[i, seed[cell]]]:
                        same = False
                        break
            if same:
                break
        at = (at + 1) & (slots.shape[1] - 1)
    return cell, at


@njit(cache=True, nogil=True)
def _key(codes: Array, group: int, node: int, offsets: Array, parts: Array) -> Any:
    key = np.int64(0)
    for i in range(len(codes)):
        key += parts[offsets[node, i] + codes[i, group]]
    return key


@njit(cache=True, nogil=True)
def seed_cells(
    codes: Array, seeds: Array, offsets: Array, parts: Array, maps: Array, exact: bool, bits: int
) -> tuple[Array, Array, Array, Array, Array]:
    """Return the cell of each seed at each node (nodes x seeds), and ``slots``, ``keys``, ``first``, ``seed`` of the space."""
    nodes = len(offsets)
    slots = np.full((nodes, 1 << bits), -1, np.int32)
    cell = np.empty((nodes, len(seeds)), np.int32)
    first = np.zeros(nodes + 1, np.int64)
    keys = np.empty(nodes * len(seeds), np.int64)
    seed = np.empty(nodes * len(seeds), np.int64)
    count = 0
    for node in range(nodes):
        for number in range(len(seeds)):
            key = _key(codes, seeds[number], node, offsets, parts)
            found, at = _look_up(key, codes, seeds[number], node, offsets, maps, slots, keys, seed, exact)
            if found < 0:
                found = count
                slots[node, at] = found
                keys[found] = key
                seed[found] = seeds[number]
                count += 1
            cell[node, number] = found
        first[node + 1] = count
    return cell, slots, keys[:count].copy(), first, seed[:count].copy()


@njit(cache=True, nogil=True)
def count_cells(table: Array, space: Array, tally: Array) -> None:
    """Add every unclaimed group to the cells that it lies in.

    Nodes come in lexicographic order, so a node shares the keys of its first attributes with the node before it.
    """
    codes, start, value, count, alive, _ = table
    offsets, parts, maps, slots, keys, _, seed, exact = space
    counts, sizes, _ = tally
    width = len(codes)
    living = np.flatnonzero(alive)
    upto = np.zeros((width + 1, len(living)), np.int64)
    for node in range(len(offsets)):
        same = 0
        while node > 0 and same < width and offsets[node, same] == offsets[node - 1, same]:
            same += 1
        for i in range(same, width):
            own = offsets[node, i]
            for at in range(len(living)):
                upto[i + 1, at] = upto[i, at] + parts[own + codes[i, living[at]]]
        for at in range(len(living)):
            group = living[at]
            cell, _ = _look_up(upto[width, at], codes, group, node, offsets, maps, slots, keys, seed, exact)
            if cell >= 0:
                for entry in range(start[group], start[group + 1]):
                    counts[cell, value[entry]] += count[entry]
                    sizes[cell] += count[entry]


@njit(cache=True, nogil=True)
def frequency_holds(counts: Array, size: int, rule: Array) -> bool:
    """Tell whether every share of a block is near enough to that of the table: ``|c_d n - N_d c| <= floor(th n c)``."""
    whole, n, a, r, q, every, least = rule
    if size < least or size == 0:
        return False
    limit = a * size + (r * size) // q
    holds = True
    for d in range(len(whole)):
        if (every or counts[d] > 0) and abs(counts[d] * n - whole[d] * size) > limit:
            holds = False
            break
    return holds


@njit(cache=True, nogil=True)
def accept_blocks(
    seeds: Array,
    cell: Array,
    table: Array,
    space: Array,
    tally: Array,
    chain: Array,
    rule: Array,
    number: int,
) -> Array:
    """Go through the seeds of a round in order; give each the smallest cell whose frequencies hold, and claim it at once.

    Return seed and node of each accepted block; blocks are numbered on from ``number``.
    """
    alive = table[4]
    counts, sizes, state = tally
    accepted = np.empty((len(seeds), 2), np.int64)
    made = 0
    for seed in range(len(seeds)):
        if not alive[seeds[seed]]:
            continue
        best = whole(-1)
        for node in range(len(cell)):
            at = cell[node, seed]
            if state[at] == 0:
                state[at] = 1 if frequency_holds(counts[at], sizes[at], rule) else 2
            if state[at] == 1 and (best < 0 or sizes[at] < sizes[cell[best, seed]]):
                best = node
        if best >= 0:
            claim_cell(best, cell[best, seed], number + made, table, space, tally, chain)
            accepted[made, 0] = seed
            accepted[made, 1] = best
            made += 1
    return accepted[:made].copy()


@njit(cache=True, nogil=True)
def claim_cell(node: int, cell: int, number: int, table: Array, space: Array, tally: Array, chain: Array) -> None:
    """Give all unclaimed groups of a cell to a block, and take them out of every other cell of the round."""
    codes, start, value, count, alive, block_of = table
    offsets, parts, maps, slots, keys, first, seed, exact = space
    counts, sizes, state = tally
    head, after, slot_of, held, turn = chain
    if slot_of[node] < 0:
        row = turn[0]
        turn[0] = (row + 1) % len(held)
        if held[row] >= 0:
            slot_of[held[row]] = -1
        held[row] = node
        slot_of[node] = row
        for at in range(first[node], first[node + 1]):
            head[at] = -1
        for group in range(len(alive)):
            if alive[group]:
                key = _key(codes, group, node, offsets, parts)
                at, _ = _look_up(key, codes, group, node, offsets, maps, slots, keys, seed, exact)
                if at >= 0:
                    after[row, group] = head[at]
                    head[at] = group
    row = slot_of[node]
    group = head[cell]
    while group >= 0:
        if alive[group]:
            alive[group] = 0
            block_of[group] = number
            for other in range(len(offsets)):
                key = _key(codes, group, other, offsets, parts)
                at, _ = _look_up(key, codes, group, other, offsets, maps, slots, keys, seed, exact)
                if at >= 0:
                    state[at] = 0
                    for entry in range(start[group], start[group + 1]):
                        counts[at, value[entry]] -= count[entry]
                        sizes[at] -= count[entry]
        group = after[row, group]


@njit(cache=True, nogil=True)
def remove_record(group: int, d: int, table: Array, space: Array, tally: Array) -> None:
    """Take one record with value ``d`` out of its group and out of all cells of the round."""
    codes, start, value, count, _, _ = table
    offsets, parts, maps, slots, keys, _, seed, exact = space
    counts, sizes, state = tally
    for entry in range(start[group], start[group + 1]):
        if value[entry] == d:
            count[entry] -= 1
    for node in range(len(offsets)):
        key = _key(codes, group, node, offsets, parts)
        at, _ = _look_up(key, codes, group, node, offsets, maps, slots, keys, seed, exact)
        if at >= 0:
            state[at] = 0
            counts[at, d] -= 1
            sizes[at] -= 1


@njit(cache=True, nogil=True)
def choose_suppression(cells: Array, counts: Array, sizes: Array, marked: Array, most: int) -> int:
    """Return the node whose cell is smallest of those where no marked value occurs more than ``most`` times, or -1."""
    best = -1
    for node in range(len(cells)):
        at = cells[node]
        fits = True
        for d in range(len(marked)):
            if marked[d] and counts[at, d] > most:
                fits = False
                break
        if fits and (best < 0 or sizes[at] < sizes[cells[best]]):
            best = node
    return best


@njit(cache=True, nogil=True)
def complete_counts(counts: Array, size: int, least: int, most: int, bounds: Array, table: Array, n: int) -> Array:
    """Return the counts of the smallest block that holds these and whose frequencies hold; empty if none has ``most`` rows.

    A block of N rows has ``L_d <= a_d <= U_d`` with ``L_d = max(counts_d, ceil(N (f_d - th)))`` and ``U_d = floor(N (f_d +
    th))``. It starts from L; each further row goes to the value with the largest ``N f_d - a_d`` below its U, the first of
    equals. ``bounds`` are the rows ``a, r, q`` of the lower and then of the upper limit, each ``a N + r N / q``.
    """
    values = len(table)
    low = np.empty(values, np.int64)
    high = np.empty(values, np.int64)
    final = max(size, least)
    while final <= most:
        fits = True
        least_sum = 0
        most_sum = 0
        for d in range(values):
            low[d] = max(counts[d], bounds[0, d] * final - (-bounds[1, d] * final) // bounds[2, d])
            high[d] = bounds[3, d] * final + (bounds[4, d] * final) // bounds[5, d]
            if low[d] > high[d]:
                fits = False
                break
            least_sum += low[d]
            most_sum += high[d]
        if fits and least_sum <= final <= most_sum:
            for _ in range(final - least_sum):
                best = whole(-1)
                wanted = 0
                for d in range(values):
                    lack = final * table[d] - n * low[d]
                    if low[d] < high[d] and (best < 0 or lack > wanted):
                        best = d
                        wanted = lack
                low[best] += 1
            return low
        final += 1
    return low[:0]


@njit(cache=True, nogil=True)
def choose_completion(
    cells: Array,
    counts: Array,
    sizes: Array,
    marked: Array,
    allowed: Array,
    least: int,
    most: int,
    bounds: Array,
) -> tuple[int, Array]:
    """Return the node whose cell needs the fewest added rows, then has the fewest in all, and its completed counts; or -1.

    A cell may be completed if every marked value that occurs in it is as near to its share in the table as ``allowed``, a
    rule for values that are present, says.
    """
    whole, n, a, r, q, _, _ = allowed
    best = -1
    final = np.empty(0, np.int64)
    for node in range(len(cells)):
        at = cells[node]
        size = sizes[at]
        limit = a * size + (r * size) // q
        fits = True
        for d in range(len(whole)):
            if marked[d] and counts[at, d] > 0 and abs(counts[at, d] * n - whole[d] * size) > limit:
                fits = False
                break
        if not fits:
            continue
        made = complete_counts(counts[at], size, least, most, bounds, whole, n)
        if len(made) == 0:
            continue
        if best >= 0:
            added, known = made.sum() - size, final.sum() - sizes[cells[best]]
            if added > known or (added == known and made.sum() >= final.sum()):
                continue
        best = node
        final = made
    return best, final
