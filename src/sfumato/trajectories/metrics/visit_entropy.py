"""Entropy of visits: how evenly people share their time among places."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from sfumato.kernels.arrays import Floats
from sfumato.trajectories.metrics._distributions import PersonMetric
from sfumato.trajectories.trajectories import Trajectories

__all__ = ["VisitEntropy"]


class VisitEntropy(PersonMetric):
    """How ``H = -sum p log2 p`` is distributed before and after, with p the shares of a person's points at each place, in bits.

    Jensen-Shannon divergence and earth mover's distance; persons without points do not count.

    Examples
    --------
    >>> from sfumato.trajectories.metric import Masked
    >>> before = Trajectories.of([[("a", 1), ("b", 2)], [("a", 1), ("a", 2)]])
    >>> round(VisitEntropy().measure(Masked(before, before.without([("b", 2)]))).value, 4)
    0.3113

    References
    ----------
    Song, Qu, Blumm, Barabási, "Limits of predictability in human mobility", 2010, doi:10.1126/science.1177170.
    """

    id: ClassVar[str] = "visit-entropy"

    def values(self, paths: Trajectories) -> Floats:
        width = np.int64(max(len(paths.names), 1))
        keys, counts = np.unique(paths.owners * width + paths.places, return_counts=True)
        owners = keys // width
        shares = counts / paths.lengths[owners]
        found: Floats = np.bincount(owners, -shares * np.log2(shares), len(paths)).astype(np.float64)
        return found[paths.lengths > 0]
