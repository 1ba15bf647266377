"""Looking up by code: a portion at a time, as NumPy makes a wide number of every code that it is given at once."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import numpy.typing as npt

from sfumato.kernels.arrays import Bools, Codes, Ints

__all__ = ["looked_up", "occurring"]

Cell = TypeVar("Cell", bound=np.generic)

_PORTION = 1 << 18


def looked_up(table: npt.NDArray[Cell], codes: Codes | Ints) -> npt.NDArray[Cell]:
    """Return ``table[codes]``.

    >>> looked_up(np.array([7, 5]), np.array([1, 0, -1], np.int32)).tolist()
    [5, 7, 5]
    """
    out = np.empty(len(codes), table.dtype)
    for start in range(0, len(codes), _PORTION):
        out[start : start + _PORTION] = table[codes[start : start + _PORTION]]
    return out


def occurring(size: int, codes: Codes | Ints) -> Bools:
    """Tell which of so many codes occur; the last entry answers for -1.

    >>> occurring(2, np.array([1, -1], np.int32)).tolist()
    [False, True, True]
    """
    out = np.zeros(size + 1, bool)
    for start in range(0, len(codes), _PORTION):
        out[codes[start : start + _PORTION]] = True
    return out
