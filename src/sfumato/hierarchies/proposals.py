"""Proposals: a hierarchy for a column nobody wrote one for, to start from and to change."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor, isfinite, ulp

from sfumato.contracts.hierarchy import HierarchyBuilder
from sfumato.data.compressed import Dictionary
from sfumato.data.schema import ColumnType
from sfumato.hierarchies.dates import Dates
from sfumato.hierarchies.frequency import Frequency
from sfumato.hierarchies.intervals import Intervals
from sfumato.hierarchies.redaction import Redaction

__all__ = ["propose"]

_INTERVALS = 20  # about as many as a reader takes in at once
_RARE = 100  # a value is rare if it has fewer than one record in so many
_LARGEST = 1e300  # beyond, the rounded range would leave the floats
_NEXT = {1: 5, 2: 5, 5: 2}  # from a round width to the next one: 1, 5, 10 and 2, 10 and 5, 10


def propose(dictionary: Dictionary, type: ColumnType) -> HierarchyBuilder | None:  # noqa: A002
    """Return a builder that fits the values of a column, or ``None`` where only the root can stand above them.

    - integers and numbers: about 20 intervals of a round width (1, 2 or 5 times a power of ten; at least 2 for
      integers), joined to the next round widths; the range is widened to multiples of the widest interval, so that the
      smallest and the largest value do not show;
    - dates and datetimes: day, month, year, decade;
    - texts that are all digits of one length, at least 3 (postal codes, for example): redaction from the right;
    - other texts: the values with fewer than 1 % of the records (and at least with fewer than 2 records) share the
      label ``other``, if there are two or more of them and one value is left;
    - truth values, columns with fewer than three distinct values, and numbers that one such interval holds: nothing.

    Examples
    --------
    >>> import numpy as np
    >>> ages = Dictionary("age", (17, 38, 90), np.array([5, 9, 1]))
    >>> propose(ages, ColumnType.INTEGER).path(38)
    ('38', '[35-40)', '[30-40)', '[0-50)', '*')
    """
    if len(dictionary) < 3 or type == ColumnType.BOOLEAN:
        return None
    if type.numeric:
        return _intervals(dictionary, whole=type == ColumnType.INTEGER)
    if type in (ColumnType.DATE, ColumnType.DATETIME):
        return Dates()
    return _redaction(dictionary) or _frequency(dictionary)


def _intervals(dictionary: Dictionary, *, whole: bool) -> Intervals | None:
    numbers = [value for value in dictionary.values if isinstance(value, (int, float)) and isfinite(value)]
    if len(numbers) < len(dictionary):
        return None
    low, high = Fraction(min(numbers)), Fraction(max(numbers))
    largest = max(abs(low), abs(high))
    if largest > _LARGEST:
        return None
    # Floats far from zero lie far apart: edges closer than this would not have a short decimal form of their own.
    finest = Fraction(0) if whole else 1024 * Fraction(ulp(float(largest)))
    digit, power = _round_up(max((high - low) / _INTERVALS, finest, Fraction(2 if whole else 0)))
    width = digit * Fraction(10) ** power
    widest, fan_out = width, []
    while (high - low) / (widest * _NEXT[digit]) > 1:
        fan_out.append(_NEXT[digit])
        widest *= _NEXT[digit]
        digit = digit * _NEXT[digit] if digit == 1 else 1
    first, last = floor(low / widest) * widest, ceil(high / widest) * widest
    if last - first <= width:
        return None
    return Intervals(lower=_plain(first), width=_plain(width), upper=_plain(last), fan_out=tuple(fan_out))


def _round_up(width: Fraction) -> tuple[int, int]:
    """Return the smallest ``digit * 10 ** power`` with digit 1, 2 or 5 that is at least the width."""
    power = 0
    while Fraction(10) ** power > width:
        power -= 1
    while Fraction(10) ** (power + 1) <= width:
        power += 1
    for digit in (1, 2, 5):
        if digit * Fraction(10) ** power >= width:
            return digit, power
    return 1, power + 1


def _plain(number: Fraction) -> float:
    return int(number) if number.denominator == 1 else float(number)


def _redaction(dictionary: Dictionary) -> Redaction | None:
    codes = [str(value) for value in dictionary.values]
    length = len(codes[0])
    if length < 3 or not all(len(code) == length and code.isascii() and code.isdigit() for code in codes):
        return None
    return Redaction(length=length)


def _frequency(dictionary: Dictionary) -> Frequency | None:
    at_least = max(2, ceil(int(dictionary.counts.sum()) / _RARE))
    rare = sum(int(count) < at_least for count in dictionary.counts)
    if rare < 2 or rare == len(dictionary):
        return None
    names = {str(value).casefold() for value in dictionary.values}
    label = next(name for name in ("other", "other values", "rare", "rare values") if name not in names)
    return Frequency.from_counts(dictionary.values, dictionary.counts, at_least=at_least, label=label)
