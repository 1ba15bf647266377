"""Confidence bounding, recounted: the share of one sensitive value in each group."""

from __future__ import annotations

from sfumato.recounts._level import Groups, Level, counts_of, highest, named

__all__ = ["level"]


def level(groups: Groups, *, value: object, h: float, missing: str) -> Level:
    """Judge the share of the value in each group."""
    held = counts_of(groups, missing)
    bounded = named({text for texts in held for text in texts}, [value])
    return highest((sum(texts.get(text, 0) for text in bounded) / sum(texts.values()) for texts in held), h)
