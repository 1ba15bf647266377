"""Generalized trajectories, recounted: as paths are where pairs are left out of all of them."""

from __future__ import annotations

from sfumato.trajectories.recounts.kinds.recoded_trajectories import counted

__all__ = ["counted"]
