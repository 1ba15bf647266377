"""Numbers beyond what floats can tell apart: whole ones stay whole, and a line keeps their distances."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from sfumato.kernels.arrays import Floats

__all__ = ["EXACT", "Line", "exact", "number_array"]

EXACT = 2**53
"""From here on a float no longer tells every whole number from its neighbour."""

_TINY, _LARGER = 2.0**-900, 2.0**800
_HUGE, _SMALLER = 2.0**1000, 2.0**-800


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


@dataclass(frozen=True)
class Line:
    """Where numbers lie on a line as far apart as they are: at themselves, unless floats cannot hold that.

    Whole numbers that floats would make equal lie as far from an origin as they are. Distances that are too small or too large
    for what is computed with them are told in another unit.
    """

    origin: float = 0
    unit: float = 1.0

    @classmethod
    def of(cls, values: Sequence[float]) -> Line:
        """Return the line of rising numbers.

        >>> Line.of([2**60, 2**60 + 1]).places([2**60, 2**60 + 1]).tolist(), Line.of([3, 5]).places([3, 5]).tolist()
        ([0.0, 1.0], [3.0, 5.0])
        """
        if not len(values):
            return cls()
        origin = exact(values[0]) if number_array(values).dtype == object else 0
        span = float(values[-1]) / 2 - float(values[0]) / 2
        return cls(origin, _SMALLER if span > _HUGE else _LARGER if 0 < span < _TINY else 1.0)

    def places(self, values: Sequence[Hashable]) -> Floats:
        """Return where numbers lie."""
        numbers = number_array([*values, self.origin])[:-1] - self.origin if self.origin else number_array(values)
        return np.asarray(numbers, np.float64) * self.unit
