"""Moving objects: for each person points in the plane at times of a common clock, and which of them may be known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from functools import cached_property

import numpy as np

from sfumato.contracts.model import Model
from sfumato.data.frozen import frozen
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Bools, Floats, Ints
from sfumato.trajectories.coordinates import METRES_PER_DEGREE
from sfumato.trajectories.trajectories import Moment, Trajectories

__all__ = ["MOST_POINTS", "MovingObjects", "ObjectGroups", "WalkModel", "clock", "in_metres", "metres", "origin"]

MOST_POINTS = 200_000_000
"""What fits into memory at once: two numbers for each."""


@frozen(eq=False, repr=False)
class MovingObjects:
    """Points in the plane by object and time: ``x[i, t]``, ``y[i, t]`` where object i was at ``times[t]``; NaN where unseen.

    ``times`` rise; they are whole numbers of a clock or whatever names the columns. ``known`` says which points an adversary
    may know of each object, its quasi-identifier QID(O); all that are seen if not given. ``names`` are in the house only.

    Examples
    --------
    >>> objects = MovingObjects.of({"A": [(0, 0), (0, 0)], "B": [(6, 0), (0, 2)]})
    >>> len(objects), objects.times, objects.farthest("A", "B")
    (2, (0, 1), 6.0)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, sections 14.3 and 14.4.
    """

    x: Floats
    y: Floats
    times: tuple[Moment | str, ...]
    names: tuple[str, ...]
    known: Bools | None = None

    @classmethod
    def of(
        cls,
        points: Mapping[str, Sequence[Sequence[float] | None]],
        times: Sequence[Moment | str] | None = None,
    ) -> MovingObjects:
        """Return objects from a list of points ``(x, y)`` for each, one for each time; ``None`` where it was not seen."""
        lengths = {len(one) for one in points.values()}
        if len(lengths) > 1 or (times is not None and lengths - {len(times)}):
            raise BadRequest("must have one point of every object for each time", parameter="points")
        if any(point is not None and len(point) != 2 for path in points.values() for point in path):
            raise BadRequest("a point is two numbers, x and y", parameter="points")
        width = next(iter(lengths), 0)
        flat = [
            (float("nan"), float("nan")) if point is None else (float(point[0]), float(point[1]))
            for path in points.values()
            for point in path
        ]
        both = np.array(flat, np.float64).reshape(len(points), width, 2)
        if np.isinf(both).any():
            raise BadRequest("a point is two finite numbers", parameter="points")
        return cls(both[:, :, 0], both[:, :, 1], tuple(range(width)) if times is None else tuple(times), tuple(points))

    @classmethod
    def of_trajectories(cls, paths: Trajectories) -> MovingObjects:
        """Return the coordinates of paths at all times that occur, in metres."""
        x, y = metres(paths)
        size = (len(paths), len(paths.moments))
        if size[0] * size[1] > MOST_POINTS:
            raise BadRequest(
                f"{size[0]:,} persons at {size[1]:,} times are too many for a common clock: give a coarser bin",
                parameter="time.bin",
            )
        wide = np.full((2, *size), np.nan)
        wide[0, paths.owners, paths.times], wide[1, paths.owners, paths.times] = x, y
        return cls(wide[0], wide[1], paths.moments, paths.persons or tuple(map(str, range(len(paths)))))

    def __len__(self) -> int:
        return len(self.x)

    def __repr__(self) -> str:  # points tell of persons
        return f"MovingObjects({len(self):,} objects, {len(self.times):,} times)"

    @cached_property
    def seen(self) -> Bools:
        """Where each object was seen."""
        return ~np.isnan(self.x)

    @cached_property
    def qid(self) -> Bools:
        """Which points an adversary may know; all that are seen if nobody said."""
        return self.seen if self.known is None else self.known

    @cached_property
    def number_of(self) -> Mapping[str, int]:
        """Name -> place."""
        return {name: at for at, name in enumerate(self.names)}

    def taken(self, objects: Ints) -> MovingObjects:
        """Return some objects, in this order."""
        known = None if self.known is None else self.known[objects]
        names = tuple(self.names[at] for at in objects.tolist())
        return replace(self, x=self.x[objects], y=self.y[objects], names=names, known=known)

    def farthest(self, one: str, other: str) -> float | None:
        """Return the largest distance of two objects at any time; ``None`` if they were not seen at the same times.

        Two objects co-localize for delta if this is there and at most delta (Definition 14.8).
        """
        first, second = self.number_of[one], self.number_of[other]
        if not np.array_equal(self.seen[first], self.seen[second]):
            return None
        apart = np.hypot(self.x[first] - self.x[second], self.y[first] - self.y[second])
        return float(np.nanmax(apart, initial=0.0))


@frozen(eq=False, repr=False)
class ObjectGroups:
    """Moving objects in disjoint groups; ``group`` is that of each object."""

    objects: MovingObjects
    group: Ints

    @classmethod
    def of(cls, objects: MovingObjects, groups: Sequence[Sequence[str]]) -> ObjectGroups:
        """Return objects in groups by their names; everyone must be in one."""
        number = np.full(len(objects), -1, np.int64)
        for at, members in enumerate(groups):
            for name in members:
                place = objects.number_of.get(name)
                if place is None or number[place] >= 0:
                    raise BadRequest("must name every object once", parameter="groups")
                number[place] = at
        if (number < 0).any():
            raise BadRequest("must name every object once", parameter="groups")
        return cls(objects, number)

    def __len__(self) -> int:
        return len(np.unique(self.group))

    def __repr__(self) -> str:
        return f"ObjectGroups({len(self.objects):,} objects in {len(self):,} groups)"

    @cached_property
    def members(self) -> list[Ints]:
        """The places of the objects of each group."""
        order = np.argsort(self.group, kind="stable")
        cuts = np.flatnonzero(np.diff(self.group[order])) + 1
        return np.split(order, cuts) if len(order) else []

    @cached_property
    def spreads(self) -> Floats:
        """The largest distance of two members of each group at any time; infinite if they were not seen at the same times."""
        return np.array([self._spread(members) for members in self.members], np.float64)

    def _spread(self, members: Ints) -> float:
        seen = self.objects.seen[members]
        if (seen != seen[0]).any():
            return float("inf")
        x, y = (held[members][:, seen[0]] for held in (self.objects.x, self.objects.y))
        # Times in blocks: a large group compares every member with every other at each of them.
        block = max(1, 4_000_000 // max(len(members) ** 2, 1))
        widest = 0.0
        for first in range(0, x.shape[1], block):
            some = slice(first, first + block)
            apart = (x[:, None, some] - x[None, :, some]) ** 2 + (y[:, None, some] - y[None, :, some]) ** 2
            widest = max(widest, float(apart.max(initial=0.0)))
        return float(np.sqrt(widest))


class WalkModel(Model[ObjectGroups]):
    """A requirement that can be read from published groups of moving objects."""


def clock(moment: Moment) -> float:
    """Return a time as a number: itself, the days of a day, the seconds of a day with its time.

    >>> clock(datetime(1970, 1, 1, 1)), clock(7)
    (3600.0, 7.0)
    """
    if isinstance(moment, datetime):
        return (moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)).timestamp()
    return float(moment.toordinal() - date(1970, 1, 1).toordinal()) if isinstance(moment, date) else float(moment)


def origin(paths: Trajectories) -> tuple[float, float]:
    """Return the longitude and latitude that metres are counted from: the middle of the points, to a hundredth of a degree."""
    if paths.x is None or paths.y is None:
        raise BadRequest("needs coordinates: name the columns x and y of the place", parameter="place")
    if paths.unit != "degrees" or not len(paths.x):
        return 0.0, 0.0
    east, north = (round((float(one.min()) + float(one.max())) / 2, 2) for one in (paths.x, paths.y))
    return east, north


def metres(paths: Trajectories) -> tuple[Floats, Floats]:
    """Return the coordinates of the points in metres east and north of their :func:`origin`."""
    middle = origin(paths)
    assert paths.x is not None
    assert paths.y is not None
    return in_metres(paths.x, paths.y, paths.unit, middle)


def in_metres(x: Floats, y: Floats, unit: str, middle: tuple[float, float]) -> tuple[Floats, Floats]:
    """Return degrees as metres east and north of a point: an equirectangular projection, good for a city; metres stay."""
    if unit != "degrees":
        return x, y
    shrunk = METRES_PER_DEGREE * np.cos(np.deg2rad(middle[1]))
    return (x - middle[0]) * shrunk, (y - middle[1]) * METRES_PER_DEGREE
