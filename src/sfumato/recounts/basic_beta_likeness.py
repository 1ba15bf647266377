"""Basic beta-likeness, recounted: the largest relative gain of a sensitive text in each group."""

from __future__ import annotations

from math import inf

from sfumato.recounts._compared import compared
from sfumato.recounts._level import Groups, Histogram, Level, Number, highest

__all__ = ["gains", "level"]


def level(groups: Groups, *, beta: float, missing: str, whole: Histogram | None) -> Level:
    """Judge the largest gain of each group."""
    held, table = compared(groups, missing, whole)
    return highest((max(gains(texts, table).values()) for texts in held), beta)


def gains(texts: Histogram, table: Histogram) -> dict[str | None, Number]:
    """Return (q - p) / p of each text of a group: its share there and in the table; infinite if it is not in the table."""
    size, records = sum(texts.values()), sum(table.values())
    return {
        text: (count * records - table[text] * size) / (table[text] * size) if table[text] else inf
        for text, count in texts.items()
    }
