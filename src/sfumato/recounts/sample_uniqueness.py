"""Sample uniqueness, recounted: groups of one row over rows."""

from __future__ import annotations

from sfumato.recounts._level import Groups, Level
from sfumato.recounts.average_risk import share_of_rows

__all__ = ["level"]


def level(groups: Groups, *, threshold: float) -> Level:
    """Judge the number of rows that are alone over that of all."""
    sizes = [sum(rows.values()) for rows in groups.values()]
    return share_of_rows(sizes, [int(size == 1) for size in sizes], threshold)
