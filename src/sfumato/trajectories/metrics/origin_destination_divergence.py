"""Origins and destinations: from where to where people go in all."""

from __future__ import annotations

from typing import ClassVar

from sfumato.kernels.arrays import Ints
from sfumato.trajectories.metric import Masked
from sfumato.trajectories.metrics._distributions import CountMetric, numbered_alike
from sfumato.trajectories.trajectories import Trajectories

__all__ = ["OriginDestinationDivergence"]


class OriginDestinationDivergence(CountMetric):
    """The Jensen-Shannon divergence of the origin-destination matrices: the first and the last place of everybody's path.

    Persons without points are in no matrix.

    Examples
    --------
    >>> before = Trajectories.of([[("a", 1), ("b", 2)], [("a", 1), ("c", 2)]])
    >>> round(OriginDestinationDivergence().measure(Masked(before, before.without([("c", 2)]))).value, 4)
    0.5

    References
    ----------
    Pappalardo, Simini, Barlacchi, Pellungrini, "scikit-mobility: a Python library for the analysis, generation, and risk
    assessment of mobility data", 2022, doi:10.18637/jss.v103.i04.
    """

    id: ClassVar[str] = "origin-destination-divergence"

    def codes(self, published: Masked) -> tuple[Ints, Ints]:
        places, shown, count = numbered_alike(published.before.names, published.after.names)
        return _ends(published.before, places, count), _ends(published.after, shown, count)


def _ends(paths: Trajectories, number: Ints, count: int) -> Ints:
    there = paths.lengths > 0
    where = number[paths.places]
    return where[paths.starts[:-1][there]] * count + where[paths.starts[1:][there] - 1]
