"""Visits by place and hour: where people are at which hour of the day."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from sfumato.kernels.arrays import Ints
from sfumato.trajectories.metric import Masked
from sfumato.trajectories.metrics._distributions import CountMetric, numbered_alike

__all__ = ["VisitsByCellAndHour"]


class VisitsByCellAndHour(CountMetric):
    """The Jensen-Shannon divergence of the shares of all points by place and hour of the day, before and after masking.

    Times that are numbers or days count as they are. 0 if nothing changed, 1 if no place has points at an hour that it had any.

    Examples
    --------
    >>> from sfumato.trajectories import Trajectories
    >>> before = Trajectories.of([[("a", 1), ("b", 2)], [("a", 1)]])
    >>> round(VisitsByCellAndHour().measure(Masked(before, before.without([("b", 2)]))).value, 4)
    0.1909

    References
    ----------
    Pappalardo, Simini, Barlacchi, Pellungrini, "scikit-mobility: a Python library for the analysis, generation, and risk
    assessment of mobility data", 2022, doi:10.18637/jss.v103.i04.
    """

    id: ClassVar[str] = "visits-by-cell-and-hour"

    def codes(self, published: Masked) -> tuple[Ints, Ints]:
        before, after = published.before, published.after
        places, shown, _ = numbered_alike(before.names, after.names)
        hours, later, count = numbered_alike(
            *([one.hour if isinstance(one, datetime) else one for one in paths.moments] for paths in (before, after))
        )
        return places[before.places] * count + hours[before.times], shown[after.places] * count + later[after.times]
