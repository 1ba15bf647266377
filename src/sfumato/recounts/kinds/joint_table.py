"""Joint table, recounted: rows with equal texts are a group."""

from __future__ import annotations

from sfumato.recounts.kinds.recoded_table import counted

__all__ = ["counted"]
