"""Recursive (c,l)-diversity, recounted: the c that each group needs."""

from __future__ import annotations

from sfumato.recounts._level import Groups, Level, counts_of, highest
from sfumato.recounts._ranks import needed_c

__all__ = ["level"]


def level(groups: Groups, *, c: float, l: int, strict: bool, missing: str) -> Level:
    """Judge the c that each group needs."""
    return highest((needed_c(texts, l) for texts in counts_of(groups, missing)), c, strict=strict)
