"""Flows: how many people go from one place straight to another."""

from __future__ import annotations

from typing import ClassVar

from sfumato.kernels.arrays import Ints
from sfumato.trajectories.metric import Masked
from sfumato.trajectories.metrics._distributions import CountMetric, numbered_alike
from sfumato.trajectories.trajectories import Trajectories

__all__ = ["FlowDivergence"]


class FlowDivergence(CountMetric):
    """The Jensen-Shannon divergence of the shares of steps from one place to the next, before and after masking.

    A step goes from a point of a path to the following one, also if it stays at the place.

    Examples
    --------
    >>> before = Trajectories.of([[("a", 1), ("b", 2), ("c", 3)], [("a", 1), ("b", 2)]])
    >>> round(FlowDivergence().measure(Masked(before, before.without([("c", 3)]))).value, 4)
    0.1909

    References
    ----------
    Pappalardo, Simini, Barlacchi, Pellungrini, "scikit-mobility: a Python library for the analysis, generation, and risk
    assessment of mobility data", 2022, doi:10.18637/jss.v103.i04.
    """

    id: ClassVar[str] = "flow-divergence"

    def codes(self, published: Masked) -> tuple[Ints, Ints]:
        places, shown, count = numbered_alike(published.before.names, published.after.names)
        return _steps(published.before, places, count), _steps(published.after, shown, count)


def _steps(paths: Trajectories, number: Ints, count: int) -> Ints:
    where = number[paths.places]
    same = paths.owners[1:] == paths.owners[:-1]
    steps: Ints = (where[:-1] * count + where[1:])[same]
    return steps
