"""Decimal numbers as exact fractions: a threshold means what was written, not the nearest binary number."""

from __future__ import annotations

from fractions import Fraction
from math import isfinite

from sfumato.errors import BadRequest

__all__ = ["exact_share", "fraction_above", "fraction_below"]


def exact_share(value: object, *, parameter: str) -> Fraction:
    """Return a number from 0 to 1 as the fraction that its decimal or fraction text says; refuse anything else.

    >>> exact_share("0.1", parameter="t"), exact_share(0.1, parameter="t"), exact_share("1/3", parameter="t")
    (Fraction(1, 10), Fraction(1, 10), Fraction(1, 3))
    """
    found: Fraction | None = None
    if isinstance(value, (str, Fraction)) or (isinstance(value, (int, float)) and not isinstance(value, bool)):
        try:
            # The shortest text that reads back as a float is what was written.
            found = Fraction(repr(value)) if isinstance(value, float) and isfinite(value) else Fraction(value)
        except (ValueError, ZeroDivisionError, OverflowError):
            found = None
    if found is None or not 0 <= found <= 1:
        raise BadRequest("must be a decimal number >= 0 and <= 1", parameter=parameter, value=str(value))
    return found


def fraction_below(value: Fraction, most: int) -> Fraction:
    """Return the largest fraction ``p / q <= value`` with ``q <= most``.

    ``floor(c * value)`` is then ``floor(c * p / q)`` for all whole ``c`` from 0 to ``most``, in small numbers.

    >>> fraction_below(Fraction(31415926, 10000000), 100)
    Fraction(311, 99)
    """
    return _neighbours(value, most)[0]


def fraction_above(value: Fraction, most: int) -> Fraction:
    """Return the smallest fraction ``p / q >= value`` with ``q <= most``: as :func:`fraction_below`, for ``ceil``.

    >>> fraction_above(Fraction(31415926, 10000000), 100)
    Fraction(22, 7)
    """
    return _neighbours(value, most)[1]


def _neighbours(value: Fraction, most: int) -> tuple[Fraction, Fraction]:
    """Return the nearest fractions on either side: the last pair of convergents with small enough denominators."""
    if value.denominator <= most:
        return value, value
    before, last = (0, 1), (1, 0)
    over, under = value.numerator, value.denominator
    while True:
        whole = over // under
        if last[1] * whole + before[1] > most:
            break
        before, last = last, (last[0] * whole + before[0], last[1] * whole + before[1])
        over, under = under, over - whole * under
    times = (most - before[1]) // last[1]
    sides = Fraction(before[0] + times * last[0], before[1] + times * last[1]), Fraction(*last)
    return min(sides), max(sides)
