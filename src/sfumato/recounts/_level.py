"""What a recount reads and says: groups of texts with their counts, and the level that they were found to have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from math import inf, isfinite

from sfumato.errors import BadRequest
from sfumato.recounts._shared import each

__all__ = [
    "Groups",
    "Histogram",
    "Key",
    "Level",
    "Number",
    "Text",
    "at_least",
    "at_most",
    "counts_of",
    "highest",
    "lowest",
    "named",
    "number",
    "refuse_missing",
    "total",
]

Text = str | None
"""What is written in a cell; ``None`` if nothing is."""

Number = int | float
Key = tuple[Text, ...]

Groups = Mapping[Key, Mapping[Key, Number]]
"""Texts that an adversary may know -> texts of the columns that a model looks at -> number of rows."""

Histogram = Mapping[Text, Number]

_SLACK = 1e-9


@dataclass(frozen=True)
class Level:
    """What was measured (``None`` where there is no level), how many groups violate, and whether the requirement holds."""

    measured: Number | None
    violating: int
    satisfied: bool


def at_least(value: Number, threshold: Number, *, strict: bool = False) -> bool:
    """Tell whether a value reaches a threshold: whole ones exactly, real ones up to a relative slack, none if strict."""
    if strict:
        return value > threshold
    return value >= threshold - (0 if isinstance(threshold, int) else _SLACK * abs(threshold))


def at_most(value: Number, threshold: Number, *, strict: bool = False) -> bool:
    """Tell whether a value does not exceed a threshold, in the same way."""
    if strict:
        return value < threshold
    return value <= threshold + (0 if isinstance(threshold, int) else _SLACK * abs(threshold))


def lowest(values: Iterable[Number], threshold: Number) -> Level:
    """Judge values of groups that must reach a threshold; the lowest is the level."""
    held = Counter(values)
    broken = sum(many for value, many in held.items() if not at_least(value, threshold))
    return Level(min(held, default=None), broken, broken == 0)


def highest(values: Iterable[Number], threshold: Number, *, strict: bool = False, most: Number = inf) -> Level:
    """Judge values of groups that must not exceed a threshold; the highest is the level, unless it is beyond ``most``."""
    held = Counter(values)
    broken = sum(many for value, many in held.items() if not at_most(value, threshold, strict=strict))
    top = max(held, default=None)
    return Level(None if top is None or not isfinite(top) or top > most else top, broken, broken == 0)


def refuse_missing(groups: Groups, missing: str) -> None:
    """Refuse missing texts unless they count as a value."""
    if missing == "refuse" and any(each(groups, _lacks_text)):
        raise BadRequest("has missing values; count them as a value of their own or leave the records out")


def counts_of(groups: Groups, missing: str = "refuse") -> list[dict[Text, Number]]:
    """Return how often each text of the one column occurs in each group."""
    refuse_missing(groups, missing)
    return [*each(groups, _of_one_column)]


def _lacks_text(rows: Mapping[Key, Number]) -> bool:
    return any(None in texts for texts in rows)


def _of_one_column(rows: Mapping[Key, Number]) -> dict[Text, Number]:
    return {texts[0]: count for texts, count in rows.items()}


def total(rows: Mapping[Key, Number]) -> Number:
    """Return how many records a group holds."""
    return sum(rows.values())


def named(texts: Iterable[Text], values: Iterable[object]) -> set[Text]:
    """Return the texts that write one of the values; a number may be written in several ways."""
    wanted = list(values)
    return {text for text in texts if any(_writes(text, value) for value in wanted)}


def _writes(text: Text, value: object) -> bool:
    if text is None or isinstance(value, str):
        return text == value
    if isinstance(value, bool):
        return text.lower() == str(value).lower()
    if isinstance(value, date):
        try:
            return type(value).fromisoformat(text) == value
        except ValueError:
            return False
    read = number(text)
    return read is not None and read == value


def number(text: Text) -> float | None:
    """Return the finite number that a text writes, or ``None``."""
    try:
        read = float(text or "")
    except ValueError:
        return None
    return read if isfinite(read) else None
