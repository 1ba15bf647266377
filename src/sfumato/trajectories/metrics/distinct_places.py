"""Distinct places: how many different places people visit."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from sfumato.kernels.arrays import Floats
from sfumato.trajectories.metrics._distributions import PersonMetric
from sfumato.trajectories.trajectories import Trajectories

__all__ = ["DistinctPlaces"]


class DistinctPlaces(PersonMetric):
    """How the number of different places of a person is distributed before and after masking.

    Jensen-Shannon divergence and earth mover's distance; persons without points do not count.

    Examples
    --------
    >>> from sfumato.trajectories.metric import Masked
    >>> before = Trajectories.of([[("a", 1), ("b", 2)], [("a", 1), ("a", 2)]])
    >>> round(DistinctPlaces().measure(Masked(before, before.without([("b", 2)]))).value, 4)
    0.3113

    References
    ----------
    González, Hidalgo, Barabási, "Understanding individual human mobility patterns", 2008, doi:10.1038/nature06958.
    """

    id: ClassVar[str] = "distinct-places"

    def values(self, paths: Trajectories) -> Floats:
        held = np.unique(paths.owners * np.int64(max(len(paths.names), 1)) + paths.places) // max(len(paths.names), 1)
        return np.bincount(held, minlength=len(paths))[paths.lengths > 0].astype(np.float64)
