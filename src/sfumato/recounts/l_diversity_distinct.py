"""Distinct l-diversity, recounted: how many different texts a group holds."""

from __future__ import annotations

from sfumato.recounts._level import Groups, Level, counts_of, lowest

__all__ = ["level"]


def level(groups: Groups, *, l: int, missing: str) -> Level:
    """Judge the number of different sensitive texts of each group."""
    return lowest(map(len, counts_of(groups, missing)), l)
