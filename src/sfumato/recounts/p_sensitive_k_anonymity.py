"""p-sensitive k-anonymity, recounted: different texts of each group that is large enough."""

from __future__ import annotations

from sfumato.recounts._level import Groups, Level, counts_of, lowest

__all__ = ["level"]


def level(groups: Groups, *, p: int, k: int, missing: str) -> Level:
    """Judge the number of different sensitive texts; none counts where there are too few rows."""
    return lowest((len(texts) if sum(texts.values()) >= k else 0 for texts in counts_of(groups, missing)), p)
