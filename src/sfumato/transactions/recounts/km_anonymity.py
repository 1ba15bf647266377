"""k^m-anonymity, recounted: how many written baskets hold each set of few items."""

from __future__ import annotations

from fractions import Fraction

from sfumato.recounts import Groups, Level, minimal_sets

__all__ = ["level"]


def level(groups: Groups, *, k: int, m: int) -> Level:
    """Judge all sets of at most m items."""
    return minimal_sets(groups, m, k, Fraction(1))
