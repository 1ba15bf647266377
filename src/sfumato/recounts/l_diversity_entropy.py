"""Entropy l-diversity, recounted: exp(entropy) of the sensitive texts of a group."""

from __future__ import annotations

from math import exp, fsum, log

from sfumato.recounts._level import Groups, Level, counts_of, lowest

__all__ = ["level"]


def level(groups: Groups, *, l: float, missing: str) -> Level:
    """Judge how many equally frequent texts each group is worth."""
    worth = []
    for texts in counts_of(groups, missing):
        size = sum(texts.values())
        worth.append(exp(max(0.0, -fsum(count / size * log(count / size) for count in texts.values()))))
    return lowest(worth, float(l))
