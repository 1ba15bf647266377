"""Dominance rule, recounted: the share of the largest contributions in each sum, in percent."""

from __future__ import annotations

from math import fsum

from sfumato.errors import BadRequest
from sfumato.recounts._level import Groups, Level, Number, highest
from sfumato.recounts._numbers import numbers_of

__all__ = ["level"]


def level(groups: Groups, *, n: int, k: float) -> Level:
    """Judge the share of the n largest contributions of each cell."""
    shares: list[Number] = []
    for values in numbers_of(groups):
        if values[0][0] < 0:
            raise BadRequest("must not hold negative contributions")
        total, largest, left = fsum(value * count for value, count in values), 0.0, float(n)
        for value, count in reversed(values):
            largest, left = largest + value * min(left, count), left - min(left, count)
        shares.append(100 * largest / total if total > 0 else 0.0)
    return highest(shares, float(k))
