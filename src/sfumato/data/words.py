"""Numbers, counts, shares and texts as people read them."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping

__all__ = ["counted", "named", "number", "percent", "printable"]

_LONGEST = 200


def printable(text: object, longest: int = _LONGEST) -> str:
    """Return a text that shows on one line: no control or direction-changing characters, cut at ``longest``."""
    clean = "".join("·" if unicodedata.category(sign) in ("Cc", "Cf", "Cs", "Zl", "Zp") else sign for sign in str(text))
    if not clean.strip():
        return "(empty)"
    return clean if len(clean) <= longest else clean[: longest - 1] + "…"


def number(value: float | None) -> str:
    """Write a number for reading: thousands apart, four digits that count.

    >>> number(83568), number(0.8775568), number(30.76923)
    ('83,568', '0.8776', '30.77')
    """
    if value is None:
        return "–"
    if float(value).is_integer() and abs(value) < 1e15:
        return f"{int(value):,}"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.4g}"


def percent(part: float, whole: float) -> str:
    """Write a share; a small one never shows as nothing, a large one never as everything.

    >>> percent(1, 3), percent(1, 5000), percent(4999, 5000)
    ('33.3 %', '< 0.1 %', '> 99.9 %')
    """
    share = 100 * part / whole if whole else 0.0
    if 0 < share < 0.1:
        return "< 0.1 %"
    if 99.9 < share < 100:
        return "> 99.9 %"
    return f"{share:.1f} %"


def counted(count: int, one: str, many: str | None = None) -> str:
    """Write a count with its noun.

    >>> counted(1, "record"), counted(2000, "record")
    ('1 record', '2,000 records')
    """
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def named(value: object) -> str:
    """Return how a value is called on a line: a thing of the catalogue by its id.

    >>> named({"id": "non-uniform-entropy", "normalized": True}), named(5)
    ('non-uniform-entropy', '5')
    """
    return str(value["id"]) if isinstance(value, Mapping) and "id" in value else str(value)
