"""Frequency l-diversity, recounted: one over the largest share of a sensitive text in a group."""

from __future__ import annotations

from sfumato.recounts._level import Groups, Level, counts_of, lowest

__all__ = ["level"]


def level(groups: Groups, *, l: float, missing: str) -> Level:
    """Judge the size of each group over the count of its most frequent text."""
    return lowest((sum(texts.values()) / max(texts.values()) for texts in counts_of(groups, missing)), l)
