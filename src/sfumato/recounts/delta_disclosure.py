"""delta-disclosure, recounted: the largest logarithm of a ratio of shares in each group."""

from __future__ import annotations

from math import inf, log, log2, log10

from sfumato.recounts._compared import compared
from sfumato.recounts._level import Groups, Histogram, Level, highest

__all__ = ["level"]


def level(groups: Groups, *, delta: float, base: float, absent: str, missing: str, whole: Histogram | None) -> Level:
    """Judge |log(q / p)| of each group: the shares of a text there and in the table."""
    held, table = compared(groups, missing, whole)
    records, occurring = sum(table.values()), sum(count > 0 for count in table.values())
    found = []
    for texts in held:
        size = sum(texts.values())
        if not all(table[text] for text in texts) or (absent == "violate" and len(texts) < occurring):
            found.append(inf)
        else:
            found.append(max(abs(_log(n * records / (table[text] * size), base)) for text, n in texts.items()))
    return highest(found, delta, strict=True)


def _log(ratio: float, base: float) -> float:
    """Exact for powers of 2 and 10, which strict comparison needs."""
    if base == 2:
        return log2(ratio)
    return log10(ratio) if base == 10 else log(ratio) / log(base)
