"""LKC-privacy of paths, recounted: who fits any few known pairs, and how sure a sensitive value is."""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction

from sfumato.recounts import Groups, Level, minimal_sets

__all__ = ["level"]


def level(groups: Groups, *, L: int, K: int, C: float, sensitive: str | None, values: Collection[str] | None) -> Level:
    """Judge all sequences of at most L pairs; what is told of a person is a column and its value, one after the other."""
    chosen: dict[tuple[str | None, ...], dict[tuple[str | None, ...], float]] = {}
    for path, inside in groups.items():
        held = chosen.setdefault(tuple(path), {})
        for told, count in inside.items():
            mine = tuple(value for name, value in zip(told[::2], told[1::2], strict=True) if name == sensitive)
            held[mine] = held.get(mine, 0) + count
    return minimal_sets(chosen, L, K, Fraction(str(C)) if sensitive is not None else Fraction(1), values)
