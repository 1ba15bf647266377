"""Grassberger's l-diversity, recounted: exp of the estimated entropy of the sensitive texts of a group."""

from __future__ import annotations

from math import exp, fsum

from sfumato.recounts._level import Groups, Level, Number, counts_of, lowest

__all__ = ["level"]


def level(groups: Groups, *, l: float, missing: str) -> Level:
    """Judge how many equally frequent texts each group is estimated to be worth."""
    worth = []
    for texts in counts_of(groups, missing):
        size = sum(texts.values())
        worth.append(exp(_g(size) - fsum(count * _g(count) for count in texts.values()) / size))
    return lowest(worth, float(l))


def _g(number: Number) -> float:
    """Return G without its constant, which cancels out."""
    return fsum(2 / (2 * i - 1) for i in range(1, int(number) // 2 + 1))
