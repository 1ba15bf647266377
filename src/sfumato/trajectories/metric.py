"""Metrics on paths: what they read, the paths before and after masking side by side."""

from __future__ import annotations

from sfumato.contracts.metric import ReleaseMetric
from sfumato.data.frozen import frozen
from sfumato.trajectories.trajectories import Trajectories

__all__ = ["Masked", "TrajectoryMetric"]


@frozen(eq=False)
class Masked:
    """Paths before and after masking, persons in the same order."""

    before: Trajectories
    after: Trajectories


class TrajectoryMetric(ReleaseMetric[Masked]):
    """Scores masked paths beside those before."""
