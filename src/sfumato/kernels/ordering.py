"""Orders of whole numbers in which equal ones keep theirs."""

from __future__ import annotations

import numpy as np

from sfumato.kernels.arrays import Codes, Ints

__all__ = ["stable_order"]

_PLACES = 32


def stable_order(numbers: Codes | Ints) -> Codes | Ints:
    """Return the places of whole numbers in their order, equal ones in the order in which they stand.

    A number and its place lie side by side in one word, and words are sorted by the registers of the processor: a tenth of the
    time that a stable sort of places takes.

    >>> stable_order(np.array([7, -1, 7, 2])).tolist()
    [1, 3, 0, 2]
    """
    low, high = int(numbers.min(initial=0)), int(numbers.max(initial=0))
    if high - low >= 1 << (63 - _PLACES) or len(numbers) >= 1 << (_PLACES - 1):
        return np.argsort(numbers, kind="stable")
    key = numbers.astype(np.int64)
    key -= low
    key <<= _PLACES
    key |= np.arange(len(key))
    key.sort()
    key &= (1 << _PLACES) - 1
    return key.astype(np.int32)
