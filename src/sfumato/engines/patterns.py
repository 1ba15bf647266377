"""What texts of each logical type look like, for every engine that tells types by them.

A text is an integer or a number only in canonical form, so that codes with leading zeros stay text.
"""

from __future__ import annotations

from sfumato.data.schema import ColumnType

__all__ = ["FORCED", "PATTERNS"]

_YEAR = r"([1-9][0-9]{3}|0[1-9][0-9]{2}|00[1-9][0-9]|000[1-9])"
_DATE = _YEAR + r"-[0-9]{2}-[0-9]{2}"
PATTERNS = {
    ColumnType.INTEGER: r"^-?(0|[1-9][0-9]*)$",
    ColumnType.NUMBER: r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$",
    ColumnType.BOOLEAN: r"^(true|false|True|False|TRUE|FALSE)$",
    ColumnType.DATE: rf"^{_DATE}$",
    ColumnType.DATETIME: rf"^{_DATE}[T ][0-9]{{2}}:[0-5][0-9](:[0-5][0-9](\.[0-9]{{1,6}})?)?$",
}
# What a type accepts when the caller insists on it: leading zeros and the digits of a flag are then meant.
FORCED = PATTERNS | {
    ColumnType.INTEGER: r"^-?[0-9]+$",
    ColumnType.NUMBER: r"^-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$",
    ColumnType.BOOLEAN: r"^(true|false|True|False|TRUE|FALSE|0|1)$",
}
