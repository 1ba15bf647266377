"""LKC-privacy of baskets, recounted: who fits any few known items, and how sure a private one is."""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction

from sfumato.recounts import Groups, Level, minimal_sets

__all__ = ["level"]


def level(groups: Groups, *, L: int, K: int, C: float, values: Collection[str] | None) -> Level:
    """Judge all sets of at most L items."""
    return minimal_sets(groups, L, K, Fraction(str(C)), values)
