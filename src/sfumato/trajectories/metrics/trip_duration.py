"""Durations of paths: how long people are on their way."""

from __future__ import annotations

from typing import ClassVar

from sfumato.kernels.arrays import Floats
from sfumato.trajectories.metrics._distributions import PersonMetric, stamps
from sfumato.trajectories.trajectories import Trajectories

__all__ = ["TripDuration"]


class TripDuration(PersonMetric):
    """How the times from the first to the last point are distributed before and after, in seconds, days or numbers.

    Jensen-Shannon divergence and earth mover's distance; persons without points do not count.

    Examples
    --------
    >>> from sfumato.trajectories.metric import Masked
    >>> before = Trajectories.of([[("a", 1), ("b", 2)], [("a", 1), ("b", 9)]])
    >>> round(TripDuration().measure(Masked(before, before.without([("b", 9)]))).value, 4)
    0.5

    References
    ----------
    Pappalardo, Simini, Barlacchi, Pellungrini, "scikit-mobility: a Python library for the analysis, generation, and risk
    assessment of mobility data", 2022, doi:10.18637/jss.v103.i04.
    """

    id: ClassVar[str] = "trip-duration"

    def values(self, paths: Trajectories) -> Floats:
        there, at = paths.lengths > 0, stamps(paths)
        return at[paths.starts[1:][there] - 1] - at[paths.starts[:-1][there]]
