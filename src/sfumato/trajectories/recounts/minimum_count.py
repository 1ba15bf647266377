"""Minimum count, recounted: the smallest of the written numbers."""

from __future__ import annotations

from sfumato.recounts import Groups, Level

__all__ = ["level"]


def level(groups: Groups, *, k: int) -> Level:
    """Judge how many persons stand behind each number."""
    sizes = [int(sum(inside.values())) for inside in groups.values()]
    broken = sum(size < k for size in sizes)
    return Level(min(sizes, default=None), broken, broken == 0)
