"""Counting combinations of published values: how many records fit each, and how sure a conclusion from one would be.

``digits[row, column]`` numbers the value that a row shows in a column. ``rows`` are the rows of the value that a step would
refine, and ``heads[i]`` says for each of them which part it would go to and which protected value it holds: ``part * secrets +
secret``, with secret 0 for all values that nobody protects. A combination is a part and one digit for each column of a set.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sfumato.kernels.arrays import Array
from sfumato.kernels.jit import njit, whole

__all__ = ["first_refuted", "head_rows", "part_rows", "plan_blocks", "smallest_cells"]

FloatArray = Array

FAR = 1 << 62


@njit(cache=True, nogil=True)
def head_rows(codes: Array, rows: Array, column: int, part: Array, secret: Array, secrets: int, heads: Array) -> None:
    """Fill ``heads``; ``part[code]`` is the part that a code of the column goes to."""
    for i in range(len(rows)):
        row = rows[i]
        heads[i] = part[codes[row, column]] * secrets + secret[row]


@njit(cache=True, nogil=True)
def part_rows(
    codes: Array,
    digits: Array,
    rows: Array,
    column: int,
    part: Array,
    fresh: int,
    ends: Array,
    buffer: Array,
) -> None:
    """Order the rows of a refined value part by part, keeping their order, and give all parts but the first new digits.

    New digits start at ``fresh``. Afterwards ``ends[part]`` is where the rows of a part end.
    """
    ends[:] = 0
    for i in range(len(rows)):
        ends[part[codes[rows[i], column]]] += 1
    at = 0
    for p in range(len(ends)):
        held = ends[p]
        ends[p] = at
        at += held
    for i in range(len(rows)):
        row = rows[i]
        p = part[codes[row, column]]
        buffer[ends[p]] = row
        ends[p] += 1
        if p > 0:
            digits[row, column] = fresh + p - 1
    rows[:] = buffer[: len(rows)]


@njit(cache=True, nogil=True)
def plan_blocks(sets: Array, widths: Array, heads: int, limit: int, block_of: Array, blocks: Array) -> int:
    """Gather column sets in blocks of columns whose combinations number at most ``limit``; return how many blocks.

    ``sets`` are bit masks over the columns. Each is given to one block that contains it (``block_of``); ``blocks`` holds the
    masks. A block starts from the first set without one and takes in, as long as the limit allows, the column that lets it
    answer for most further sets.
    """
    columns = len(widths)
    block_of[:] = -1
    count = 0
    for first in range(len(sets)):
        if block_of[first] >= 0:
            continue
        block = sets[first]
        cells = heads
        for j in range(columns):
            if (block >> j) & 1:
                cells = min(cells * widths[j], limit + 1)
        while True:
            best, most = -1, 0
            for j in range(columns):
                if (block >> j) & 1 or cells * widths[j] > limit:
                    continue
                rest = ~(block | (np.int64(1) << j))
                more = 0
                for s in range(first, len(sets)):
                    if block_of[s] < 0 and (sets[s] >> j) & 1 and sets[s] & rest == 0:
                        more += 1
                if more > most or (more == most and best >= 0 and widths[j] < widths[best]):
                    best, most = j, more
            if best < 0:
                break
            block |= np.int64(1) << best
            cells *= widths[best]
        rest = ~block
        for s in range(first, len(sets)):
            if block_of[s] < 0 and sets[s] & rest == 0:
                block_of[s] = count
        blocks[count] = block
        count += 1
    return count


@njit(cache=True, nogil=True)
def _count(
    rows: Array,
    heads: Array,
    digits: Array,
    weights: Array,
    chosen: Array,
    strides: Array,
    counts: Array,
) -> None:
    """Add the weight of every row to its combination; the usual lengths of a set are written out for speed."""
    if len(chosen) == 1:
        a, s = chosen[0], strides[0]
        for i in range(len(rows)):
            row = rows[i]
            counts[heads[i] + s * digits[row, a]] += weights[row]
    elif len(chosen) == 2:
        a, b, s, t = chosen[0], chosen[1], strides[0], strides[1]
        for i in range(len(rows)):
            row = rows[i]
            counts[heads[i] + s * digits[row, a] + t * digits[row, b]] += weights[row]
    elif len(chosen) == 3:
        a, b, c, s, t, u = chosen[0], chosen[1], chosen[2], strides[0], strides[1], strides[2]
        for i in range(len(rows)):
            row = rows[i]
            counts[heads[i] + s * digits[row, a] + t * digits[row, b] + u * digits[row, c]] += weights[row]
    else:
        for i in range(len(rows)):
            row = rows[i]
            key = np.int64(heads[i])
            for j in range(len(chosen)):
                key += strides[j] * digits[row, chosen[j]]
            counts[key] += weights[row]


@njit(cache=True, nogil=True)
def _judge(counts: Array, cells: int, secrets: int) -> tuple[int, float]:
    """Return the smallest combination and the largest confidence, and set the counts back to zero."""
    smallest = FAR
    surest = 0.0
    for cell in range(0, cells, secrets):
        size = counts[cell]
        most = 0
        counts[cell] = 0
        for s in range(cell + 1, cell + secrets):
            held = counts[s]
            size += held
            counts[s] = 0
            if held > most:
                most = held
        if size == 0:
            continue
        if size < smallest:
            smallest = size
        if most > 0 and most / size > surest:
            surest = most / size
    return smallest, surest


@njit(cache=True, nogil=True)
def _judge_hashed(
    rows: Array, heads: Array, digits: Array, weights: Array, chosen: Array, secrets: int
) -> tuple[int, float]:
    """Do what counting and judging do where the combinations are too many for a table of all of them."""
    room = 4
    while room < 2 * len(rows):
        room *= 2
    places = np.full(room, -1, np.int64)
    first = np.empty(len(rows), np.int64)
    sizes = np.zeros(len(rows), np.int64)
    pairs = np.full(room, -1, np.int64)
    held = np.zeros(room, np.int64)
    cells = 0
    mask = np.uint64(room - 1)
    turn = np.uint64(0x9E3779B97F4A7C15)
    for i in range(len(rows)):
        row = rows[i]
        part = heads[i] // secrets
        mixed = np.uint64(part + 1) * turn
        for j in range(len(chosen)):
            mixed = (mixed ^ (mixed >> np.uint64(29))) * turn + np.uint64(digits[row, chosen[j]])
        place: Any = np.int64((mixed ^ (mixed >> np.uint64(32))) & mask)
        while places[place] >= 0:
            known = first[places[place]]
            same = heads[known] // secrets == part
            for j in range(len(chosen)):
                if digits[rows[known], chosen[j]] != digits[row, chosen[j]]:
                    same = False
                    break
            if same:
                break
            place = (place + 1) & (room - 1)
        if places[place] < 0:
            places[place] = cells
            first[cells] = i
            cells += 1
        cell = places[place]
        sizes[cell] += weights[row]
        secret = heads[i] - part * secrets
        if secret > 0:
            key = cell * secrets + secret
            mixed = np.uint64(key) * turn
            place = np.int64((mixed ^ (mixed >> np.uint64(32))) & mask)
            while pairs[place] >= 0 and pairs[place] != key:
                place = (place + 1) & (room - 1)
            pairs[place] = key
            held[place] += weights[row]
    smallest = FAR
    for cell in range(cells):
        if sizes[cell] < smallest:
            smallest = sizes[cell]
    surest = 0.0
    for place in range(room):
        if pairs[place] >= 0:
            share = held[place] / sizes[pairs[place] // secrets]
            if share > surest:
                surest = share
    return smallest, surest


@njit(cache=True, nogil=True)
def _cells(widths: Array, chosen: Array, heads: int, strides: Array, limit: int) -> int:
    """Fill the strides of a set and return the number of its combinations, or -1 if there are more than the limit."""
    if heads > limit:
        return -1
    cells = heads
    for j in range(len(chosen)):
        strides[j] = cells
        if cells > limit // widths[chosen[j]]:
            return -1
        cells *= widths[chosen[j]]
    return cells


@njit(cache=True, nogil=True)
def _judge_set(
    rows: Array,
    heads: Array,
    digits: Array,
    weights: Array,
    chosen: Array,
    widths: Array,
    all_heads: int,
    secrets: int,
    counts: Array,
    strides: Array,
) -> tuple[int, float]:
    # A table of all combinations is worth its while unless hardly any of them can occur.
    cells = _cells(widths, chosen, all_heads, strides, min(len(counts), 16 * len(rows) + 4096))
    if cells < 0:
        smallest, surest = _judge_hashed(rows, heads, digits, weights, chosen, secrets)
    else:
        _count(rows, heads, digits, weights, chosen, strides[: len(chosen)], counts)
        smallest, surest = _judge(counts, cells, secrets)
    return smallest, surest


@njit(cache=True, nogil=True)
def _merged(
    counts: Array, cells: int, heads: int, chosen: Array, widths: Array, digits: Array
) -> tuple[Array, Array, Array]:
    """Return heads, digits and weights of the combinations that occur, and set the counts back to zero.

    The made digits have the shape of ``digits``; only the chosen columns are filled.
    """
    found = 0
    for cell in range(cells):
        if counts[cell] != 0:
            found += 1
    made_heads = np.empty(found, np.int32)
    made_digits = np.empty((found, digits.shape[1]), digits.dtype)
    made_weights = np.empty(found, counts.dtype)
    digit = np.zeros(len(chosen), np.int64)
    at = 0
    for base in range(0, cells, heads):
        for h in range(heads):
            weight = counts[base + h]
            if weight != 0:
                made_heads[at] = h
                made_weights[at] = weight
                for j in range(len(chosen)):
                    made_digits[at, chosen[j]] = digit[j]
                counts[base + h] = 0
                at += 1
        for j in range(len(chosen)):
            digit[j] += 1
            if digit[j] < widths[chosen[j]]:
                break
            digit[j] = 0
    return made_heads, made_digits, made_weights


@njit(cache=True, nogil=True)
def first_refuted(
    rows: Array,
    heads: Array,
    digits: Array,
    weights: Array,
    sets: Array,
    starts: Array,
    blocks: Array,
    lengths: Array,
    widths: Array,
    all_heads: int,
    secrets: int,
    least: int,
    most: float,
    counts: Array,
    found: FloatArray,
) -> int:
    """Return the first column set with a combination of fewer than ``least`` records or a confidence above ``most``, or -1.

    ``sets`` (sets x columns in each) stand block by block, those of block ``b`` at ``starts[b]:starts[b + 1]``; its columns are
    ``blocks[b, :lengths[b]]``. Rows are first merged on the columns of a block if that serves several sets. ``found`` gets the
    smallest combination and the largest confidence seen; ``counts`` is zero before and after.
    """
    strides = np.empty(64, np.int64)
    smallest, surest = np.int64(FAR), 0.0
    numbers = np.empty(0, np.int32)
    for b in range(len(lengths)):
        block = blocks[b, : lengths[b]]
        answers = starts[b + 1] - starts[b]
        cells = -1
        if answers > 1:
            cells = _cells(widths, block, all_heads, strides, len(counts))
        if cells >= 0:
            _count(rows, heads, digits, weights, block, strides[: lengths[b]], counts)
            made_heads, made_digits, made_weights = _merged(counts, cells, all_heads, block, widths, digits)
            if len(numbers) < len(made_heads):
                numbers = np.arange(len(made_heads)).astype(np.int32)
        for s in range(starts[b], starts[b + 1]):
            if cells >= 0:
                size, share = _judge_set(
                    numbers[: len(made_heads)], made_heads, made_digits, made_weights, sets[s], widths, all_heads,
                    secrets, counts, strides,
                )  # fmt: skip
            else:
                size, share = _judge_set(
                    rows, heads, digits, weights, sets[s], widths, all_heads, secrets, counts, strides
                )
            smallest = min(smallest, np.int64(size))
            surest = max(surest, share)
            found[0], found[1] = smallest, surest
            if size < least or share > most:
                return s
    return -1


@njit(cache=True, nogil=True)
def smallest_cells(
    rows: Array,
    heads: Array,
    digits: Array,
    weights: Array,
    sets: Array,
    widths: Array,
    all_heads: int,
    counts: Array,
    smallest: Array,
) -> None:
    """Fill ``smallest`` with the smallest combination on each column set; heads carry no protected values."""
    strides = np.empty(64, np.int64)
    for s in range(len(sets)):
        smallest[s], _ = _judge_set(rows, heads, digits, weights, sets[s], widths, all_heads, whole(1), counts, strides)
