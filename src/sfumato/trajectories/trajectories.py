"""Trajectories: for each person a path, places at rising times, in compressed rows."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from datetime import date
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.data.frozen import frozen
from sfumato.data.text import to_text
from sfumato.data.tree import Tree
from sfumato.engines import read
from sfumato.errors import BadRequest
from sfumato.groups.stats import CodedKeys
from sfumato.itemsets import Database
from sfumato.itemsets.database import Rows
from sfumato.kernels.arrays import Bools, Codes, Floats, Ints

__all__ = ["GIVEN", "Moment", "Pair", "Path", "Trajectories"]

Moment: TypeAlias = int | float | date
"""A time: a number, a day, or a day with its time."""

GIVEN: Mapping[str, str] = {"unsorted": "sort", "no-points": "keep"}
"""What is mended of data that are given in Python; a policy names its own repairs, and has none if it names none."""


class Pair(NamedTuple):
    """A place and a time: what an adversary may know of a path, written ``place@time``."""

    place: str
    time: Moment

    def __str__(self) -> str:
        return f"{self.place}@{to_text(self.time)}"


Path: TypeAlias = tuple[Pair, ...]
"""Pairs at rising times."""


@frozen(eq=False, repr=False)
class Trajectories:
    """One path for each person: that of person ``i`` lies at ``starts[i]:starts[i + 1]`` of ``places`` and ``times``.

    Codes of places are places in ``names``, which are in the order of their texts; codes of times are places in ``moments``,
    which rise, and rise strictly inside a path: nobody is at two places at one time. A path may be empty. ``columns`` hold
    what else is known, one value for each person. ``persons`` names them, in the house only. ``x`` and ``y`` are coordinates
    of the points where they were given, in ``unit`` (degrees or metres), ``centres`` those of the places. ``tree`` is the
    taxonomy of the places. ``known`` names columns that an adversary knows beside points. ``mended`` counts what was repaired
    on reading, by the name of the repair, and ``repeated`` readings that said the same once more. ``exact`` are the paths
    before cells and bins, where something is still to be done to their points.

    Because a path has one pair at a time, a sequence of pairs is a subsequence of it if and only if its pairs are a subset:
    sequences are sets here, and ``pairs`` are their items, in the order of times and then of names.

    Examples
    --------
    >>> paths = Trajectories.of({"ann": [("b", 2), ("d", 3)], "bob": [("b", 2)]}, columns={"job": ["cook", "nurse"]})
    >>> len(paths), [str(pair) for pair in paths.pairs], paths.supports.tolist()
    (2, ['b@2', 'd@3'], [2, 1])
    >>> next(iter(paths))
    (Pair(place='b', time=2), Pair(place='d', time=3))

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 14.1.
    """

    starts: Ints
    places: Codes
    times: Codes
    names: tuple[str, ...]
    moments: tuple[Moment, ...]
    persons: tuple[str, ...] | None = None
    columns: Mapping[str, CodedKeys] = field(default_factory=dict)
    x: Floats | None = None
    y: Floats | None = None
    centres: Floats | None = None
    unit: str = "degrees"
    tree: Tree | None = None
    mended: Mapping[str, int] = field(default_factory=dict)
    repeated: int = 0
    exact: Trajectories | None = None
    known: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        source: object,
        *,
        person: str | None = None,
        place: str | None = None,
        time: str | None = None,
        x: str | None = None,
        y: str | None = None,
        grid: str | float | None = None,
        h3: int | None = None,
        unit: str = "degrees",
        bin: str | float | None = None,  # noqa: A002
        columns: Collection[str] | Mapping[str, Sequence[Hashable]] = (),
        tree: Tree | Mapping[str, object] | None = None,
        repair: Mapping[str, str] = GIVEN,
    ) -> Trajectories:
        """Read paths from whatever holds them.

        A mapping of persons to paths or a list of paths, each a list of ``(place, time)``, or of ``(x, y, time)`` where a
        ``grid`` or ``h3`` makes places of coordinates, with ``columns`` as lists of one value a person; or a frame, a table or
        a file with a row for each point, in which ``person``, ``place`` (or ``x`` and ``y``), ``time`` and ``columns`` name
        columns. ``grid`` is a width such as ``250m``, ``bin`` a length of time such as ``1h`` or a number. ``repair`` says what
        is mended and counted; see :data:`~sfumato.trajectories.repairs.REPAIRS`.
        """
        from sfumato.trajectories.sources import Layout, opened  # which know files and frames

        layout = Layout(person, place, time, x, y, grid, h3, unit, bin, repair)
        made = opened(source, layout, columns)
        return made if tree is None else made.with_tree(tree if isinstance(tree, Tree) else Tree.from_nested(tree))

    def with_tree(self, tree: Tree) -> Trajectories:
        """Return the paths with a taxonomy; every place must be one of its leaves."""
        tree.encode(list(self.names), column="place")
        return replace(self, tree=tree)

    # ---- reading -----------------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __iter__(self) -> Iterator[Path]:
        codes = self.codes.tolist()
        for first, last in zip(self.starts[:-1].tolist(), self.starts[1:].tolist(), strict=True):
            yield tuple(self.pairs[code] for code in codes[first:last])

    def __repr__(self) -> str:  # places and times tell of persons
        return (
            f"Trajectories({len(self):,} persons, {len(self.places):,} points, "
            f"{len(self.names):,} places, {len(self.moments):,} times)"
        )

    @cached_property
    def lengths(self) -> Ints:
        """How many points each path has."""
        return np.diff(self.starts)

    @cached_property
    def owners(self) -> Ints:
        """The person of each point."""
        return np.repeat(np.arange(len(self)), self.lengths)

    @cached_property
    def _coded(self) -> tuple[Ints, Codes]:
        """Place and time as one number of the pairs that occur, rising, and the code of each point's pair among them."""
        keys = self.times.astype(np.int64) * max(len(self.names), 1) + self.places
        room = len(self.moments) * max(len(self.names), 1)
        if room <= 4 * len(keys) + 1_000_000:  # counting is many times faster than sorting
            there = np.zeros(room, np.bool_)
            there[keys] = True
            number = np.cumsum(there, dtype=np.int32) - 1
            return np.flatnonzero(there), number[keys].astype(np.int32)
        used, codes = np.unique(keys, return_inverse=True)
        return used, codes.astype(np.int32)

    @property
    def codes(self) -> Codes:
        """The pair of each point, as a place in ``pairs``; rising inside a path."""
        return self._coded[1]

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """The pairs that occur, in the order of times and then of names."""
        at, place = np.divmod(self._coded[0], max(len(self.names), 1))
        return tuple(
            Pair(self.names[one], self.moments[time]) for one, time in zip(place.tolist(), at.tolist(), strict=True)
        )

    @cached_property
    def code_of(self) -> Mapping[Pair, int]:
        """Pair -> code."""
        return {pair: code for code, pair in enumerate(self.pairs)}

    @cached_property
    def supports(self) -> Ints:
        """How many paths hold each pair."""
        return np.bincount(self.codes, minlength=len(self._coded[0])).astype(np.int64)

    def database(self, secrets: Rows | None = None) -> Database:
        """Return the paths as sets of pairs, for the engine; ``secrets`` are what must not be learnt of each person."""
        none = Rows(np.zeros(len(self) + 1, np.int64), np.empty(0, np.int32), 0)
        rows = Rows(self.starts, self.codes, len(self._coded[0]))
        return Database(rows, none if secrets is None else secrets)

    @cached_property
    def classes(self) -> tuple[Ints, tuple[str, ...]]:
        """The class of each person, with all who share whatever is known beside points, and what is known in each."""
        if not self.known:
            return np.zeros(len(self), np.int64), ("",)
        keys = [self.column(name) for name in self.known]
        distinct, number = np.unique(np.column_stack([one.codes for one in keys]), axis=0, return_inverse=True)
        held = [[*map(to_text, one.values), ""] for one in keys]  # -1 is a missing value
        told = (
            ", ".join(f"{name}={texts[code]}" for name, texts, code in zip(self.known, held, row, strict=True))
            for row in distinct.tolist()
        )
        return number.reshape(-1).astype(np.int64), tuple(told)

    def apart(self) -> Trajectories:
        """Return the paths with places of its own for every class, in the same order: classes share none."""
        if not self.known:
            return self
        keys = self.classes[0][self.owners] * np.int64(max(len(self.names), 1)) + self.places
        own, codes = np.unique(keys, return_inverse=True)
        return replace(self, places=codes.astype(np.int32), names=tuple(map(str, range(len(own)))), centres=None)

    def within_classes(self, rows: Rows) -> tuple[Rows, Ints]:
        """Return what may be known of points, each inside its class, and what each code stands for: see ``Rows.within``."""
        return rows.within(self.classes[0]) if self.known else (rows, np.arange(1, rows.width + 1))

    def column(self, name: str) -> CodedKeys:
        """Return the values of a column; refuse one that is not there."""
        if name not in self.columns:
            raise BadRequest("is not a column of persons", column=name, available=self.columns)
        return self.columns[name]

    def secrets(self, wanted: Mapping[str, Collection[str] | None]) -> tuple[Rows, tuple[tuple[str, str], ...]]:
        """Return which values of some columns each person has, and what these are: all values, or those that are named."""
        names: list[tuple[str, str]] = []
        held = []
        for column, values in wanted.items():
            keys = self.column(column)
            texts = [to_text(value) for value in keys.values]
            number = np.full(len(texts) + 1, -1, np.int64)  # the last one answers for missing
            for at in sorted(range(len(texts)), key=texts.__getitem__):
                if values is None or texts[at] in values:
                    number[at] = len(names)
                    names.append((column, texts[at]))
            held.append(number[keys.codes])
        codes = np.column_stack(held) if held else np.empty((len(self), 0), np.int64)
        there = codes >= 0
        starts = np.concatenate(([0], np.cumsum(there.sum(axis=1)))).astype(np.int64)
        return Rows(starts, codes[there].astype(np.int32), len(names)), tuple(names)

    def holding(self, pairs: Collection[Pair]) -> Ints:
        """Return the persons whose paths hold all of these pairs: T(q); a pair that nobody has is held by none."""
        there = np.ones(len(self), np.bool_)
        for pair in pairs:
            held = np.zeros(len(self), np.bool_)
            held[self.owners[self.codes == self.code_of.get(Pair(*pair), -1)]] = True
            there &= held
        return np.flatnonzero(there)

    def long_rows(self) -> Table:
        """Return a table with a row for each point, and one without place and time for a person who has none."""
        empty = np.flatnonzero(self.lengths == 0)
        owners = np.concatenate((self.owners, empty))
        gap = [None] * len(empty)
        held: dict[str, object] = {
            "person": owners + 1,
            "place": [*(self.names[code] for code in self.places.tolist()), *gap],
            "time": [*(self.moments[code] for code in self.times.tolist()), *gap],
        }
        held |= {name: list(keys.take(owners)) for name, keys in self.columns.items()}
        return read(held, types={"person": "integer", "place": "text"})

    # ---- changing ----------------------------------------------------------------------------------------------------

    def _points(self, starts: Ints, which: Ints | Bools) -> Trajectories:
        return replace(
            self,
            starts=starts.astype(np.int64),
            places=self.places[which],
            times=self.times[which],
            x=None if self.x is None else self.x[which],
            y=None if self.y is None else self.y[which],
        )

    def thinned(self, kept: Bools) -> Trajectories:
        """Return the paths with some points only; places and times that nobody has any more stay in the dictionaries."""
        return self._points(np.concatenate(([0], np.cumsum(kept)))[self.starts], kept)

    def without(self, pairs: Collection[Pair]) -> Trajectories:
        """Return the paths with some pairs left out of all of them; every other sequence keeps its support."""
        out = np.zeros(len(self._coded[0]) + 1, np.bool_)
        out[[self.code_of.get(Pair(*pair), -1) for pair in pairs]] = True
        out[-1] = False
        return self.thinned(~out[self.codes])

    def taken(self, persons: Ints) -> Trajectories:
        """Return some persons, in this order."""
        lengths = self.lengths[persons]
        starts = np.concatenate(([0], np.cumsum(lengths)))
        at = np.arange(starts[-1]) - np.repeat(starts[:-1] - self.starts[persons], lengths)
        named = None if self.persons is None else tuple(self.persons[one] for one in persons.tolist())
        columns = {name: keys.take(persons) for name, keys in self.columns.items()}
        return replace(self._points(starts, at), persons=named, columns=columns)
