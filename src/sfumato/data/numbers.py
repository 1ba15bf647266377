"""Numbers beyond what floats can tell apart: whole ones stay whole, and a line keeps their distances."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from sfumato.kernels.arrays import Floats

__all__ = ["EXACT", "exact", "number_array", "on_a_line"]

EXACT = 2**53
"""From here on a float no longer tells every whole number from its neighbour."""


def exact(number: float) -> float:
    """Return a number as it compares with all others: one that is too large for a fraction is whole.

    >>> exact(float(2**60)), exact(0.5)
    (1152921504606846976, 0.5)
    """
    large = EXACT <= abs(number) < float("inf")
    return int(number) if large else number


def number_array(values: Sequence[Hashable]) -> npt.NDArray[Any]:
    """Return numbers as floats, or as they are where floats would make two whole ones equal."""
    floats = np.asarray(values, np.float64)
    if not len(floats) or not np.abs(floats).max() >= EXACT or not any(isinstance(value, int) for value in values):
        return floats
    out = np.empty(len(values), object)
    out[:] = [exact(cast("float", value)) for value in values]
    return out


def on_a_line(values: Sequence[Hashable], origin: float | None = None) -> Floats:
    """Return places on a line as far apart as the numbers: these themselves, or how far the large ones lie from an origin.

    >>> on_a_line([2**60, 2**60 + 1]).tolist(), on_a_line([3, 5]).tolist()
    ([0.0, 1.0], [3.0, 5.0])
    """
    numbers = number_array(values)
    if numbers.dtype != object:
        return numbers
    return np.asarray(numbers - (numbers[0] if origin is None else origin), np.float64)
