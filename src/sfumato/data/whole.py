"""Many whole numbers one after the other: told by their ends, without an object for each of them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

import numpy as np

from sfumato.kernels.arrays import Array, Ints

__all__ = ["MANY", "as_values", "digits", "whole_values"]

MANY = 1 << 16
"""Values from which a tuple of them is worth avoiding."""


def whole_values(numbers: Ints) -> Sequence[int]:
    """Return rising whole numbers as values: a range if they are many without a gap, as the numbers of groups are.

    >>> whole_values(np.array([3, 5])), whole_values(np.arange(MANY) + 1)
    ((3, 5), range(1, 65537))
    """
    if len(numbers) >= MANY and int(numbers[-1]) - int(numbers[0]) + 1 == len(numbers):
        return range(int(numbers[0]), int(numbers[-1]) + 1)
    return tuple(numbers.tolist())


def as_values(values: Iterable[Hashable]) -> Sequence[Hashable]:
    """Return values as they are kept: a range stays one.

    >>> as_values(range(2)), as_values([3, "a"])
    (range(0, 2), (3, 'a'))
    """
    return values if isinstance(values, range) else tuple(values)


def digits(numbers: range) -> tuple[Array, Ints]:
    """Return the digits of rising numbers from 0 on, one after the other, and how many each has.

    >>> written, lengths = digits(range(9, 12))
    >>> written.tobytes(), lengths.tolist()
    (b'91011', [1, 2, 2])
    """
    most = len(str(numbers[-1])) if numbers else 1
    left = np.arange(numbers.start, numbers.stop, dtype=np.int64)
    lengths = np.searchsorted(10 ** np.arange(1, most, dtype=np.int64), left, side="right") + 1
    spelled = np.empty((len(left), most), np.uint8)
    for at in range(most - 1, -1, -1):
        left, spelled[:, at] = left // 10, left % 10
    spelled += np.uint8(ord("0"))
    return spelled[np.arange(most) >= most - lengths[:, None]], lengths
