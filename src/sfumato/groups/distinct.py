"""Distinct rows of codes, and where each row of another table stands among them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["distinct_rows", "places", "renumbered"]

Ints = npt.NDArray[np.int64]
Codes = npt.NDArray[Any]

WIDE = 1 << 40  # a product of two numbers below it and a column's width still fits into 64 bits


def distinct_rows(codes: Codes) -> tuple[Codes, Ints]:
    """Return the distinct rows in order, and for each row its position among them.

    >>> distinct_rows(np.array([[1, 0], [0, 2], [1, 0]]))[1].tolist()
    [1, 0, 1]
    """
    order = np.lexsort(codes.T[::-1])
    ordered = codes[order]
    fresh = np.ones(len(ordered), bool)
    fresh[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    place = np.empty(len(ordered), np.int64)
    place[order] = np.cumsum(fresh) - 1
    return np.ascontiguousarray(ordered[fresh]), place


def places(distinct: Codes, rows: Codes) -> Ints:
    """Return where each row stands among the distinct rows; every row is one of them.

    >>> places(np.array([[0, 2], [1, 0]]), np.array([[1, 0], [1, 0], [0, 2]])).tolist()
    [1, 1, 0]
    """
    both = np.concatenate([distinct, rows]).astype(np.int64)
    key, wide = np.zeros(len(both), np.int64), 1
    for column in both.T:
        width = int(column.max()) + 1
        if wide * width > WIDE:
            key, wide = renumbered(key)
        key, wide = key * width + column, wide * width
    own, asked = key[: len(distinct)], key[len(distinct) :]
    order = np.argsort(own)
    return order[np.searchsorted(own, asked, sorter=order)]


def renumbered(key: Ints) -> tuple[Ints, int]:
    """Number keys without gaps, in their order; return the numbers and how many there are."""
    distinct, made = np.unique(key, return_inverse=True)
    return made.reshape(-1).astype(np.int64), len(distinct)
