"""Insider residual, recounted: the smallest part of a group that a site can see without its own records."""

from __future__ import annotations

from sfumato.recounts._compared import compared
from sfumato.recounts._level import Groups, Histogram, Level, lowest

__all__ = ["level"]


def level(groups: Groups, *, k: int, missing: str, whole: Histogram | None) -> Level:
    """Judge what is left of each group; a site whose records were all left out sees every group whole."""
    sites, table = compared(groups, missing, whole)
    known = {text for text, count in table.items() if count}
    if len(known) < 2:
        return Level(None, 0, True)
    worst = [min(part for site in known if (part := sum(one.values()) - one.get(site, 0))) for one in sites]
    return lowest(worst, k)
