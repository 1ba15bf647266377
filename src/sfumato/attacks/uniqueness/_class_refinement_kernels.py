"""Splitting classes of alike rows by one more column: which rows end up alone, and which still share their class.

Rows are numbered. ``rows`` lists those that share a class with another row, class by class: class ``c`` is
``rows[starts[c]:starts[c + 1]]``. A row that is alone once stays alone whatever column comes next, so it is told and dropped.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sfumato.kernels.jit import njit

__all__ = ["alike_pairs", "mark", "marked", "split_classes"]

IntArray = Any
ByteArray = Any


@njit(cache=True, nogil=True)
def split_classes(
    rows: IntArray, starts: IntArray, column: IntArray, width: int, keep: bool
) -> tuple[IntArray, IntArray, IntArray]:
    """Split all classes by a column of codes below ``width``; return the shared rows, their starts, and the rows alone.

    Rows with a negative code are dropped. Rows keep their order inside a class, and the parts of a class stand in the order
    of their first rows. Without ``keep`` only the rows alone are gathered.
    """
    size = len(rows)
    kept = np.empty(size if keep else 0, np.int32)
    ends = np.empty(size // 2 + 1 if keep else 1, np.int32)
    alone = np.empty(size, np.int32)
    counts = np.zeros(width, np.int32)
    place = np.zeros(width, np.int32)
    seen = np.empty(width, np.int32)
    lonely = 0
    at = 0
    classes = 0
    ends[0] = 0
    for c in range(len(starts) - 1):
        first, last = starts[c], starts[c + 1]
        if last - first == 2:
            # Most classes of raw data are pairs in the end.
            one, two = rows[first], rows[first + 1]
            a, b = column[one], column[two]
            if a == b:
                if keep and a >= 0:
                    kept[at] = one
                    kept[at + 1] = two
                    at += 2
                    classes += 1
                    ends[classes] = at
            else:
                if a >= 0:
                    alone[lonely] = one
                    lonely += 1
                if b >= 0:
                    alone[lonely] = two
                    lonely += 1
            continue
        parts = 0
        for i in range(first, last):
            code = column[rows[i]]
            if code >= 0:
                if counts[code] == 0:
                    seen[parts] = code
                    parts += 1
                counts[code] += 1
        if keep:
            for p in range(parts):
                code = seen[p]
                if counts[code] > 1:
                    place[code] = at
                    at += counts[code]
                    classes += 1
                    ends[classes] = at
            for i in range(first, last):
                row = rows[i]
                code = column[row]
                if code < 0:
                    continue
                if counts[code] == 1:
                    alone[lonely] = row
                    lonely += 1
                else:
                    kept[place[code]] = row
                    place[code] += 1
        else:
            for i in range(first, last):
                row = rows[i]
                code = column[row]
                if code >= 0 and counts[code] == 1:
                    alone[lonely] = row
                    lonely += 1
        for p in range(parts):
            counts[seen[p]] = 0
    return kept[:at].copy(), ends[: classes + 1].copy(), alone[:lonely].copy()


@njit(cache=True, nogil=True)
def alike_pairs(rows: IntArray, starts: IntArray, weights: IntArray) -> int:
    """Return the number of pairs of records that share a class; row ``r`` stands for ``weights[r]`` records."""
    pairs = 0
    for c in range(len(starts) - 1):
        size = 0
        for i in range(starts[c], starts[c + 1]):
            size += weights[rows[i]]
        pairs += size * (size - 1) // 2
    return pairs


@njit(cache=True, nogil=True)
def mark(rows: IntArray, bits: ByteArray) -> None:
    """Set the bits of some rows, eight rows to a byte."""
    for i in range(len(rows)):
        bits[rows[i] >> 3] |= np.uint8(1 << (rows[i] & 7))


@njit(cache=True, nogil=True)
def marked(rows: IntArray, bits: ByteArray) -> IntArray:
    """Return the rows whose bit is set, in order."""
    out = np.empty(len(rows), np.int32)
    count = 0
    for i in range(len(rows)):
        if bits[rows[i] >> 3] & np.uint8(1 << (rows[i] & 7)) != 0:
            out[count] = rows[i]
            count += 1
    return out[:count].copy()
