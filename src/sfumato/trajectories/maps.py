"""Maps without tiles: how groups walk, and where regions are, drawn from what is published alone."""

from __future__ import annotations

import numpy as np

from sfumato.contracts.picture import Cells, Path, Picture, Plot
from sfumato.data.messages import say
from sfumato.kernels.arrays import Floats, Ints
from sfumato.trajectories.moving_objects import ObjectGroups
from sfumato.trajectories.regions import Regions

__all__ = ["map_of_regions", "map_of_walks"]

_PATHS, _POINTS, _SIDE = 80, 60, 20


def map_of_walks(groups: ObjectGroups) -> list[Picture]:
    """Return the middles of the largest groups as paths, and how many persons are in each part of the map.

    A line stands for a whole group: nobody is drawn alone.
    """
    objects = groups.objects
    if not len(objects):
        return []
    largest = sorted(groups.members, key=lambda members: -len(members))[:_PATHS]
    paths = []
    for members in largest:
        times = np.flatnonzero(objects.seen[members].all(axis=0))
        times = times[:: max(1, -(-len(times) // _POINTS))]
        middle = np.column_stack((objects.x[members][:, times].mean(axis=0), objects.y[members][:, times].mean(axis=0)))
        paths.append(Path(points=[(x, y) for x, y in middle.tolist()]))
    rows, times = np.nonzero(objects.seen)
    cells = _part(objects.x[rows, times]), _part(objects.y[rows, times])
    once = np.unique(np.column_stack((rows, *cells)), axis=0)
    return [
        Plot(title=say("moving.map"), caption=say("moving.map_of", groups=len(largest), all=len(groups)), paths=paths),
        _grid(once[:, 1], once[:, 2], say("moving.persons_by_part")),
    ]


def map_of_regions(regions: Regions) -> list[Picture]:
    """Return how many published regions have their middle in each part of the map."""
    if not regions.seen.any():
        return []
    middles = regions.middles()
    return [
        _grid(_part(middles.x[regions.seen]), _part(middles.y[regions.seen]), say("moving.regions_by_part")),
    ]


def _part(values: Floats) -> Ints:
    low, high = float(values.min()), float(values.max())
    return np.minimum((values - low) * (_SIDE / ((high - low) or 1.0)), _SIDE - 1).astype(np.int64)


def _grid(x: Ints, y: Ints, title: str) -> Cells:
    """Return a grid of counts, north at the top."""
    counts = np.bincount((_SIDE - 1 - y) * _SIDE + x, minlength=_SIDE * _SIDE).reshape(_SIDE, _SIDE)
    return Cells(
        title=title,
        caption=say("moving.parts_of_the_map", side=_SIDE),
        rows=[str(at) for at in range(_SIDE, 0, -1)],
        columns=[str(at) for at in range(1, _SIDE + 1)],
        values=counts.tolist(),
    )
