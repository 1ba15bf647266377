"""l-site diversity, recounted: how many different sites a group holds."""

from __future__ import annotations

from sfumato.recounts.l_diversity_distinct import level

__all__ = ["level"]
