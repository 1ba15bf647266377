"""(X,Y)-privacy, recounted: rows or different texts on Y of each text on X, and the largest share on Y."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.recounts._combined import protected
from sfumato.recounts._confidence import largest_share, share_or_shortfall
from sfumato.recounts._level import Groups, Level, highest, lowest, refuse_missing

__all__ = ["level"]


def level(
    groups: Groups,
    *,
    k: int | None,
    h: float | None,
    anonymity_counts: str,
    values: Sequence[object] | None,
    missing: str,
) -> Level:
    """Judge the largest share of each group; there is no level if one misses k. Without h judge what k bounds."""
    if h is not None or anonymity_counts == "distinct_y":
        refuse_missing(groups, missing)
    counted = [sum(rows.values()) if anonymity_counts == "records" else len(rows) for rows in groups.values()]
    if h is None:
        return lowest(counted, k or 1)
    bounded = protected(groups, values)
    shares = [largest_share(rows, bounded) for rows in groups.values()]
    return highest(map(share_or_shortfall, shares, counted, [k or 1] * len(counted)), h, most=1)
