"""k-anonymity, recounted: how many rows share what an adversary may know."""

from __future__ import annotations

from sfumato.recounts._level import Groups, Level, lowest

__all__ = ["level"]


def level(groups: Groups, *, k: int) -> Level:
    """Judge the sizes of the groups."""
    return lowest((sum(rows.values()) for rows in groups.values()), k)
