"""(X,Y)-anonymity, recounted: how many different texts on Y go with each text on X."""

from __future__ import annotations

from sfumato.recounts._level import Groups, Level, lowest, refuse_missing

__all__ = ["level"]


def level(groups: Groups, *, k: int, missing: str) -> Level:
    """Judge the number of different texts on Y of each group."""
    refuse_missing(groups, missing)
    return lowest(map(len, groups.values()), k)
