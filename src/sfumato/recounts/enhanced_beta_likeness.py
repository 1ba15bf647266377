"""Enhanced beta-likeness, recounted: the largest gain of each group, none of them beyond its cap."""

from __future__ import annotations

from math import inf, log

from sfumato.recounts._compared import compared
from sfumato.recounts._level import Groups, Histogram, Level, highest
from sfumato.recounts.basic_beta_likeness import gains

__all__ = ["level"]


_SLACK = 1e-9


def level(groups: Groups, *, beta: float, missing: str, whole: Histogram | None) -> Level:
    """Judge the largest gain of each group; no beta is enough where a gain exceeds -ln p."""
    held, table = compared(groups, missing, whole)
    records = sum(table.values())
    caps = {text: log(records / count) * (1 + _SLACK) for text, count in table.items() if count}
    found = []
    for texts in held:
        gained = gains(texts, table)
        found.append(inf if any(gain > caps.get(text, inf) for text, gain in gained.items()) else max(gained.values()))
    return highest(found, beta)
