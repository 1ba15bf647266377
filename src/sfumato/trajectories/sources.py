"""Where paths come from: lists in memory, and tables, frames and files with a row for each point."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from pathlib import Path

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.data.frozen import frozen
from sfumato.data.text import to_text
from sfumato.engines import read
from sfumato.errors import BadRequest
from sfumato.groups.stats import CodedKeys
from sfumato.kernels.arrays import Floats, Ints
from sfumato.trajectories.coordinates import cells, on_earth
from sfumato.trajectories.repairs import Repairs
from sfumato.trajectories.times import binned, in_one_zone
from sfumato.trajectories.trajectories import Moment, Trajectories

__all__ = ["Layout", "opened", "placed"]

UNITS = ("degrees", "metres")


@frozen
class Layout:
    """Which columns say who was where and when, how places and times are made of them, and what is mended."""

    person: str | None = None
    place: str | None = None
    time: str | None = None
    x: str | None = None
    y: str | None = None
    grid: str | float | None = None
    h3: int | None = None
    unit: str = "degrees"
    bin: str | float | None = None
    repair: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.unit not in UNITS:
            raise BadRequest("is not a unit of coordinates", parameter="place.unit", value=self.unit, available=UNITS)

    def exact(self) -> Layout:
        """Return the same with points and times as they are given, neither in cells nor in bins."""
        return replace(self, grid=None, h3=None, bin=None)


@dataclass(eq=False)
class _Points:
    """Points as they were given: of whom, when as a code of distinct values, and where by code or by coordinates."""

    owners: Ints
    times: Ints
    given_times: Sequence[Hashable]
    people: int
    places: Ints | None = None
    names: Sequence[str] = ()
    x: Floats | None = None
    y: Floats | None = None
    persons: Sequence[str] | None = None
    columns: Mapping[str, CodedKeys] = field(default_factory=dict)

    def keep(self, which: Ints) -> None:
        self.owners, self.times = self.owners[which], self.times[which]
        self.places = None if self.places is None else self.places[which]
        self.x = None if self.x is None else self.x[which]
        self.y = None if self.y is None else self.y[which]


def opened(
    source: object, layout: Layout, columns: Collection[str] | Mapping[str, Sequence[Hashable]] = ()
) -> Trajectories:
    """Return the paths of a source."""
    repairs = Repairs(layout.repair)
    if isinstance(source, (str, Path, Table)) or layout.person is not None:
        table = source if isinstance(source, Table) else read(source)
        points = _of_table(table, layout, list(columns), repairs)
    else:
        points = _of_paths(source, layout, columns)
    return _assembled(points, layout, repairs)


def placed(paths: Trajectories, layout: Layout) -> Trajectories:
    """Return paths of exact points in the cells and bins that a layout asks for."""
    if paths.x is None:
        raise BadRequest("what is done to points needs coordinates: name the columns x and y", parameter="place.x")
    points = _Points(
        paths.owners,
        paths.times.astype(np.int64),
        paths.moments,
        len(paths),
        x=paths.x,
        y=paths.y,
        persons=paths.persons,
        columns=paths.columns,
    )
    # Coordinates that were the wrong way round are so no more, whatever their columns are called.
    repairs = Repairs(layout.repair)
    made = _assembled(points, replace(layout, x="x", y="y"), repairs)
    return replace(made, mended={**paths.mended, **repairs.counts}, repeated=paths.repeated + made.repeated)


# ---- rows ----------------------------------------------------------------------------------------------------------------


def _of_table(table: Table, layout: Layout, columns: Sequence[str], repairs: Repairs) -> _Points:
    asked = {"person": layout.person, "time.column": layout.time}
    flat = layout.x is not None or layout.y is not None
    asked |= {"place.x": layout.x, "place.y": layout.y} if flat else {"place.column": layout.place}
    if flat and layout.place is not None:
        raise BadRequest("give the column of places or x and y, not both", parameter="place.column")
    for key, name in [*asked.items(), *((f"columns.{name}", name) for name in columns)]:
        if name is None:
            raise BadRequest("say which column it is", parameter=key, available=table.columns)
        if name not in table.types:
            raise BadRequest("is not a column", parameter=key, value=name, available=table.columns)
    person, time, *where = [name for name in asked.values() if name is not None]
    if table.missing()[person]:
        raise BadRequest("rows do not say whose they are", column=person, value=table.missing()[person])
    rows = table.as_rows().codes([person, time, *where]).astype(np.int64)
    people = table.dictionary(person).values
    known = (rows[:, 1:] >= 0).sum(axis=1)
    points = _Points(
        rows[:, 0],
        rows[:, 1],
        table.dictionary(time).values,
        len(people),
        persons=[to_text(one) for one in people],
        columns=_of_persons(table, rows[:, 0], len(people), columns, repairs),
    )
    if flat:
        held = [_numbers(table, name) for name in where]
        points.x, points.y = (
            values[rows[:, 2 + at]] if len(values) else np.zeros(len(rows)) for at, values in enumerate(held)
        )
    else:
        texts = [to_text(value) for value in table.dictionary(where[0]).values]
        order = sorted(range(len(texts)), key=texts.__getitem__)
        rank = np.empty(len(texts) + 1, np.int64)
        rank[order], rank[-1] = np.arange(len(texts)), -1
        points.places, points.names = rank[rows[:, 2]], [texts[at] for at in order]
    whole = known == rows.shape[1] - 1
    repairs.way("incomplete", int(((known > 0) & ~whole).sum()))
    points.keep(np.flatnonzero(whole))
    return points


def _numbers(table: Table, name: str) -> Floats:
    if not table.types[name].numeric:
        raise BadRequest("must hold numbers", column=name, value=str(table.types[name]))
    return np.array(table.dictionary(name).values, np.float64)


def _of_persons(
    table: Table, owners: Ints, people: int, columns: Sequence[str], repairs: Repairs
) -> Mapping[str, CodedKeys]:
    """Return one value of each column for each person; several are refused, or the first one is taken."""
    out: dict[str, CodedKeys] = {}
    varying = np.zeros(people, np.bool_)
    for name in columns:
        codes = table.as_rows().codes([name])[:, 0]
        first = np.full(people, -1, np.int32)
        first[owners[::-1]] = codes[::-1]
        varying[owners[codes != first[owners]]] = True
        out[name] = CodedKeys(table.dictionary(name).values, first)
    repairs.way("varying", int(varying.sum()))
    return out


# ---- lists ---------------------------------------------------------------------------------------------------------------


def _of_paths(source: object, layout: Layout, columns: Collection[str] | Mapping[str, Sequence[Hashable]]) -> _Points:
    if not isinstance(source, Iterable) or isinstance(source, (str, bytes)):
        raise BadRequest("must be paths, a frame or a file", parameter="source", value=type(source).__name__)
    persons = [to_text(one) for one in source] if isinstance(source, Mapping) else None
    if persons is not None and len(set(persons)) < len(persons):
        raise BadRequest("a person has one path, and more were given", parameter="source")
    paths = [list(path) for path in (source.values() if isinstance(source, Mapping) else source)]
    flat = layout.grid is not None or layout.h3 is not None or any(len(point) == 3 for path in paths for point in path)
    wide = 3 if flat else 2
    if any(isinstance(point, str) or len(point) != wide for path in paths for point in path):
        raise BadRequest(f"a point must be {'(x, y, time)' if flat else '(place, time)'}", parameter="source")
    owners = np.repeat(np.arange(len(paths)), np.fromiter(map(len, paths), np.int64, len(paths)))
    coded = CodedKeys.of([point[-1] for path in paths for point in path])
    points = _Points(owners, coded.codes.astype(np.int64), coded.values, len(paths), persons=persons)
    if flat:
        where = np.array([point[:2] for path in paths for point in path], np.float64).reshape(-1, 2)
        points.x, points.y = where[:, 0].copy(), where[:, 1].copy()
    else:
        texts = [to_text(point[0]) for path in paths for point in path]
        points.names = sorted(set(texts))
        number = {name: code for code, name in enumerate(points.names)}
        points.places = np.array([number[text] for text in texts], np.int64)
    if not isinstance(columns, Mapping):
        if columns:
            raise BadRequest("must be lists by name, one value for each person", parameter="columns")
        return points
    for name, values in columns.items():
        if len(values) != len(paths):
            raise BadRequest("must have one value for each person", column=name, value=len(values))
    points.columns = {name: CodedKeys.of(list(values)) for name, values in columns.items()}
    return points


# ---- both ----------------------------------------------------------------------------------------------------------------


def _assembled(points: _Points, layout: Layout, repairs: Repairs) -> Trajectories:
    """Return the paths: coordinates become places, times one kind of thing and bins, rows are put in order and in rows."""
    centres = None
    if points.x is not None and points.y is not None:
        if layout.unit == "degrees":
            named = (layout.x or "x", layout.y or "y")
            points.x, points.y, there = on_earth(points.x, points.y, named, repairs)
            points.keep(np.flatnonzero(there))
        codes, names, centres = cells(points.x, points.y, grid=layout.grid, h3=layout.h3, unit=layout.unit)
        points.places, points.names = codes.astype(np.int64), names
    elif layout.grid is not None or layout.h3 is not None:
        raise BadRequest("a grid needs coordinates: say which columns are x and y", parameter="place.x")
    counts = np.bincount(points.times, minlength=len(points.given_times)).tolist()
    exact = _of_one_kind(in_one_zone(points.given_times, counts, repairs))
    _, rank = _ranked(exact)
    moments, bins = _ranked(exact if layout.bin is None else binned(exact, layout.bin))
    kept = _in_order(points, rank, bins, repairs)
    repeated = len(points.times) - len(kept) - repairs.counts.get("two-places", 0)
    points.keep(kept)
    assert points.places is not None
    starts = np.zeros(points.people + 1, np.int64)
    np.cumsum(np.bincount(points.owners, minlength=points.people), out=starts[1:])
    names_used = np.zeros(len(points.names), np.bool_)
    names_used[points.places] = True
    new = (np.cumsum(names_used) - 1)[points.places]
    made = Trajectories(
        starts,
        new.astype(np.int32),
        bins[points.times].astype(np.int32),
        tuple(name for name, used in zip(points.names, names_used.tolist(), strict=True) if used),
        moments,
        persons=None if points.persons is None else tuple(points.persons),
        columns=points.columns,
        x=points.x,
        y=points.y,
        centres=None if centres is None else centres[names_used],
        unit=layout.unit,
        repeated=repeated,
    )
    idle = made.lengths == 0
    if repairs.way("no-points", int(idle.sum())) == "drop":
        made = made.taken(np.flatnonzero(~idle))
    return replace(made, mended=dict(repairs.counts))


def _of_one_kind(times: list[Moment]) -> list[Moment]:
    """Return times that can be compared: days become midnights beside times; numbers beside either are refused."""
    kinds = {datetime if isinstance(one, datetime) else date if isinstance(one, date) else float for one in times}
    if float in kinds and len(kinds) > 1:
        raise BadRequest("must be numbers or dates, not both", parameter="time")
    if kinds == {date, datetime}:
        return [
            one if isinstance(one, datetime) or not isinstance(one, date) else datetime(one.year, one.month, one.day)
            for one in times
        ]
    return times


def _ranked(times: Sequence[Moment]) -> tuple[tuple[Moment, ...], Ints]:
    """Return the distinct times in order, and the place of each among them."""
    distinct = sorted(set(times))
    number = {one: at for at, one in enumerate(distinct)}
    return tuple(distinct), np.array([number[one] for one in times], np.int64)


def _in_order(points: _Points, rank: Ints, bins: Ints, repairs: Repairs) -> Ints:
    """Return the points that count, by person and time: one for each bin."""
    by_person = np.argsort(points.owners, kind="stable")
    owners, exact = points.owners[by_person], rank[points.times][by_person]
    same = owners[1:] == owners[:-1]
    repairs.way("unsorted", int((same & (exact[1:] < exact[:-1])).sum()))
    order = by_person[np.lexsort((exact, owners))]
    owners, when, where = points.owners[order], bins[points.times][order], points.places
    assert where is not None
    again = np.concatenate(([False], (owners[1:] == owners[:-1]) & (when[1:] == when[:-1])))[: len(order)]
    group = np.cumsum(~again) - 1
    first = np.flatnonzero(~again)
    last = np.append(first[1:], len(order)) - 1
    placed = where[order]
    conflict = placed != placed[first][group] if len(order) else np.zeros(0, np.bool_)
    chosen = last if repairs.way("two-places", int(conflict.sum())) == "last" else first
    if chosen is last:
        repairs.counts["two-places"] = int((placed != placed[last][group]).sum())
    return order[chosen]
