"""How many records a predicate fits, counted no farther than to the second: it isolates one or it does not."""

from __future__ import annotations

from typing import Any

import numpy as np

from sfumato.kernels.jit import njit

__all__ = ["count_to_two", "rows_by_code"]

Array = Any


@njit(cache=True, nogil=True)
def rows_by_code(codes: Array, values: int) -> tuple[Array, Array]:
    """Return where the rows of each code begin, and the end, and the rows code by code; missing ones, -1, are left out."""
    begin = np.zeros(values + 2, np.int64)
    for row in range(len(codes)):
        if codes[row] >= 0:
            begin[codes[row] + 2] += 1
    for code in range(values):
        begin[code + 2] += begin[code + 1]
    rows = np.empty(begin[values + 1], np.int64)
    for row in range(len(codes)):
        if codes[row] >= 0:
            rows[begin[codes[row] + 1]] = row
            begin[codes[row] + 1] += 1
    return begin[: values + 1], rows


@njit(cache=True, nogil=True)
def count_to_two(
    codes: Array,
    sizes: Array,
    rows: Array,
    part: Array,
    low: Array,
    high: Array,
    order: Array,
    used: Array,
    first: Array,
    last: Array,
    sets: Array,
) -> Array:
    """Return 0, 1 or 2 (two or more) for each predicate.

    ``codes`` is ``columns x rows``, -1 is missing. Predicate ``p`` looks at the columns ``order[p, :used[p]]``. The rows that
    fit in the first of them are those between ``low`` and ``high`` in ``rows``, for the parts from ``part[p]`` up to before
    ``part[p + 1]``. In any other column ``c`` a code fits if it lies from ``first[p, c]`` up to before ``last[p, c]``; with
    ``first[p, c] < 0`` if ``sets[last[p, c] + code + 1]`` says so.
    """
    out = np.zeros(len(used), np.int64)
    for predicate in range(len(used)):
        count = 0
        for piece in range(part[predicate], part[predicate + 1]):
            for place in range(low[piece], high[piece]):
                row, fits = rows[place], True
                for step in range(1, used[predicate]):
                    column = order[predicate, step]
                    code, begin, end = codes[column, row], first[predicate, column], last[predicate, column]
                    fits = sets[end + code + 1] if begin < 0 else begin <= code < end
                    if not fits:
                        break
                if fits:
                    count += sizes[row]
                    if count > 1:
                        break
            if count > 1:
                break
        out[predicate] = min(count, 2)
    return out
