"""Distinct rows of codes, and where each row of another table stands among them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from sfumato.kernels.arrays import Ints

__all__ = ["distinct_rows", "finder", "found_among", "places", "renumbered"]

Codes = npt.NDArray[np.integer]
Cell = TypeVar("Cell", bound=np.generic)

_PORTION = 1 << 18
_ONE_NUMBER = 1 << 62
WIDE = 1 << 40  # a product of two numbers below it and a column's width still fits into 64 bits


def distinct_rows(codes: npt.NDArray[Cell]) -> tuple[npt.NDArray[Cell], Ints]:
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
    return found_among(distinct, rows)


def found_among(listed: Codes, rows: Codes) -> Ints:
    """Return the first of the listed rows that equals each row; -1 where none does.

    >>> found_among(np.array([[0, 2], [1, -1]]), np.array([[1, -1], [1, 0], [0, 2]])).tolist()
    [1, -1, 0]
    """
    if not len(listed) or not len(rows):
        return np.full(len(rows), -1, np.int64)
    low = np.minimum(listed.min(axis=0), rows.min(axis=0)).astype(np.int64)
    look_for, out = finder(listed, low, np.maximum(listed.max(axis=0), rows.max(axis=0))), np.empty(len(rows), np.int64)
    if look_for is None:
        return _found_wide(listed, rows)
    for start in range(0, len(rows), _PORTION):
        out[start : start + _PORTION] = look_for(rows[start : start + _PORTION])
    return out


def finder(listed: Codes, low: Ints, high: Ints) -> Callable[[Codes], Ints] | None:
    """Return what finds the first of the listed rows that equals each row; nothing if rows do not fit into one number.

    Codes of a column lie between its ``low`` and its ``high``.
    """
    widths = (np.asarray(high, np.int64) - low + 1).tolist()
    if prod(widths) > _ONE_NUMBER:
        return None
    own = _side_by_side(listed, low, widths)
    order = np.argsort(own, kind="stable")
    ordered = own[order]
    return lambda rows: _found(ordered, order, _side_by_side(rows, low, widths))


def _found_wide(listed: Codes, rows: Codes) -> Ints:
    """Find rows whose codes do not fit side by side: rows of both tables are numbered first, equal ones alike."""
    both, wide = np.zeros(len(listed) + len(rows), np.int64), 1
    for at in range(listed.shape[1]):
        codes = np.concatenate([listed[:, at], rows[:, at]])
        low, high = int(codes.min()), int(codes.max())
        if wide * (high - low + 1) > WIDE:
            both, wide = renumbered(both)
        both, wide = both * (high - low + 1) + (codes - low), wide * (high - low + 1)
    own = both[: len(listed)]
    order = np.argsort(own, kind="stable")
    return _found(own[order], order, both[len(listed) :])


def _found(ordered: Ints, order: Ints, asked: Ints) -> Ints:
    """Return the first place of each number among others that are in order, as they stood before; -1 where there is none."""
    place = np.minimum(np.searchsorted(ordered, asked), len(ordered) - 1)
    return np.where(ordered[place] == asked, order[place], -1)


def _side_by_side(codes: Codes, low: Ints, widths: Sequence[int]) -> Ints:
    """Return the codes of each row as one number."""
    out = np.zeros(len(codes), np.int64)
    for at, width in enumerate(widths):
        out *= width
        out += codes[:, at]
        out -= low[at]
    return out


def renumbered(key: Ints) -> tuple[Ints, int]:
    """Number keys without gaps, in their order; return the numbers and how many there are."""
    distinct, made = np.unique(key, return_inverse=True)
    return made.reshape(-1).astype(np.int64), len(distinct)
