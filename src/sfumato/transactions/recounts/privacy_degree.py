"""Privacy degree, recounted: how many baskets of a written group there are for each one with the same private item."""

from __future__ import annotations

from fractions import Fraction

from sfumato.recounts import Groups, Level

__all__ = ["level"]


def level(groups: Groups, *, p: int) -> Level:
    """Judge the size of each group by the largest count of its private items."""
    degrees = []
    for inside in groups.values():
        for line, size in inside.items():
            counts = [int(str(count)) for count in line[1::2]]
            if counts:
                degrees.append(Fraction(int(size), max(counts)))
    broken = sum(degree < p for degree in degrees)
    return Level(float(min(degrees)) if degrees else None, broken, broken == 0)
