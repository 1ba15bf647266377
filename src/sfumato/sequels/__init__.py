"""Publishing again: several releases about the same people, what they tell together, and how the next one keeps the promise."""

from __future__ import annotations

from sfumato.sequels.series import Series

__all__ = ["Series"]
