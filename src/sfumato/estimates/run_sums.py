"""Sums of ln, 1/x and 1/x^2 over runs x, x + 1, ..., x + m - 1, in time that does not depend on the length of the run.

Each is the difference of a gamma, digamma or trigamma function at ``x + m`` and at ``x``, and so is defined for a length that
is not whole. Differences are formed term by term, never between two large numbers: a run of few terms that starts at 10^12 is
as exact as one that starts at 1.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sfumato.kernels.arrays import Floats

__all__ = ["inverse_square_sum", "inverse_sum", "log_sum"]

# From here on the Euler-Maclaurin series with five terms is exact to about 1e-13.
_START = 10

# Bernoulli numbers B_2, B_4, ..., B_10.
_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66)


def log_sum(x: npt.ArrayLike, m: npt.ArrayLike) -> Floats:
    """Return the sum of ln(x + i) over i = 0 ... m - 1, which is ln Gamma(x + m) - ln Gamma(x).

    >>> round(float(log_sum(1.0, 10)), 9)  # ln 10!
    15.104412573
    """
    start, length = _floats(x, m)
    out = np.zeros(start.shape)
    for step in range(_START):
        out -= np.where(start + step < _START, np.log1p(length / (start + step)), 0.0)
    low, high = _shifted(start, length)
    grown = np.log1p(length / low)
    out += low * grown - length + length * np.log(high) - grown / 2
    for order, number in enumerate(_BERNOULLI, 1):
        out += number / (2 * order * (2 * order - 1)) * (high ** (1 - 2 * order) - low ** (1 - 2 * order))
    return out


def inverse_sum(x: npt.ArrayLike, m: npt.ArrayLike) -> Floats:
    """Return the sum of 1 / (x + i) over i = 0 ... m - 1, which is the difference of two digamma functions.

    >>> round(float(inverse_sum(1.0, 4)), 9)  # 1 + 1/2 + 1/3 + 1/4
    2.083333333
    """
    start, length = _floats(x, m)
    out = np.zeros(start.shape)
    for step in range(_START):
        at = start + step
        out += np.where(at < _START, length / (at * (at + length)), 0.0)
    low, high = _shifted(start, length)
    out += np.log1p(length / low) + length / (2 * low * high)
    for order, number in enumerate(_BERNOULLI, 1):
        out += number / (2 * order) * (low ** (-2 * order) - high ** (-2 * order))
    return out


def inverse_square_sum(x: npt.ArrayLike, m: npt.ArrayLike) -> Floats:
    """Return the sum of 1 / (x + i)^2 over i = 0 ... m - 1, which is the difference of two trigamma functions.

    >>> round(float(inverse_square_sum(1.0, 3)), 9)  # 1 + 1/4 + 1/9
    1.361111111
    """
    start, length = _floats(x, m)
    out = np.zeros(start.shape)
    for step in range(_START):
        at = start + step
        out += np.where(at < _START, 1 / at**2 - 1 / (at + length) ** 2, 0.0)
    low, high = _shifted(start, length)
    out += length / (low * high) + (1 / low**2 - 1 / high**2) / 2
    for order, number in enumerate(_BERNOULLI, 1):
        out += number * (low ** (-2 * order - 1) - high ** (-2 * order - 1))
    return out


def _floats(x: npt.ArrayLike, m: npt.ArrayLike) -> tuple[Floats, Floats]:
    start, length = np.broadcast_arrays(np.asarray(x, np.float64), np.asarray(m, np.float64))
    return start, length


def _shifted(start: Floats, length: Floats) -> tuple[Floats, Floats]:
    """Return both ends of the run, moved up by whole steps to where the series is exact."""
    low = start + np.maximum(np.ceil(_START - start), 0.0)
    return low, low + length
