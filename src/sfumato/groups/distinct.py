"""Distinct rows of codes, and where each row of another table stands among them."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import numpy.typing as npt

from sfumato.kernels.arrays import Ints

__all__ = ["distinct_rows", "found_among", "places", "renumbered"]

Codes = npt.NDArray[np.integer]
Cell = TypeVar("Cell", bound=np.generic)

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
    if not len(listed):
        return np.full(len(rows), -1, np.int64)
    own, asked, wide = np.zeros(len(listed), np.int64), np.zeros(len(rows), np.int64), 1
    for at in range(listed.shape[1]):
        low = min(int(listed[:, at].min()), int(rows[:, at].min(initial=0)))
        width = max(int(listed[:, at].max()), int(rows[:, at].max(initial=0))) - low + 1
        if wide * width > WIDE:
            both, wide = renumbered(np.concatenate([own, asked]))
            own, asked = both[: len(own)], both[len(own) :]
        own, asked, wide = own * width + (listed[:, at] - low), asked * width + (rows[:, at] - low), wide * width
    order = np.argsort(own, kind="stable")
    ordered = own[order]
    place = np.minimum(np.searchsorted(ordered, asked), len(own) - 1)
    return np.where(ordered[place] == asked, order[place], -1)


def renumbered(key: Ints) -> tuple[Ints, int]:
    """Number keys without gaps, in their order; return the numbers and how many there are."""
    distinct, made = np.unique(key, return_inverse=True)
    return made.reshape(-1).astype(np.int64), len(distinct)
