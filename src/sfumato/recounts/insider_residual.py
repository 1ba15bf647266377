"""Insider residual, recounted: the smallest part of a group that a site can see without its own records."""

from __future__ import annotations

from sfumato.recounts._level import Groups, Level, counts_of, lowest

__all__ = ["level"]


def level(groups: Groups, *, k: int, missing: str) -> Level:
    """Judge what is left of each group."""
    sites = counts_of(groups, missing)
    known = {text for one in sites for text in one}
    if len(known) < 2:
        return Level(None, 0, True)
    worst = [min(part for site in known if (part := sum(one.values()) - one.get(site, 0))) for one in sites]
    return lowest(worst, k)
