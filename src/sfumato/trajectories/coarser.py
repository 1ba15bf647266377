"""Coarser points: places in larger cells and times in longer bins, as numbers to count by."""

from __future__ import annotations

import numpy as np

from sfumato.kernels.arrays import Ints
from sfumato.trajectories.moving_objects import metres
from sfumato.trajectories.times import binned
from sfumato.trajectories.trajectories import Trajectories

__all__ = ["coarse_places", "coarse_times"]


def coarse_places(paths: Trajectories, cell: float | None) -> Ints:
    """Return a number for the place of each point: the place itself, or a square cell so many metres wide."""
    if cell is None:
        return paths.places.astype(np.int64)
    x, y = metres(paths)
    rows, columns = np.floor(y / cell).astype(np.int64), np.floor(x / cell).astype(np.int64)
    rows, columns = rows - rows.min(initial=0), columns - columns.min(initial=0)
    numbers: Ints = rows * (int(columns.max(initial=0)) + 1) + columns
    return numbers


def coarse_times(paths: Trajectories, bin: str | float | None) -> Ints:  # noqa: A002
    """Return a number for the time of each point, rising: the time itself, or a bin of such a length."""
    if bin is None:
        return paths.times.astype(np.int64)
    starts = binned(paths.moments, bin)
    number = {one: at for at, one in enumerate(dict.fromkeys(starts))}  # times rise, and so do their bins
    return np.array([number[one] for one in starts], np.int64)[paths.times]
