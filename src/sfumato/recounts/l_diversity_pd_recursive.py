"""Recursive diversity with values that may be learnt, recounted: the c that each group needs."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.recounts._level import Groups, Level, counts_of, highest, named
from sfumato.recounts._ranks import needed_c

__all__ = ["level"]


def level(groups: Groups, *, c: float, l: int, tolerated: Sequence[object], strict: bool, missing: str) -> Level:
    """Judge the c that each group needs for the texts that are not tolerated."""
    held = counts_of(groups, missing)
    allowed = named({text for texts in held for text in texts}, tolerated)
    return highest((needed_c(texts, l, allowed) for texts in held), c, strict=strict)
