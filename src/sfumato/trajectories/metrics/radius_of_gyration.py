"""Radius of gyration: how far from their middle people move."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from sfumato.kernels.arrays import Floats
from sfumato.trajectories.metrics._distributions import PersonMetric, point_metres
from sfumato.trajectories.trajectories import Trajectories

__all__ = ["RadiusOfGyration"]


class RadiusOfGyration(PersonMetric):
    """How ``r = sqrt(mean |p - c|^2)`` is distributed before and after, with c the mean of the points p of a person, in metres.

    Jensen-Shannon divergence and earth mover's distance; persons without points do not count.

    Examples
    --------
    >>> from sfumato.trajectories.metric import Masked
    >>> before = Trajectories.of([[(0, 0, 1), (0, 30, 2)], [(0, 0, 1), (0, 10, 2)]], unit="metres", grid=100)
    >>> round(RadiusOfGyration().measure(Masked(before, before)).value, 4)
    0.0

    References
    ----------
    González, Hidalgo, Barabási, "Understanding individual human mobility patterns", 2008, doi:10.1038/nature06958.
    """

    id: ClassVar[str] = "radius-of-gyration"

    def values(self, paths: Trajectories) -> Floats:
        count = np.maximum(paths.lengths, 1)
        square = np.zeros(len(paths))
        for held in point_metres(paths):
            mean = np.bincount(paths.owners, held, len(paths)) / count
            square += np.bincount(paths.owners, (held - mean[paths.owners]) ** 2, len(paths)) / count
        return np.sqrt(square[paths.lengths > 0])
