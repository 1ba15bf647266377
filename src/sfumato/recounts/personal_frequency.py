"""Personal frequency, recounted: the largest difference between a share in a group and in the table."""

from __future__ import annotations

from fractions import Fraction

from sfumato.recounts._compared import compared
from sfumato.recounts._confidence import share_or_shortfall
from sfumato.recounts._level import Groups, Histogram, Level, Number

__all__ = ["level"]


def level(
    groups: Groups,
    *,
    th_acct: str | float,
    min_block_size: int,
    missing: str,
    whole: Histogram | None,
    allowance: float,
    present: bool = False,
) -> Level:
    """Judge the largest difference of each group, over all texts of the table or over those that are ``present`` in it.

    Differences and threshold are each rounded once, so no slack is given but what rows that stand for nobody may change. No
    difference is above 1; a group that is too small measures more and is never excused.
    """
    held, table = compared(groups, missing, whole)
    records, limit = sum(table.values()), float(Fraction(str(th_acct)))
    if allowance:
        limit = min(limit + allowance, 1.0) + 1e-12
    found: list[Number] = []
    for texts in held:
        size = sum(texts.values())
        far = max(
            abs(texts.get(text, 0) * records - count * size) / (size * records)
            for text, count in table.items()
            if text in texts or not present
        )
        found.append(share_or_shortfall(far, size, min_block_size))
    broken = sum(value > limit for value in found)
    return Level(max(found, default=None), broken, broken == 0)
