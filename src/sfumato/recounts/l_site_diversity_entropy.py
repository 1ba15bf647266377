"""Entropy l-site diversity, recounted: exp(entropy) of the sites of a group."""

from __future__ import annotations

from sfumato.recounts.l_diversity_entropy import level

__all__ = ["level"]
