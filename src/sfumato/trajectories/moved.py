"""Paths whose points were moved, beside those before: everybody in the same order, points in the nearest of the old places."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import numpy as np

from sfumato.kernels.arrays import Codes, Floats, Ints
from sfumato.trajectories.coordinates import cells
from sfumato.trajectories.moving_objects import MovingObjects, in_metres, origin
from sfumato.trajectories.trajectories import Moment, Trajectories

__all__ = ["moved_trajectories"]

_COMPARED = 2_000_000_000  # points x places: above that points are places of their own


def moved_trajectories(before: Trajectories, objects: MovingObjects, persons: Ints) -> Trajectories:
    """Return the paths of objects, in metres; ``persons`` says whose each is, and whoever has none has no points."""
    place = np.argsort(persons, kind="stable")
    shown, whose = objects.taken(place), persons[place]
    rows, times = np.nonzero(shown.seen)
    x, y = shown.x[rows, times], shown.y[rows, times]
    lengths = np.bincount(whose[rows], minlength=len(before))
    codes, names, centres = _placed(before, x, y)
    return replace(
        before,
        starts=np.concatenate(([0], np.cumsum(lengths))).astype(np.int64),
        places=codes,
        times=times.astype(np.int32),
        names=names,
        moments=cast(tuple[Moment, ...], objects.times),
        x=x,
        y=y,
        centres=centres,
        unit="metres",
    )


def _placed(before: Trajectories, x: Floats, y: Floats) -> tuple[Codes, tuple[str, ...], Floats]:
    """Return the nearest old place of each point; places of their own where there are none, or too many."""
    if before.centres is None or not len(before.centres) or len(x) * len(before.centres) > _COMPARED:
        codes, names, centres = cells(x, y, grid=None, h3=None, unit="metres")
        return codes, tuple(names), centres
    east, north = in_metres(before.centres[:, 0], before.centres[:, 1], before.unit, origin(before))
    out = np.empty(len(x), np.int32)
    block = max(1, 20_000_000 // len(east))
    for first in range(0, len(x), block):
        some = slice(first, first + block)
        apart = (x[some, None] - east) ** 2 + (y[some, None] - north) ** 2
        out[some] = np.argmin(apart, axis=1)
    return out, before.names, np.column_stack((east, north))
