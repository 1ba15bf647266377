"""(alpha,k)-anonymity, recounted: the largest share of a sensitive text in each group, and its size."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.recounts._confidence import largest_share, share_or_shortfall
from sfumato.recounts._level import Groups, Level, counts_of, highest, named

__all__ = ["level"]


def level(groups: Groups, *, alpha: float, k: int, values: Sequence[object] | None, missing: str) -> Level:
    """Judge the largest share of each group; there is no level if one has fewer than k rows."""
    held = counts_of(groups, missing)
    bounded = None if values is None else named({text for texts in held for text in texts}, values)
    shares = [share_or_shortfall(largest_share(texts, bounded), sum(texts.values()), k) for texts in held]
    return highest(shares, alpha, most=1)
