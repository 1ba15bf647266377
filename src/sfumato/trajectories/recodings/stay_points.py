"""Stay points: where somebody stayed for a while, and the trips between."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from typing import ClassVar

import numpy as np

from sfumato.contracts.thing import Thing, param
from sfumato.data.frozen import frozen
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Floats, Ints
from sfumato.trajectories.moving_objects import clock, metres
from sfumato.trajectories.recodings._stay_kernels import stays
from sfumato.trajectories.times import length_of
from sfumato.trajectories.trajectories import Trajectories

__all__ = ["StayPoints", "Stays"]


@frozen(eq=False, repr=False)
class Stays:
    """Stops and trips of paths.

    ``stop`` is the stay of each point, -1 on the way; ``trip`` the trip of each point, -1 inside a stay: trips and stays are
    numbered in the order of paths and times. Of each stay: ``person``, the mean ``x`` and ``y`` in metres, ``begin`` and
    ``end`` on the clock (seconds, days or numbers).
    """

    stop: Ints
    trip: Ints
    person: Ints
    x: Floats
    y: Floats
    begin: Floats
    end: Floats

    def __len__(self) -> int:
        return len(self.person)


class StayPoints(Thing):
    """Find where persons stayed within ``distance`` for ``duration`` or longer, and split their paths into stops and trips.

    From each point on, the following ones belong to it while they are within ``distance`` metres of it; if the time from the
    first to the last is at least ``duration``, they are a stay at their mean, and the search goes on behind it. What lies
    between two stays is a trip.

    Under ``operations`` of a policy it comes before places and bins are made of points: of every stay one point is kept, at its
    mean when it begins; or, with ``keep: trips``, the points on the way.

    Examples
    --------
    >>> paths = Trajectories.of([[(0, 0, 0), (5, 0, 10), (0, 5, 20), (900, 0, 25), (1800, 0, 30)]], unit="metres", grid=100)
    >>> found = StayPoints(distance=50, duration=15).find(paths)
    >>> found.stop.tolist(), found.trip.tolist(), found.end.tolist()
    ([0, 0, 0, -1, -1], [-1, -1, -1, 0, 0], [20.0])

    References
    ----------
    Li, Zheng, Xie, Chen, Liu, Ma, "Mining user similarity based on location history", 2008, doi:10.1145/1463434.1463477.
    """

    id: ClassVar[str] = "stay-points"
    kind: ClassVar[str] = "operation"
    truthful: ClassVar[bool] = True

    distance: float = param(default=200.0, gt=0, doc="how far from its first point a stay may go, in metres")
    duration: str | float = param(
        default="20min", doc="how long a stay lasts at least: 20min, or a number where times are numbers"
    )

    keep: str = param(default="stops", choices=("stops", "trips"), doc="which points a policy goes on with")

    def kept(self, paths: Trajectories) -> Trajectories:
        """Return a point for each stay, at its mean when it begins, or the points of trips; places are those given."""
        found = self.find(paths)
        if self.keep == "trips":
            return paths.thinned(found.trip >= 0)
        begins = np.flatnonzero((found.stop >= 0) & (np.diff(found.stop, prepend=-1) > 0))
        inside = found.stop >= 0
        sizes = np.bincount(found.stop[inside])
        held = np.zeros(len(found.stop), np.bool_)
        held[begins] = True
        assert paths.x is not None
        assert paths.y is not None
        x, y = (np.bincount(found.stop[inside], one[inside]) / sizes for one in (paths.x, paths.y))
        return replace(paths.thinned(held), x=x, y=y)

    def find(self, paths: Trajectories) -> Stays:
        """Return the stops and trips of paths with coordinates."""
        x, y = metres(paths)
        times = np.array([clock(moment) for moment in paths.moments], np.float64)[paths.times]
        stop = stays(
            paths.starts,
            np.ascontiguousarray(x),
            np.ascontiguousarray(y),
            times,
            float(self.distance),
            self._length(paths),
        )
        moving = stop < 0
        before = np.concatenate(([-1], stop[:-1]))
        new = np.ones(len(stop), np.bool_)
        new[1:] = paths.owners[1:] != paths.owners[:-1]
        begins = moving & (new | (before >= 0))
        trip = np.where(moving, np.cumsum(begins) - 1, -1)
        count = int(stop.max(initial=-1)) + 1
        inside = np.flatnonzero(~moving)
        number = stop[inside]
        sizes = np.maximum(np.bincount(number, minlength=count), 1)
        first = np.searchsorted(number, np.arange(count))
        last = np.searchsorted(number, np.arange(count), side="right") - 1
        return Stays(
            stop,
            trip,
            paths.owners[inside][first],
            np.bincount(number, x[inside], count) / sizes,
            np.bincount(number, y[inside], count) / sizes,
            times[inside][first],
            times[inside][last],
        )

    def _length(self, paths: Trajectories) -> float:
        given = length_of(self.duration)
        dates = bool(paths.moments) and isinstance(paths.moments[0], date)
        if bool(paths.moments) and isinstance(given, timedelta) != dates:
            raise BadRequest("does not fit the times", parameter=f"{self.id}.duration", value=self.duration)
        return given.total_seconds() if isinstance(given, timedelta) else float(given)
