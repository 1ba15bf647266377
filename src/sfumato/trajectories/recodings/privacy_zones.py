"""Privacy zones: nothing is shown around home and work, and what is hidden does not tell where its middle is."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from sfumato.contracts.thing import Thing, param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Bools, Floats, Ints
from sfumato.trajectories.moving_objects import metres
from sfumato.trajectories.trajectories import Trajectories

__all__ = ["HiddenZones", "PrivacyZones"]


@frozen(eq=False, repr=False)
class HiddenZones:
    """Paths without the points inside zones and at trimmed ends, how many points that were, and what is not promised."""

    paths: Trajectories
    hidden: int
    trimmed: int
    statement: str


class PrivacyZones(Thing):
    """Leave out all points within ``radius`` of a secret centre near each of a person's most visited places.

    The most visited places are the cells of ``cell`` metres with the most points of the person. A zone hides the circle of
    ``radius`` around a centre that is drawn evenly from the disc of ``shift`` around the place, once for each person and
    place: whoever finds the circle from where paths end knows its centre, and that the place lies somewhere within ``shift``
    of it, and learns no more from further paths. ``trim`` leaves out the points at both ends of each path as long as they are
    within that many metres of the first or the last one. Nothing is promised about points outside the zones.

    Under ``operations`` of a policy it comes before the search. Without a seed centres are drawn anew for every release, and
    whoever has several finds the place between them: give one seed, and keep it secret, where persons are published again.

    Examples
    --------
    >>> paths = Trajectories.of([[(0, 0, 1), (2, 1, 2), (3000, 0, 3), (1, 2, 4)]], unit="metres", grid=100)
    >>> found = PrivacyZones(radius=500, shift=300, places=1).hide(paths, np.random.default_rng(1))
    >>> found.hidden, [pair.time for pair in next(iter(found.paths))]
    (3, [3])

    References
    ----------
    Hassan, Ul, Bates, Kapadia, "Analysis of privacy protections in fitness tracking social networks -or- You can run, but can
    you hide?", 2018, USENIX Security.
    """

    id: ClassVar[str] = "privacy-zones"
    kind: ClassVar[str] = "operation"
    truthful: ClassVar[bool] = True

    radius: float = param(default=500.0, gt=0, doc="radius of the hidden circle in metres")
    shift: float = param(
        default=300.0, ge=0, doc="how far its centre may be from the place, in metres; below the radius"
    )
    places: int = param(default=2, ge=1, doc="how many of the most visited places are hidden: 2 for home and work")
    cell: float = param(default=200.0, gt=0, doc="width of the cells by which visits are counted, in metres")
    trim: float = param(default=0.0, ge=0, doc="metres around both ends of a path in which its points are left out")

    def validate(self) -> None:
        """Refuse a centre so far away that the place itself may be shown."""
        super().validate()
        if self.shift >= self.radius:
            raise BadRequest(
                "must be below the radius, or the place may lie outside", parameter=f"{self.id}.shift", value=self.shift
            )

    def stated(self) -> dict[str, float]:
        """Return what a certificate says of the zones."""
        return {"radius": self.radius, "shift": self.shift, "places": self.places, "trim": self.trim}

    def hide(self, paths: Trajectories, rng: np.random.Generator) -> HiddenZones:
        """Return the paths without what lies in zones; centres are drawn from the generator, whose seed must stay secret."""
        x, y = metres(paths)
        trimmed = self._ends(paths, x, y) if self.trim else np.zeros(len(x), np.bool_)
        inside = np.zeros(len(x), np.bool_)
        owner, east, north = self._most_visited(paths, x, y)
        angle, apart = rng.random(len(owner)) * 2 * np.pi, self.shift * np.sqrt(rng.random(len(owner)))
        centres = np.full((2, len(paths), self.places), np.nan)
        rank = np.arange(len(owner)) - np.searchsorted(owner, owner)
        centres[0, owner, rank] = east + apart * np.cos(angle)
        centres[1, owner, rank] = north + apart * np.sin(angle)
        for at in range(self.places):
            away = np.hypot(x - centres[0, paths.owners, at], y - centres[1, paths.owners, at])
            inside |= away <= self.radius
        return HiddenZones(
            paths.thinned(~(inside | trimmed)),
            int(inside.sum()),
            int((trimmed & ~inside).sum()),
            say("statement.privacy_zones", shift=self.shift),
        )

    def _most_visited(self, paths: Trajectories, x: Floats, y: Floats) -> tuple[Ints, Floats, Floats]:
        """Return of each person the most visited cells, most points first, by the mean of these points."""
        rows, columns = np.floor(y / self.cell).astype(np.int64), np.floor(x / self.cell).astype(np.int64)
        rows, columns = rows - rows.min(initial=0), columns - columns.min(initial=0)
        width, height = int(columns.max(initial=0)) + 1, int(rows.max(initial=0)) + 1
        keys, number, counts = np.unique(
            (paths.owners * np.int64(height) + rows) * width + columns, return_inverse=True, return_counts=True
        )
        owner = keys // (width * height)
        east = np.bincount(number, x, len(keys)) / counts
        north = np.bincount(number, y, len(keys)) / counts
        order = np.lexsort((keys, -counts, owner))
        kept = order[np.arange(len(order)) - np.searchsorted(owner[order], owner[order]) < self.places]
        return owner[kept], east[kept], north[kept]

    def _ends(self, paths: Trajectories, x: Floats, y: Floats) -> Bools:
        """Tell which points are before the first or behind the last that is far enough from its end."""
        out = np.zeros(len(x), np.bool_)
        lengths = paths.lengths
        position = np.arange(len(x)) - paths.starts[:-1][paths.owners]
        first, last = paths.starts[:-1][paths.owners], paths.starts[1:][paths.owners] - 1
        for end, sign in ((first, 1), (last, -1)):
            away = np.hypot(x - x[end], y - y[end]) > self.trim
            place = position if sign == 1 else lengths[paths.owners] - 1 - position
            nearest = np.full(len(paths), np.iinfo(np.int64).max)
            np.minimum.at(nearest, paths.owners[away], place[away])
            out |= place < nearest[paths.owners]
        return out
