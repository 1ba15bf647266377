"""Personal frequency of the values that occur, recounted: texts that a group lacks do not count."""

from __future__ import annotations

from functools import partial

from sfumato.recounts.personal_frequency import level as _level

__all__ = ["level"]

level = partial(_level, present=True)
