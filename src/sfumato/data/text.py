"""Values as canonical text and back: how a raw value is written in labels, saved states and messages.

Numbers beyond what floats can tell apart: whole ones stay whole, and a line keeps their distances.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Hashable, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from math import inf, isfinite
from numbers import Integral, Real
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from sfumato.data.frozen import frozen
from sfumato.data.schema import ColumnType
from sfumato.kernels.arrays import Floats

__all__ = [
    "EXACT",
    "MISSING_LABEL",
    "SUPPRESSED",
    "Line",
    "as_held",
    "bare",
    "exact",
    "from_text",
    "interval_label",
    "number_array",
    "number_text",
    "parse_interval",
    "parse_number",
    "printable",
    "to_text",
    "type_of_value",
    "written_text",
]

# The root of every hierarchy, and what is published of everything suppressed.
SUPPRESSED = "*"

# What is published of a missing value that counts as a value of its own.
MISSING_LABEL = "?"

# What is not printable and does no more than leave room.
_HARMLESS = "\n\t\u00a0\u2007\u2009\u202f"

# Almost all values are of one of these; asking the abstract classes costs ten times as much.
_EXACT_TYPES = {
    str: ColumnType.TEXT,
    int: ColumnType.INTEGER,
    float: ColumnType.NUMBER,
    bool: ColumnType.BOOLEAN,
    date: ColumnType.DATE,
    datetime: ColumnType.DATETIME,
}
_NUMBER = r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?"
_INTERVAL = re.compile(rf"\[({_NUMBER})(?:-|\.\.)({_NUMBER})([)\]])")


def number_text(value: float) -> str:
    """Write a number as short as it can be read back: whole numbers without a decimal point.

    >>> number_text(37.0), number_text(0.5)
    ('37', '0.5')
    """
    if isinstance(value, int):
        return str(value)
    return str(int(value)) if float(value).is_integer() and abs(value) < 1e15 else repr(float(value))


def interval_label(low: float, high: float, *, closed: bool = False) -> str:
    """Write ``[low-high)``, closed on the right where asked; bounds are kept apart by ``..`` if one is negative.

    >>> interval_label(1, 37), interval_label(37, 99, closed=True), interval_label(-5, 3)
    ('[1-37)', '[37-99]', '[-5..3)')
    """
    between = ".." if low < 0 or high < 0 else "-"
    return f"[{number_text(low)}{between}{number_text(high)}{']' if closed else ')'}"


def parse_interval(label: str) -> tuple[float, float, bool] | None:
    """Read ``(low, high, closed)`` from an interval label, or return ``None``: the inverse of :func:`interval_label`.

    >>> parse_interval("[1-37)"), parse_interval("[-5..3]"), parse_interval("Artist")
    ((1.0, 37.0, False), (-5.0, 3.0, True), None)
    """
    found = _INTERVAL.fullmatch(label)
    return None if found is None else (parse_number(found[1]), parse_number(found[2]), found[3] == "]")


def parse_number(text: str) -> float:
    """Read a number; a whole one that a float cannot hold stays as it is.

    >>> parse_number("1.5"), parse_number("9007199254740993")
    (1.5, 9007199254740993)
    """
    number = float(text)
    if not EXACT <= abs(number) < float("inf"):
        return number
    return int(text) if text.strip().lstrip("+-").isdecimal() else exact(number)


def type_of_value(value: Hashable) -> ColumnType:
    """Return the column type that one Python value belongs to."""
    exact = _EXACT_TYPES.get(type(value))
    if exact is not None:
        return exact
    if isinstance(value, bool):
        return ColumnType.BOOLEAN
    if isinstance(value, Integral):
        return ColumnType.INTEGER
    if isinstance(value, Real):
        return ColumnType.NUMBER
    if isinstance(value, datetime):
        return ColumnType.DATETIME
    return ColumnType.DATE if isinstance(value, date) else ColumnType.TEXT


def to_text(value: Hashable) -> str:
    """Write any raw value; the inverse of :func:`from_text` for its type."""
    if type(value) is str:
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return number_text(value)
    if isinstance(value, (datetime, date)):
        return value.isoformat()
    return str(value)


def written_text(value: Hashable) -> str:
    """Write any raw value as files hold it: canonical, but for the point of a whole number that has a fraction's type.

    >>> written_text(10.0), written_text(1.5e-7), written_text(datetime(2020, 1, 1, 0, 0, 0, 500_000))
    ('10.0', '1.5e-7', '2020-01-01T00:00:00.500')
    """
    if isinstance(value, float):
        digits, small, exponent = repr(value).partition("e-")
        if exponent == "05":
            return format(Decimal(repr(value)), "f")
        return f"{digits}{small}{exponent.lstrip('0')}"
    if isinstance(value, datetime) and value.microsecond % 1000 == 0 and value.microsecond:
        return value.isoformat(timespec="milliseconds")
    return to_text(value)


def as_held(value: Hashable, kind: ColumnType) -> Hashable:
    """Return a value in the type of a column, in whatever type it was written; ``None`` if that type has no such value.

    >>> as_held("1", ColumnType.INTEGER), as_held(1, ColumnType.TEXT), as_held("x", ColumnType.NUMBER)
    (1, '1', None)
    """
    if value is None or type_of_value(value) is kind:
        return value
    text = to_text(value)
    if kind is ColumnType.TEXT:
        return text
    if kind is ColumnType.BOOLEAN:
        return {"true": True, "1": True, "false": False, "0": False}.get(text.lower())
    if kind.numeric:
        number = float(text) if re.fullmatch(_NUMBER, text) and not isinstance(value, bool) else inf
        if not isfinite(number) or kind is ColumnType.NUMBER:
            return number if isfinite(number) else None
        return int(Decimal(text)) if number.is_integer() else None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    if kind is ColumnType.DATETIME:
        return moment.replace(tzinfo=None)
    return moment.date() if moment.time() == time() else None


def bare(text: str) -> str:
    """Return what a reader sees of a text: no capitals, no outer or double spaces, no signs without a shape.

    >>> bare("HIV") == bare(" hiv\u200b") == bare("h\N{FULLWIDTH LATIN SMALL LETTER I}v ")
    True
    """
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
        text = "".join(sign for sign in text if unicodedata.category(sign) not in ("Cf", "Cc") or sign.isspace())
    return " ".join(text.casefold().split())


def printable(text: str) -> str:
    r"""Return a text that does nothing to a terminal: signs that move, colour or turn it round are written as escapes.

    >>> printable("age\x1b[2J"), printable("two\nlines")
    ('age\\x1b[2J', 'two\nlines')
    """
    if text.isprintable():
        return text
    return "".join(sign if sign.isprintable() or sign in _HARMLESS else ascii(sign)[1:-1] for sign in text)


def from_text(text: str, kind: ColumnType) -> Hashable:
    """Read a raw value of the given type from its canonical text."""
    match kind:
        case ColumnType.INTEGER:
            return int(text)
        case ColumnType.NUMBER:
            return float(text)
        case ColumnType.BOOLEAN:
            return text.lower() == "true"
        case ColumnType.DATE:
            return date.fromisoformat(text)
        case ColumnType.DATETIME:
            return datetime.fromisoformat(text)
        case _:
            return text


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


@frozen
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
