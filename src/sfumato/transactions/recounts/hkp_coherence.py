"""(h, k, p)-coherence, recounted: how many written baskets hold each set of few items, and how many of them a private one."""

from __future__ import annotations

from fractions import Fraction

from sfumato.recounts import Groups, Level, minimal_sets

__all__ = ["level"]


def level(groups: Groups, *, h: float, k: int, p: int) -> Level:
    """Judge all sets of at most p items."""
    return minimal_sets(groups, p, k, Fraction(str(h)))
