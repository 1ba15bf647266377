"""Lengths of paths: how far people go."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from sfumato.kernels.arrays import Floats
from sfumato.trajectories.metrics._distributions import PersonMetric, point_metres
from sfumato.trajectories.trajectories import Trajectories

__all__ = ["TripLength"]


class TripLength(PersonMetric):
    """How the lengths of paths are distributed before and after, in metres.

    The length of a path is the sum of distances between one point and the next. Jensen-Shannon divergence and earth mover's
    distance; persons without points do not count.

    Examples
    --------
    >>> from sfumato.trajectories.metric import Masked
    >>> before = Trajectories.of([[(0, 0, 1), (0, 3000, 2)], [(0, 0, 1), (0, 10, 2)]], unit="metres", grid=100)
    >>> round(TripLength().measure(Masked(before, before.taken(np.array([1, 1])))).value, 4)
    0.3113

    References
    ----------
    Pappalardo, Simini, Barlacchi, Pellungrini, "scikit-mobility: a Python library for the analysis, generation, and risk
    assessment of mobility data", 2022, doi:10.18637/jss.v103.i04.
    """

    id: ClassVar[str] = "trip-length"

    def values(self, paths: Trajectories) -> Floats:
        x, y = point_metres(paths)
        same = paths.owners[1:] == paths.owners[:-1]
        steps = np.hypot(np.diff(x), np.diff(y))[same]
        found: Floats = np.bincount(paths.owners[1:][same], steps, len(paths)).astype(np.float64)
        return found[paths.lengths > 0]
