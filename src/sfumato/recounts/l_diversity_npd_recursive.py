"""Recursive diversity with values whose absence must stay hidden, recounted: the c1 that each group needs."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from sfumato.recounts._level import Groups, Level, at_least, counts_of, highest, named
from sfumato.recounts._ranks import needed_c

__all__ = ["level"]


def level(
    groups: Groups,
    *,
    c1: float,
    c2: float,
    l: int,
    tolerated: Sequence[object],
    never_excluded: Sequence[object],
    strict: bool,
    missing: str,
) -> Level:
    """Judge the c1 that each group needs; none is enough where a value that must not be excluded is too rare."""
    held = counts_of(groups, missing)
    every = {text for texts in held for text in texts}
    allowed, hidden = named(every, tolerated), [named(every, [value]) for value in never_excluded]
    needed = []
    for texts in held:
        size = sum(texts.values())
        shares = [sum(texts.get(text, 0) for text in spelled) / size for spelled in hidden]
        needed.append(needed_c(texts, l, allowed) if all(at_least(share, c2) for share in shares) else inf)
    return highest(needed, c1, strict=strict)
