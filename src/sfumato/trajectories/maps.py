"""Maps without tiles: how groups walk, and where regions are, drawn from what is published alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from sfumato.contracts.picture import Cells, Path, Picture, Plot
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.kernels.arrays import Floats, Ints
from sfumato.trajectories.coordinates import METRES_PER_DEGREE
from sfumato.trajectories.flows import Flow
from sfumato.trajectories.moving_objects import ObjectGroups, in_metres
from sfumato.trajectories.places_drawn import placed, positions
from sfumato.trajectories.regions import Regions
from sfumato.trajectories.trajectories import Trajectories

__all__ = ["map_of_flows", "map_of_regions", "map_of_walks", "map_of_ways", "positions", "ways_before"]

_PATHS, _SINGLE, _POINTS, _SIDE, _FEW = 80, 24, 60, 20, 5


def map_of_ways(after: Trajectories, before: Trajectories | None) -> list[Picture]:
    """Return the ways between places that most persons take, some paths as they are, and how many persons are where.

    Places are drawn where their names say: cells of a grid, or coordinates; stations with other names in lines, with their
    names. What is published may be shown as it is, single paths, too. Of the paths before masking a way, or a whole path, is
    drawn only if several persons take it: nobody is shown alone.
    """
    if not len(after.places):
        return []
    names = sorted({*after.names, *(() if before is None else before.names)})
    where, true = placed(names)
    number = {name: at for at, name in enumerate(names)}
    here = where[[number[name] for name in after.names]]
    there = None if before is None else where[[number[name] for name in before.names]]
    ways, single = _ways(after, here, 1, before=False), _whole(after, here, 1, before=False)
    if before is not None and there is not None:
        ways = [*_ways(before, there, _FEW, before=True), *ways]
        single = [*_whole(before, there, _FEW, before=True), *single]
    once = np.unique(np.column_stack((after.owners, after.places)), axis=0)[:, 1]
    spots = _Spots.of(after.names, here, np.bincount(once, minlength=len(after.names)), true=true)
    no_map = "" if true else say("trails.no_map")
    out: list[Picture] = [spots.plot(say("trails.map"), say("trails.map_of", most=_PATHS), no_map, ways)]
    if single:
        out.append(spots.plot(say("trails.single"), say("trails.single_of", most=_SINGLE, few=_FEW), no_map, single))
    return [*out, _grid(_part(here[once, 0]), _part(here[once, 1]), say("moving.persons_by_part"))] if true else out


def map_of_flows(rows: Sequence[Flow]) -> list[Picture]:
    """Return the published numbers at the resolution with most of them: places by persons, and the largest flows."""
    counts = Counter((row.cell, row.bin) for row in rows)
    if not counts:
        return []
    shown = [row for row in rows if (row.cell, row.bin) == max(counts, key=lambda one: counts[one])]
    names = sorted({name for row in shown for name in row.places})
    where, true = placed(names)
    number = {name: at for at, name in enumerate(names)}
    persons = np.zeros(len(names), np.int64)
    flows: Counter[tuple[str, ...]] = Counter()
    for row in shown:
        persons[number[row.places[0]]] += row.persons
        flows[row.places] += row.persons
    lines = [
        Path(points=[(x, y) for x, y in where[[number[name] for name in places]].tolist()])
        for places, _ in flows.most_common(_PATHS)
        if len(set(places)) > 1
    ]
    spots = _Spots.of(names, where, persons, true=true)
    plot = spots.plot(
        say("trails.flows_map"), say("trails.flows_map_of", most=_PATHS), "" if true else say("trails.no_map"), lines
    )
    if not true:
        return [plot]
    return [plot, _grid(_part(where[:, 0]), _part(where[:, 1]), say("moving.persons_by_part"), persons)]


@frozen(eq=False)
class _Spots:
    """Places as points: the more persons, the larger; stations have their names."""

    points: list[tuple[float, float]]
    sizes: list[float]
    labels: list[str]

    @classmethod
    def of(cls, names: Sequence[str], where: Floats, persons: Ints, *, true: bool) -> _Spots:
        there = np.flatnonzero(persons)
        points = [(x, y) for x, y in where[there].tolist()]
        sizes = (persons[there] / max(int(persons.max(initial=0)), 1)).tolist()
        return cls(points, sizes, [] if true or len(there) > _PATHS else [names[at] for at in there.tolist()])

    def plot(self, title: str, caption: str, no_map: str, paths: Sequence[Path]) -> Plot:
        caption = say("frame.both_sentences", first=caption, second=no_map) if no_map else caption
        return Plot(title=title, caption=caption, paths=paths, points=self.points, sizes=self.sizes, labels=self.labels)


def _whole(paths: Trajectories, where: Floats, least: int, *, before: bool) -> list[Path]:
    """Return whole paths from place to place, those first that most persons have, no fewer than so many; then long ones."""
    held, bounds = paths.places.astype(np.int32).tobytes(), (4 * paths.starts).tolist()
    alike = Counter(held[first:last] for first, last in pairwise(bounds) if last - first > 4)
    order = sorted(alike.items(), key=lambda one: (-one[1], -len(one[0]), one[0]))
    found = [np.frombuffer(codes, np.int32) for codes, count in order[:_SINGLE] if count >= least]
    return [Path(points=[(x, y) for x, y in where[codes].tolist()], before=before) for codes in found]


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

    A line stands for a whole group; then some published paths as they are. ``before`` are ways of several persons before.
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
    single = []
    for one in np.argsort(-objects.seen.sum(axis=1), kind="stable")[:_SINGLE].tolist():
        times = np.flatnonzero(objects.seen[one])
        points = np.column_stack((objects.x[one, times], objects.y[one, times]))
        single.append(Path(points=[(x, y) for x, y in points.tolist()]))
    rows, times = np.nonzero(objects.seen)
    cells = _part(objects.x[rows, times]), _part(objects.y[rows, times])
    once = np.unique(np.column_stack((rows, *cells)), axis=0)
    return [
        Plot(
            title=say("moving.map"),
            caption=say("moving.map_of", groups=len(largest), all=len(groups)),
            paths=[*before, *paths],
        ),
        Plot(title=say("trails.single"), caption=say("moving.single_of", most=_SINGLE), paths=single),
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


def _grid(x: Ints, y: Ints, title: str, weights: Ints | None = None) -> Cells:
    """Return a grid of counts, north at the top."""
    counts = np.bincount((_SIDE - 1 - y) * _SIDE + x, weights, minlength=_SIDE * _SIDE).reshape(_SIDE, _SIDE)
    return Cells(
        title=title,
        caption=say("moving.parts_of_the_map", side=_SIDE),
        rows=[str(at) for at in range(_SIDE, 0, -1)],
        columns=[str(at) for at in range(1, _SIDE + 1)],
        values=counts.tolist(),
    )
