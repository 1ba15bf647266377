"""Recursive (c,l)-site diversity, recounted: the c that each group needs."""

from __future__ import annotations

from sfumato.recounts.l_diversity_recursive import level

__all__ = ["level"]
