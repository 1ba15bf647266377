"""Rows of codes as single integers: the codes of a row are laid side by side in 62 bits, first column highest.

Sorting the integers sorts the rows; equal rows become neighbours. Where the bits run out, the part packed so far is replaced
by its rank, which keeps the order and needs no more bits than there are rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from sfumato.kernels.arrays import Bools, Codes, Ints

__all__ = ["counted_keys", "distinct_rows"]

_BITS = 62
_COUNTED = 20


def distinct_rows(codes: Iterable[Codes], sizes: Sequence[int], rows: int) -> tuple[list[Codes], Ints]:
    """Return the distinct rows in order, column by column, and how often each occurs.

    ``codes`` are columns of numbers from 0 to ``sizes - 1``; each is looked at once, in turn.
    """
    key = np.zeros(rows, np.int64)
    used = 0
    layout: list[tuple[int, int]] = []  # (column, bits) in the order packed
    ranked: list[tuple[Ints, list[tuple[int, int]]]] = []  # parts that were replaced by their rank
    for column, (code, size) in enumerate(zip(codes, sizes, strict=True)):
        bits = max(size - 1, 0).bit_length()
        if used + bits > _BITS:
            keys, key = _ranked(key)
            ranked.append((keys, layout))
            layout, used = [], max(len(keys) - 1, 0).bit_length()
        key <<= bits
        key |= code
        used += bits
        layout = [*layout, (column, bits)]
    keys, weights = counted_keys(key, used)
    del key
    out: list[Codes] = [np.empty(0, np.int32)] * len(sizes)
    while True:
        for column, bits in reversed(layout):
            out[column] = (keys & ((1 << bits) - 1)).astype(np.int32)
            keys >>= bits
        if not ranked:
            return out, weights
        below, layout = ranked.pop()
        keys = below[keys]


def _ranked(key: Ints) -> tuple[Ints, Ints]:
    """Return the distinct keys in order, and the rank of each row's key among them."""
    order = np.argsort(key)
    ordered = key[order]
    fresh = _fresh(ordered)
    rank = np.empty(len(key), np.int64)
    rank[order] = np.cumsum(fresh) - 1
    return ordered[fresh], rank


def counted_keys(key: Ints, bits: int) -> tuple[Ints, Ints]:
    """Return the distinct keys in order, with their counts; the keys are sorted where they are."""
    if bits <= _COUNTED:
        counts = np.bincount(key, minlength=1)
        keys = np.flatnonzero(counts)
        return keys.astype(np.int64), counts[keys].astype(np.int64)
    key.sort()
    fresh = _fresh(key)
    if fresh.all():
        return key, np.ones(len(key), np.int64)
    first = np.flatnonzero(fresh)
    counts = np.full(len(first), len(key), np.int64)
    counts[:-1] = first[1:]
    counts -= first
    return key if len(first) == len(key) else key[first], counts


def _fresh(ordered: Ints) -> Bools:
    """Tell where a sorted array has a value for the first time."""
    fresh = np.ones(len(ordered), bool)
    np.not_equal(ordered[1:], ordered[:-1], out=fresh[1:])
    return fresh
