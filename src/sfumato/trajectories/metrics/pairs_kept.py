"""Pairs kept: how many of the different pairs of place and time are still there."""

from __future__ import annotations

from typing import ClassVar

from sfumato.contracts.metric import Measured, MetricTraits
from sfumato.trajectories.metric import Masked, TrajectoryMetric

__all__ = ["PairsKept"]


class PairsKept(TrajectoryMetric):
    """The share of different pairs of place and time that somebody still has: ``|pairs after and before| / |pairs before|``.

    Examples
    --------
    >>> from sfumato.trajectories import Pair, Trajectories
    >>> before = Trajectories.of([[("a", 1), ("b", 2)], [("a", 1)]])
    >>> PairsKept().measure(Masked(before, before.without([Pair("b", 2)]))).value
    0.5

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 14.2.2.
    """

    id: ClassVar[str] = "pairs-kept"
    traits: ClassVar[MetricTraits] = MetricTraits(better="higher")

    def measure(self, published: Masked) -> Measured:
        before, after = set(published.before.pairs), set(published.after.pairs)
        return Measured(self.id, len(before & after) / len(before) if before else 1.0, lowest=0.0, highest=1.0)
