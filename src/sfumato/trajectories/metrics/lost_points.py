"""Lost points: how much of the paths was left out."""

from __future__ import annotations

from typing import ClassVar

from sfumato.contracts.metric import Measured, MetricTraits
from sfumato.trajectories.metric import Masked, TrajectoryMetric

__all__ = ["LostPoints"]


class LostPoints(TrajectoryMetric):
    """The share of points that are not published: ``1 - |points after| / |points before|``.

    The denominator is the number of points before masking, each bin of a person once.

    Examples
    --------
    >>> from sfumato.trajectories import Pair, Trajectories
    >>> before = Trajectories.of([[("a", 1), ("b", 2)], [("a", 1)]])
    >>> round(LostPoints().measure(Masked(before, before.without([Pair("b", 2)]))).value, 4)
    0.3333

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 14.2.2.
    """

    id: ClassVar[str] = "lost-points"
    traits: ClassVar[MetricTraits] = MetricTraits(better="lower")

    def measure(self, published: Masked) -> Measured:
        before, after = len(published.before.places), len(published.after.places)
        lost = (before - after) / before if before else 0.0
        return Measured(self.id, lost, lowest=0.0, highest=1.0, denominator=before)
