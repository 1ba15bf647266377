"""Maps without tiles: how groups walk, and where regions are, drawn from what is published alone."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from sfumato.contracts.picture import Cells, Path, Picture, Plot
from sfumato.data.messages import say
from sfumato.kernels.arrays import Floats, Ints
from sfumato.trajectories.coordinates import METRES_PER_DEGREE
from sfumato.trajectories.moving_objects import ObjectGroups, in_metres
from sfumato.trajectories.regions import Regions
from sfumato.trajectories.trajectories import Trajectories

__all__ = ["map_of_regions", "map_of_walks", "map_of_ways", "ways_before"]

_PATHS, _POINTS, _SIDE, _FEW = 80, 60, 20, 5
_CELL, _POINT = re.compile(r"(-?\d+) (-?\d+)"), re.compile(r"(-?[\d.e+-]+) (-?[\d.e+-]+)")


def map_of_ways(after: Trajectories, before: Trajectories | None) -> list[Picture]:
    """Return the ways between places that most persons take, and how many persons are in each part of the map.

    Places are drawn where their names say: cells of a grid, or coordinates; with other names there is no map. Of the paths
    before masking a way is drawn only if several persons take it: no path of one person is shown.
    """
    here, there = positions(after.names), None if before is None else positions(before.names)
    if here is None or not len(after.places):
        return []
    paths = _ways(after, here, 1, before=False)
    if before is not None and there is not None:
        paths = [*_ways(before, there, _FEW, before=True), *paths]
    once = np.unique(np.column_stack((after.owners, after.places)), axis=0)[:, 1]
    return [
        Plot(title=say("trails.map"), caption=say("trails.map_of", most=_PATHS), paths=paths),
        _grid(_part(here[once, 0]), _part(here[once, 1]), say("moving.persons_by_part")),
    ]


def positions(names: Sequence[str]) -> Floats | None:
    """Return where places lie whose names are cells of a grid (row and column) or coordinates, x and y; else nothing.

    >>> positions(["3 4", "3 6"]).tolist(), positions(["Ulm"])
    ([[4.0, 3.0], [6.0, 3.0]], None)
    """
    cells, points = [_CELL.fullmatch(name) for name in names], [_POINT.fullmatch(name) for name in names]
    turned = all(cells)
    try:
        held = [(float(one[2]), float(one[1])) if turned else (float(one[1]), float(one[2])) for one in points if one]
    except ValueError:
        return None
    return np.array(held).reshape(-1, 2) if held and len(held) == len(names) else None


def _ways(paths: Trajectories, where: Floats, least: int, *, before: bool) -> list[Path]:
    """Return the ways from one place to the next, either direction, that most persons take, and no fewer than so many."""
    width = np.int64(len(paths.names))
    both = np.sort(np.column_stack((paths.places[:-1], paths.places[1:])), axis=1).astype(np.int64)
    moved = (paths.owners[1:] == paths.owners[:-1]) & (both[:, 0] != both[:, 1])
    keys = both[moved, 0] * width + both[moved, 1]
    ways, number = np.unique(keys, return_inverse=True)
    once = np.unique(paths.owners[1:][moved] * np.int64(max(len(ways), 1)) + number)
    counts = np.bincount(once % max(len(ways), 1), minlength=len(ways))
    chosen = [at for at in np.argsort(-counts, kind="stable")[:_PATHS].tolist() if counts[at] >= least]
    ends = np.column_stack(np.divmod(ways[chosen], width))
    return [Path(points=[(x, y) for x, y in where[end].tolist()], before=before) for end in ends]


def ways_before(raw: Trajectories, grid: float | None, unit: str, origin: tuple[float, ...]) -> list[Path]:
    """Return the ways of several persons before masking in metres from an origin, where names of places tell where they are."""
    where = positions(raw.names)
    if where is None:
        return []
    if grid is not None:
        high = grid / METRES_PER_DEGREE if unit == "degrees" else grid
        y = (where[:, 1] + 0.5) * high
        wide = high / np.maximum(np.cos(np.radians(y)), 1e-6) if unit == "degrees" else high
        where = np.column_stack(((where[:, 0] + 0.5) * wide, y))
    middle = (origin[0], origin[1]) if len(origin) == 2 else (0.0, 0.0)
    return _ways(raw, np.column_stack(in_metres(where[:, 0], where[:, 1], unit, middle)), _FEW, before=True)


def map_of_walks(groups: ObjectGroups, before: Sequence[Path] = ()) -> list[Picture]:
    """Return the middles of the largest groups as paths, and how many persons are in each part of the map.

    A line stands for a whole group: nobody is drawn alone. ``before`` are ways of several persons before masking.
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
        Plot(
            title=say("moving.map"),
            caption=say("moving.map_of", groups=len(largest), all=len(groups)),
            paths=[*before, *paths],
        ),
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
