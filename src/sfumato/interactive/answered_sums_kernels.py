"""Rows of whole numbers modulo a prime below 2^61: added up, scaled, taken from each other."""

from __future__ import annotations

import numpy as np

from sfumato.kernels.arrays import Bools, Ints, Words
from sfumato.kernels.jit import njit

__all__ = ["add_rows", "clear_column", "scale_row"]


@njit(cache=True)
def add_rows(rows: Ints, chosen: Bools, width: int, prime: int) -> Ints:
    """Return the sum of the chosen rows modulo the prime; no row is multiplied, so it costs one pass over them."""
    out = np.zeros(width, np.int64)
    for at in range(len(chosen)):
        if chosen[at]:
            for column in range(width):
                value = out[column] + rows[at, column] - prime
                out[column] = value + (prime & (value >> 63))
    return out


@njit(cache=True)
def _times(factor: np.uint64, ratio: np.uint64, value: np.uint64, prime: np.uint64) -> np.int64:
    """Return ``factor * value`` modulo the prime, where ``ratio`` is ``floor(factor 2^64 / prime)``.

    The quotient is the upper half of ``ratio * value``, put together from halves, and one too small at most (Shoup).
    """
    mask, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    low, high = ratio & mask, ratio >> half
    low_value, high_value = value & mask, value >> half
    cross = high * low_value
    middle = ((low * low_value) >> half) + (cross & mask) + low * high_value
    quotient = high * high_value + (cross >> half) + (middle >> half)
    rest = factor * value - quotient * prime
    return np.int64(rest if rest < prime else rest - prime)


@njit(cache=True)
def scale_row(row: Ints, factor: int, ratio: np.uint64, prime: int) -> Ints:
    """Return a row times a factor modulo the prime."""
    out = np.zeros_like(row)
    for column in range(len(row)):
        if row[column]:
            out[column] = _times(np.uint64(factor), ratio, np.uint64(row[column]), np.uint64(prime))
    return out


@njit(cache=True)
def clear_column(rows: Ints, row: Ints, factors: Ints, ratios: Words, prime: int) -> None:
    """Take ``factors[i]`` times a row from row i, in place, modulo the prime."""
    for at in range(len(factors)):
        if factors[at]:
            factor, ratio = np.uint64(factors[at]), ratios[at]
            for column in range(len(row)):
                if row[column]:
                    value = rows[at, column] - _times(factor, ratio, np.uint64(row[column]), np.uint64(prime))
                    rows[at, column] = value + (prime & (value >> 63))
