"""Locally recoded baskets, recounted: they are written as all recoded baskets are."""

from __future__ import annotations

from sfumato.transactions.recounts.kinds.recoded_baskets import counted

__all__ = ["counted"]
