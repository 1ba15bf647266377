"""MultiRelational k-anonymity, recounted: how many owners share what is written of them."""

from __future__ import annotations

from sfumato.recounts import Groups, Level

__all__ = ["applies", "level"]


def applies(kind: str, *, owner_signature: bool) -> bool:
    """Whole bags are compared; single combinations need the join, which is left to the model."""
    return owner_signature


def level(groups: Groups, *, k: int) -> Level:
    """Judge the number of owners of each form."""
    sizes = [sum(int(count) for count in rows.values()) for rows in groups.values()]
    broken = sum(size < k for size in sizes)
    return Level(min(sizes, default=None), broken, not broken)
