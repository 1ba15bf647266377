"""Values as canonical text and back: how a raw value is written in labels, saved states and messages."""

from __future__ import annotations

from collections.abc import Hashable
from datetime import date, datetime

from sfumato.data.schema import ColumnType

__all__ = ["from_text", "interval_label", "number_text", "to_text"]


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


def to_text(value: Hashable) -> str:
    """Write any raw value; the inverse of :func:`from_text` for its type."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return number_text(value)
    if isinstance(value, (datetime, date)):
        return value.isoformat()
    return str(value)


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
