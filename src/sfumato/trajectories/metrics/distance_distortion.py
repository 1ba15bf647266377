"""Distance distortion: how far from where people were they are shown."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from sfumato.contracts.metric import Measured, MetricTraits
from sfumato.trajectories.metric import Masked, TrajectoryMetric
from sfumato.trajectories.metrics._distributions import numbered_alike, point_metres

__all__ = ["DistanceDistortion"]


class DistanceDistortion(TrajectoryMetric):
    """The mean distance, in metres, between where a person was and where the release shows the person at the same time.

    Points that the release does not show at all do not count in the mean; ``lost`` is their share, ``total`` the sum of all
    distances, which is the DistortCost of never walk alone without its price for what was left out.

    Examples
    --------
    >>> from sfumato.trajectories import Trajectories
    >>> before = Trajectories.of([[(0, 0, 1), (0, 30, 2)]], unit="metres", grid=100)
    >>> after = Trajectories.of([[(0, 0, 1), (0, 40, 2)]], unit="metres", grid=100)
    >>> DistanceDistortion().measure(Masked(before, after)).value
    5.0

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 14.3.2.3, Definition 14.11.
    """

    id: ClassVar[str] = "distance-distortion"
    traits: ClassVar[MetricTraits] = MetricTraits(better="lower")

    def measure(self, published: Masked) -> Measured:
        before, after = published.before, published.after
        times, later, count = numbered_alike(before.moments, after.moments)
        asked = before.owners * np.int64(count) + times[before.times]
        shown = after.owners * np.int64(count) + later[after.times]
        order = np.argsort(shown, kind="stable")
        at = np.minimum(np.searchsorted(shown[order], asked), max(len(shown) - 1, 0))
        met = shown[order][at] == asked if len(shown) else np.zeros(len(asked), np.bool_)
        (x, y), (new_x, new_y) = point_metres(before), point_metres(after, before)
        found = order[at[met]]
        apart = np.hypot(x[met] - new_x[found], y[met] - new_y[found])
        lost = 1 - float(met.mean()) if len(met) else 0.0
        mean = float(apart.mean()) if len(apart) else 0.0
        return Measured(self.id, mean, {"total": float(apart.sum()), "lost": lost}, lowest=0.0)
