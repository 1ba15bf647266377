"""m-confidentiality of a distorted table, recounted: shares are all that groups made without a look can tell."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.recounts._level import Groups, Level, at_most, counts_of, named

__all__ = ["applies", "level"]


def applies(kind: str) -> bool:
    """Only where groups ignore the values is a share all there is to believe; elsewhere raw persons are needed."""
    return kind == "distorted-table"


def level(groups: Groups, *, m: float, sets: Sequence[Sequence[object]] | None, missing: str) -> Level:
    """Judge the largest share of a set of sensitive values in each group."""
    held = counts_of(groups, missing)
    every = {text for texts in held for text in texts}
    guarded = [{text} for text in every] if sets is None else [named(every, chosen) for chosen in sets]
    shares = [
        max(sum(texts.get(text, 0) for text in chosen) for chosen in guarded) / sum(texts.values()) for texts in held
    ]
    broken = sum(not at_most(share, 1 / m) for share in shares)
    highest = max(shares, default=0.0)
    return Level(1 / highest if highest else None, broken, broken == 0)
