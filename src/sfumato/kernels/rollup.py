"""Kernels of the lattice search: merge groups whose generalized values agree, and count what is left out of them.

A group is known by a key: the codes of its published values, side by side in the bits of one 64-bit word, or of several where
the domains need more. Rolling up replaces the bits of the attributes that climb and collects equal keys in a hash table
that grows with the number of groups found rather than with the number of groups read.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sfumato.kernels.jit import njit, whole

__all__ = [
    "charge_left_out",
    "charge_nodes",
    "merge_counts",
    "merge_groups",
    "merge_packed_groups",
    "merge_to_nodes",
    "merge_wide_groups",
    "pairs_left_out",
    "smallest_below",
]

Array = Any

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_BLOCK = 4096  # keys that climb before the next ones do
_WIDE_BLOCK = 1 << 15  # the same for keys of several words, which make their tables anew each time


@njit(cache=True, nogil=True)
def merge_groups(
    keys: Array, sizes: Array, shifts: Array, masks: Array, offsets: Array, maps: Array
) -> tuple[Array, Array, Array]:
    """Return the merged group of each group, and the key and the size of each merged group.

    Climbing attribute j has its code in the bits ``(key >> shifts[j]) & masks[j]``; ``maps[offsets[j] + code]`` is what it
    becomes. Groups are numbered in the order in which they first occur.
    """
    groups = len(sizes)
    target = np.empty(groups, np.int32)
    room = 1024
    new_keys = np.empty(room, np.int64)
    new_sizes = np.empty(room, np.int64)
    bits = 12
    while bits < 17 and (1 << bits) < 2 * groups:
        bits += 1
    slots = np.full(1 << bits, -1, np.int32)
    mask = (1 << bits) - 1
    count = 0
    begins, reaches, places, steps, alone = _together(shifts, masks, offsets, maps, shifts, True, _window(groups))
    moved = np.empty(min(groups, _BLOCK), np.int64)
    for begin in range(0, groups, _BLOCK):
        # One attribute after the other, then one group after the other: neither waits for the other.
        length = min(groups - begin, _BLOCK)
        for at in range(length):
            moved[at] = keys[begin + at]
        for j in alone:
            shift, reach, offset = shifts[j], masks[j], offsets[j]
            for at in range(length):
                code = (moved[at] >> shift) & reach
                moved[at] += (maps[offset + code] - code) << shift
        for j in range(len(begins)):
            shift, reach, offset = begins[j], reaches[j], places[j]
            for at in range(length):
                moved[at] += steps[offset + ((moved[at] >> shift) & reach)]
        for group in range(begin, begin + length):
            key = moved[group - begin]
            slot = np.int64((np.uint64(key) * _GOLDEN) >> np.uint64(64 - bits))
            entry = slots[slot]
            while entry >= 0 and new_keys[entry] != key:
                slot = (slot + 1) & mask
                entry = slots[slot]
            if entry >= 0:
                new_sizes[entry] += sizes[group]
                target[group] = entry
                continue
            if count == room:
                room *= 2
                new_keys = _grown(new_keys, room)
                new_sizes = _grown(new_sizes, room)
            slots[slot] = count
            new_keys[count] = key
            new_sizes[count] = sizes[group]
            target[group] = count
            count += 1
            if 2 * count > mask:
                bits += 2
                slots = np.full(1 << bits, -1, np.int32)
                mask = (1 << bits) - 1
                for entry in range(count):
                    slot = np.int64((np.uint64(new_keys[entry]) * _GOLDEN) >> np.uint64(64 - bits))
                    while slots[slot] >= 0:
                        slot = (slot + 1) & mask
                    slots[slot] = entry
    return target, new_keys[:count].copy(), new_sizes[:count].copy()


@njit(cache=True, nogil=True)
def _window(groups: int) -> int:
    """Return how many bits of a key to look up at once: a table pays if more groups read it than it has entries."""
    bits = 1
    while bits < 12 and (4 << bits) < groups:
        bits += 1
    return bits


@njit(cache=True, nogil=True)
def _together(
    shifts: Array, masks: Array, offsets: Array, maps: Array, ends_at: Array, replaced: bool, window: int
) -> tuple[Array, Array, Array, Array, Array]:
    """Return tables that let neighbouring attributes climb together, and the attributes that climb alone.

    Attributes come in the order of their bits; those whose bits fit into one window share a table. The bits ``(key >>
    begins[t]) & reaches[t]`` are looked up there from ``places[t]`` on: what to add to a key. What attribute j becomes is put
    at bit ``ends_at[j]``; where it is ``replaced``, its code is taken from where it was.
    """
    count = len(shifts)
    begins, reaches, places = np.empty(count, np.int64), np.empty(count, np.int64), np.empty(count, np.int64)
    alone = np.empty(count, np.int64)
    ends = np.empty(count, np.int64)
    firsts = np.empty(count, np.int64)
    tables = 0
    singles = 0
    room = 0
    j = 0
    while j < count:
        end = j + 1
        while end < count and (masks[end] << (shifts[end] - shifts[j])) >> window == 0:
            end += 1
        if end == j + 1:
            alone[singles] = j
            singles += 1
        else:
            low = shifts[end - 1] - shifts[j]
            begins[tables] = shifts[j]
            reaches[tables] = (masks[end - 1] << low) | ((np.int64(1) << low) - 1)
            places[tables] = room
            firsts[tables], ends[tables] = j, end
            room += reaches[tables] + 1
            tables += 1
        j = end
    steps = np.zeros(room, np.int64)
    for t in range(tables):
        own = steps[places[t] : places[t] + reaches[t] + 1]
        filled = 1
        for j in range(firsts[t], ends[t]):
            low = np.int64(1) << (shifts[j] - begins[t])
            while filled < low:  # the bits between stand for attributes that stay as they are
                own[filled : 2 * filled] = own[:filled]
                filled *= 2
            for code in range(masks[j], -1, -1):
                step = np.int64(0)
                if offsets[j] + code < len(maps):  # not every pattern of bits is a code
                    step = np.int64(maps[offsets[j] + code]) << ends_at[j]
                    if replaced:
                        step -= code << shifts[j]
                place = code * low
                for at in range(low):
                    own[place + at] = own[at] + step
            filled = low * (masks[j] + 1)
    return begins[:tables], reaches[:tables], places[:tables], steps, alone[:singles]


@njit(cache=True, nogil=True)
def merge_wide_groups(
    keys: Array, sizes: Array, words: Array, shifts: Array, masks: Array, offsets: Array, maps: Array
) -> tuple[Array, Array, Array]:
    """Do the same with keys of several words (``words x groups``); ``words[j]`` is the word of climbing attribute j."""
    width, groups = keys.shape
    target = np.empty(groups, np.int32)
    room = 1024
    new_keys = np.empty((room, width), np.int64)
    new_sizes = np.empty(room, np.int64)
    bits = whole(12)
    while bits < 17 and (1 << bits) < 2 * groups:
        bits += 1
    slots = np.full(1 << bits, -1, np.int32)
    mask = (1 << bits) - 1
    count = 0
    moved = np.empty((min(groups, _WIDE_BLOCK), width), np.int64)
    mixed = np.empty(len(moved), np.uint64)
    for begin in range(0, groups, _WIDE_BLOCK):
        length = min(groups - begin, _WIDE_BLOCK)
        mixed[:length] = 0
        for word in range(width):
            _climb_word(keys[word, begin : begin + length], words == word, shifts, masks, offsets, maps, moved[:, word])
            for at in range(length):
                mixed[at] = _mixed(mixed[at], moved[at, word])
        for at in range(length):
            slot = np.int64(mixed[at] >> np.uint64(64 - bits))
            entry = slots[slot]
            while entry >= 0 and not _same(new_keys, entry, moved, at, width):
                slot = (slot + 1) & mask
                entry = slots[slot]
            if entry >= 0:
                new_sizes[entry] += sizes[begin + at]
                target[begin + at] = entry
                continue
            if count == room:
                room *= 2
                new_sizes = _grown(new_sizes, room)
                wider = np.empty((room, width), np.int64)
                wider[:count] = new_keys[:count]
                new_keys = wider
            slots[slot] = count
            for word in range(width):
                new_keys[count, word] = moved[at, word]
            new_sizes[count] = sizes[begin + at]
            target[begin + at] = count
            count += 1
            if 2 * count > mask:
                bits += 2
                slots = np.full(1 << bits, -1, np.int32)
                mask = (1 << bits) - 1
                for entry in range(count):
                    own = np.uint64(0)
                    for word in range(width):
                        own = _mixed(own, new_keys[entry, word])
                    slot = np.int64(own >> np.uint64(64 - bits))
                    while slots[slot] >= 0:
                        slot = (slot + 1) & mask
                    slots[slot] = entry
    return target, new_keys[:count].T.copy(), new_sizes[:count].copy()


@njit(cache=True, nogil=True)
def merge_packed_groups(
    keys: Array,
    sizes: Array,
    low: Array,
    high: Array,
    words: Array,
    shifts: Array,
    masks: Array,
    offsets: Array,
    maps: Array,
    widths: Array,
) -> tuple[Array, Array, Array]:
    """Do the same where few bits tell the values of the node ``high`` apart: together no more than one word has.

    The keys are those of the node ``low``. What attribute i becomes on level b, from level a, begins at ``offsets[i, a, b]`` of
    ``maps``; ``widths[i, b]`` values are shown there. Groups are collected by what is shown alone, in one word.
    """
    groups, depth = len(sizes), len(low)
    shown = np.flatnonzero(np.array([widths[i, high[i]] > 1 for i in range(depth)]))
    ends_at = np.zeros(depth, np.int64)
    places = np.zeros(depth, np.int64)
    used = 0
    for i in shown:
        places[i] = offsets[i, low[i], high[i]]
        ends_at[i] = used
        used += _bits(widths[i, high[i]])
    packed = np.zeros(groups, np.int64)
    for word in range(len(keys)):
        own = shown[words[shown] == word]
        if len(own):
            _pack(keys[word], shifts[own], masks[own], places[own], maps, ends_at[own], packed)
    nothing = np.empty(0, np.int64)
    target, found, new_sizes = merge_groups(packed, sizes, nothing, nothing, nothing, maps)
    new_keys = np.zeros((len(keys), len(found)), np.int64)
    for i in shown:
        reach = (np.int64(1) << _bits(widths[i, high[i]])) - 1
        row, shift, begin = new_keys[words[i]], shifts[i], ends_at[i]
        for group in range(len(found)):
            row[group] |= ((found[group] >> begin) & reach) << shift
    return target, new_keys, new_sizes


@njit(cache=True, nogil=True)
def _bits(values: int) -> int:
    """Return how many bits tell so many values apart."""
    bits = 0
    while (np.int64(1) << bits) < values:
        bits += 1
    return bits


@njit(cache=True, nogil=True)
def _pack(keys: Array, shifts: Array, masks: Array, offsets: Array, maps: Array, ends_at: Array, packed: Array) -> None:
    """Add to ``packed`` what attributes of one word become, each at its own bit."""
    begins, reaches, places, steps, alone = _together(shifts, masks, offsets, maps, ends_at, False, _window(len(keys)))
    for begin in range(0, len(keys), _BLOCK):
        end = min(begin + _BLOCK, len(keys))
        for j in alone:
            shift, reach, offset, to = shifts[j], masks[j], offsets[j], ends_at[j]
            for at in range(begin, end):
                packed[at] += np.int64(maps[offset + ((keys[at] >> shift) & reach)]) << to
        for j in range(len(begins)):
            shift, reach, offset = begins[j], reaches[j], places[j]
            for at in range(begin, end):
                packed[at] += steps[offset + ((keys[at] >> shift) & reach)]


@njit(cache=True, nogil=True)
def _climb_word(
    keys: Array, chosen: Array, shifts: Array, masks: Array, offsets: Array, maps: Array, moved: Array
) -> None:
    """Put into ``moved`` what one word of each key becomes if the ``chosen`` attributes climb."""
    own, masks, offsets = shifts[chosen], masks[chosen], offsets[chosen]
    begins, reaches, places, steps, alone = _together(own, masks, offsets, maps, own, True, _window(len(keys)))
    for at in range(len(keys)):
        moved[at] = keys[at]
    for j in alone:
        shift, reach, offset = own[j], masks[j], offsets[j]
        for at in range(len(keys)):
            code = (moved[at] >> shift) & reach
            moved[at] += (maps[offset + code] - code) << shift
    for j in range(len(begins)):
        shift, reach, offset = begins[j], reaches[j], places[j]
        for at in range(len(keys)):
            moved[at] += steps[offset + ((moved[at] >> shift) & reach)]


@njit(cache=True, nogil=True)
def _mixed(before: np.uint64, word: np.int64) -> np.uint64:
    mixed = (before ^ np.uint64(word)) * _GOLDEN
    return (mixed ^ (mixed >> np.uint64(29))) * _GOLDEN


@njit(cache=True, nogil=True)
def _same(keys: Array, entry: int, others: Array, at: int, width: int) -> bool:
    word = 0
    while word < width and keys[entry, word] == others[at, word]:
        word += 1
    return word == width


@njit(cache=True, nogil=True)
def _grown(array: Array, room: int) -> Array:
    out = np.empty(room, array.dtype)
    out[: len(array)] = array
    return out


@njit(cache=True, nogil=True)
def charge_left_out(
    keys: Array,
    sizes: Array,
    violating: Array,
    lasting: Array,
    words: Array,
    shifts: Array,
    masks: Array,
    node: Array,
    all_widths: Array,
    extra: Array,
    totals: Array,
    all_places: Array,
    cheapest: Array,
    cheapest_at: Array,
    costs: Array,
    bits: Array,
    lines: Array,
    lasting_bits: Array,
    charged: bool,
    measured: bool,
) -> tuple[int, int, int, float, float]:
    """Count what violating groups leave out, and charge it by the value that each attribute publishes of them.

    ``keys`` are ``words x groups``. At its level in ``node`` attribute i shows ``widths[i]`` values, of which ``extra`` and
    ``totals`` speak from ``places[i]`` on. A left-out record of value v costs ``extra[places[i] + v]``, and
    ``totals[places[i] + v]`` records have that value; the sums go to ``costs``. The entropy of the values left out, ``sum of
    a log2(S / a)``, goes to ``bits``. Counts by value come first and are charged in order of the values, so the result does
    not depend on the order of the groups.

    Of group g every node below leaves out ``lasting[g]`` records, or all of the violating ones if ``lasting`` is empty. At
    level l such a record of value v costs ``cheapest[cheapest_at[i, l, node[i]] + v]`` at least; the sums go to
    ``lines[i, l]``, the entropy at this level to ``lasting_bits``. Without ``charged`` nothing is counted by value, without
    ``measured`` no entropy. Return how many records are left out, how many of them everywhere below, how many groups are kept,
    the sum of their squared sizes, and that of all groups.
    """
    attributes = len(shifts)
    starts = np.zeros(attributes + 1, np.int64)
    for i in range(attributes):
        starts[i + 1] = starts[i] + all_widths[i, node[i]]
    records = 0
    kept = 0
    kept_squares = 0.0
    all_squares = 0.0
    for group in range(len(sizes)):
        size = sizes[group]
        square = float(size) * float(size)
        all_squares += square
        if violating[group]:
            records += size
        else:
            kept += 1
            kept_squares += square
    staying = records
    if len(lasting):
        staying = lasting.sum()
    costs[:] = 0.0
    bits[:] = 0.0
    lines[:] = 0.0
    lasting_bits[:] = 0.0
    if not charged:
        return records, staying, kept, kept_squares, all_squares
    counted = np.zeros(starts[attributes], sizes.dtype)
    if records > 0:
        # Count the side that has fewer groups; the other one is what remains of the table.
        fewer = 2 * kept > len(sizes)
        for group in range(len(sizes)):
            if violating[group] == fewer:
                for i in range(attributes):
                    counted[starts[i] + ((keys[words[i], group] >> shifts[i]) & masks[i])] += sizes[group]
        for i in range(attributes):
            place = all_places[i, node[i]]
            for value in range(starts[i + 1] - starts[i]):
                count = counted[starts[i] + value]
                if not fewer:
                    count = totals[place + value] - count
                    counted[starts[i] + value] = count
                if count > 0:
                    costs[i] += count * extra[place + value]
                    if measured:
                        bits[i] += count * np.log2(records / count)
    if len(lasting):
        some = 0
        short = 0
        for group in range(len(sizes)):
            some += lasting[group] > 0
            short += lasting[group] < sizes[group]
        fewer = some < short
        counted[:] = 0
        for group in range(len(sizes)):
            count = lasting[group] if fewer else sizes[group] - lasting[group]
            if count > 0:
                for i in range(attributes):
                    counted[starts[i] + ((keys[words[i], group] >> shifts[i]) & masks[i])] += count
        if not fewer:
            for i in range(attributes):
                place = all_places[i, node[i]]
                for value in range(starts[i + 1] - starts[i]):
                    counted[starts[i] + value] = totals[place + value] - counted[starts[i] + value]
    if staying == 0:
        return records, staying, kept, kept_squares, all_squares
    for i in range(attributes):
        for value in range(starts[i + 1] - starts[i]):
            count = counted[starts[i] + value]
            if count > 0:
                if measured:
                    lasting_bits[i] += count * np.log2(staying / count)
                for level in range(node[i] + 1):
                    lines[i, level] += count * cheapest[cheapest_at[i, level, node[i]] + value]
    return records, staying, kept, kept_squares, all_squares


@njit(cache=True, nogil=True)
def charge_nodes(
    starts: Array,
    keys: Array,
    sizes: Array,
    violating: Array,
    lasting: Array,
    words: Array,
    shifts: Array,
    masks: Array,
    nodes: Array,
    all_widths: Array,
    extra: Array,
    totals: Array,
    all_places: Array,
    cheapest: Array,
    cheapest_at: Array,
    costs: Array,
    bits: Array,
    lines: Array,
    lasting_bits: Array,
    measured: bool,
) -> tuple[Array, Array]:
    """Charge several nodes as :func:`charge_left_out` does one; the groups of node n are those from ``starts[n]`` on.

    Keys are of one word, ``shifts`` and ``masks`` are those of each node. Return records left out, those left out below, and
    groups kept by node; and both sums of squares.
    """
    whole = np.empty((len(nodes), 3), np.int64)
    squares = np.empty((len(nodes), 2), np.float64)
    for at in range(len(nodes)):
        begin, end = starts[at], starts[at + 1]
        records, lasts, kept, kept_squares, all_squares = charge_left_out(
            keys[begin:end].reshape((1, end - begin)),
            sizes[begin:end],
            violating[begin:end],
            lasting[begin:end],
            words,
            shifts[at],
            masks[at],
            nodes[at],
            all_widths,
            extra,
            totals,
            all_places,
            cheapest,
            cheapest_at,
            costs[at],
            bits[at],
            lines[at],
            lasting_bits[at],
            True,
            measured,
        )
        whole[at, 0], whole[at, 1], whole[at, 2] = records, lasts, kept
        squares[at, 0], squares[at, 1] = kept_squares, all_squares
    return whole, squares


@njit(cache=True, nogil=True)
def pairs_left_out(
    keys: Array,
    sizes: Array,
    words: Array,
    shifts: Array,
    masks: Array,
    widths: Array,
    shape: Array,
    maps: Array,
    offsets: Array,
    least: int,
    most: int,
) -> Array:
    """Return for two attributes and a level of each how many records are in groups of fewer than ``least``.

    The entry ``[i, a, j, b]`` is for attributes i < j at levels a and b, with all others masked. Cells are counted in a table;
    of pairs that would need more than ``most`` of them the finest levels are not counted and stay 0.
    """
    depth, deepest, groups = len(shape), widths.shape[1], len(sizes)
    out = np.zeros((depth, deepest, depth, deepest), np.int64)
    codes = np.empty((depth, groups), np.int32)
    for i in range(depth):
        for group in range(groups):
            codes[i, group] = (keys[words[i], group] >> shifts[i]) & masks[i]
    for i in range(depth):
        for j in range(i + 1, depth):
            low_i, low_j = 0, 0
            while widths[i, low_i] * widths[j, low_j] > most:
                if low_j == shape[j] - 1 or (low_i < shape[i] - 1 and widths[i, low_i] > widths[j, low_j]):
                    low_i += 1
                else:
                    low_j += 1
            cells = np.zeros((widths[j, low_j], widths[i, low_i]), np.int64)
            at_i, at_j = offsets[i, 0, low_i], offsets[j, 0, low_j]
            if low_i == 0 and low_j == 0:
                for group in range(groups):
                    cells[codes[j, group], codes[i, group]] += sizes[group]
            else:
                for group in range(groups):
                    cells[maps[at_j + codes[j, group]], maps[at_i + codes[i, group]]] += sizes[group]
            for b in range(low_j, shape[j]):
                if b > low_j:
                    cells = _climbed(cells, maps, offsets[j, b - 1, b], widths[j, b])
                rows = cells.T.copy()
                for a in range(low_i, shape[i]):
                    if a > low_i:
                        rows = _climbed(rows, maps, offsets[i, a - 1, a], widths[i, a])
                    gone = 0
                    for row in range(rows.shape[0]):
                        for column in range(rows.shape[1]):
                            if rows[row, column] < least:
                                gone += rows[row, column]
                    out[i, a, j, b] = gone
    return out


@njit(cache=True, nogil=True)
def _climbed(cells: Array, maps: Array, offset: int, width: int) -> Array:
    """Return a table of counts whose rows have gone up to ``maps[offset + row]``."""
    out = np.zeros((width, cells.shape[1]), np.int64)
    for row in range(cells.shape[0]):
        for column in range(cells.shape[1]):
            out[maps[offset + row], column] += cells[row, column]
    return out


@njit(cache=True, nogil=True)
def merge_counts(target: Array, groups: int, counts: Array) -> Array:
    """Return the histograms (``groups x values``) of merged groups, from those of their members."""
    members, width = counts.shape
    out = np.zeros((groups, width), np.int32)
    for member in range(members):
        group = target[member]
        for value in range(width):
            out[group, value] += counts[member, value]
    return out


@njit(cache=True, nogil=True)
def merge_to_nodes(
    keys: Array,
    sizes: Array,
    counts: Array,
    low: Array,
    nodes: Array,
    shifts: Array,
    masks: Array,
    offsets: Array,
    maps: Array,
    widths: Array,
    least: int,
    slots: Array,
    scratch: Array,
    starts: Array,
    firsts: Array,
    all_shifts: Array,
    all_masks: Array,
    all_keys: Array,
    all_sizes: Array,
    large: Array,
    all_counts: Array,
) -> None:
    """Merge the groups of a node ``low`` at several ``nodes`` above it, and the histograms of groups of ``least`` or more.

    What attribute i becomes on level b, from level a, begins at ``offsets[i, a, b]`` of ``maps``; ``widths[i, b]`` values are
    shown there. The groups of the first node are written from ``starts[0]`` on, and where those of each next one begin is
    written to ``starts``; so it is with ``firsts`` and the places of ``large`` groups, whose histograms are in ``all_counts``.
    New keys have no more bits than node n needs: the code of attribute i is ``(key >> all_shifts[n, i]) & all_masks[n, i]``.

    ``slots`` is -1 everywhere, before and after; it has a power of two of them, at least twice as many as groups. ``scratch``
    is ``3 x groups``. A table that is kept and has few bits is read in place of a hash table, and nothing else is cleared.
    """
    groups, width = counts.shape
    packed, target, rank = scratch[0, :groups], scratch[1, :groups], scratch[2, :groups]
    room = _bits(len(slots))
    for at in range(len(nodes)):
        node, begin, ends_at = nodes[at], starts[at], all_shifts[at]
        shown = np.flatnonzero(np.array([widths[i, node[i]] > 1 for i in range(len(node))]))
        places = np.empty(len(shown), np.int64)
        used = 0
        ends_at[:] = 0
        all_masks[at] = 0
        for j in range(len(shown)):
            i = shown[j]
            bits = _bits(widths[i, node[i]])
            places[j] = offsets[i, low[i], node[i]]
            ends_at[i], all_masks[at, i] = used, (np.int64(1) << bits) - 1
            used += bits
        packed[:] = 0
        _pack(keys, shifts[shown], masks[shown], places, maps, ends_at[shown], packed)
        new_keys, new_sizes = all_keys[begin:], all_sizes[begin:]
        if used <= room:
            count = _collect_in_place(packed, sizes, slots, target, new_keys, new_sizes)
        else:
            count = _collect(packed, sizes, slots, room, target, rank, new_keys, new_sizes)
        starts[at + 1] = begin + count
        last = firsts[at]
        for group in range(count):
            rank[group] = -1
            if new_sizes[group] >= least:
                rank[group] = last
                large[last] = begin + group
                last += 1
        all_counts[firsts[at] : last] = 0
        firsts[at + 1] = last
        for member in range(groups):
            row = rank[target[member]]
            if row >= 0:
                for value in range(width):
                    all_counts[row, value] += counts[member, value]


@njit(cache=True, nogil=True)
def _collect_in_place(keys: Array, sizes: Array, slots: Array, target: Array, new_keys: Array, new_sizes: Array) -> int:
    """Collect equal keys, each of which is a slot; return how many there are."""
    count = 0
    for member in range(len(keys)):
        key = keys[member]
        entry = np.int64(slots[key])
        if entry < 0:
            entry = np.int64(count)
            slots[key] = entry
            new_keys[entry] = key
            new_sizes[entry] = 0
            count += 1
        new_sizes[entry] += sizes[member]
        target[member] = entry
    for place in range(count):
        slots[new_keys[place]] = -1
    return count


@njit(cache=True, nogil=True)
def _collect(
    keys: Array, sizes: Array, slots: Array, bits: int, target: Array, taken: Array, new_keys: Array, new_sizes: Array
) -> int:
    """Collect equal keys in a hash table of so many bits; which slots are taken is written on the way."""
    mask = len(slots) - 1
    count = 0
    for member in range(len(keys)):
        key = keys[member]
        slot = np.int64((np.uint64(key) * _GOLDEN) >> np.uint64(64 - bits))
        entry = np.int64(slots[slot])
        while entry >= 0 and new_keys[entry] != key:
            slot = (slot + 1) & mask
            entry = np.int64(slots[slot])
        if entry < 0:
            entry = np.int64(count)
            slots[slot] = entry
            taken[entry] = slot
            new_keys[entry] = key
            new_sizes[entry] = 0
            count += 1
        new_sizes[entry] += sizes[member]
        target[member] = entry
    for place in range(count):
        slots[taken[place]] = -1
    return count


@njit(cache=True, nogil=True)
def smallest_below(levels: Array, lengths: Array, count: int, node: Array) -> int:
    """Return the row of the shortest table among ``levels[:count]`` that lies at or below a node, -1 if there is none."""
    best = -1
    for row in range(count):
        if best >= 0 and lengths[row] >= lengths[best]:
            continue
        fits = True
        for i in range(len(node)):
            if levels[row, i] > node[i]:
                fits = False
                break
        if fits:
            best = row
    return best
