"""The second judgement of a release: who counts the written files, and which plain code judges the counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, fields, replace
from functools import cached_property
from importlib.util import find_spec
from inspect import signature
from pathlib import Path
from types import ModuleType
from typing import TypeVar

from sfumato.catalogue import recount
from sfumato.contracts.cells import CellRequirement
from sfumato.contracts.certificate import PartEntry, Recounted
from sfumato.contracts.engine import RowTable, Table
from sfumato.contracts.model import Requirement, TableModel
from sfumato.contracts.published import Published
from sfumato.contracts.release import NOTHING_BESIDE, Beside
from sfumato.contracts.thing import Thing
from sfumato.data.frozen import frozen
from sfumato.data.schema import ColumnType
from sfumato.engines import get_engine
from sfumato.engines.parts import streamed_counts
from sfumato.errors import BadRequest
from sfumato.publishing.counted_texts import CountedTexts
from sfumato.publishing.published import read_written
from sfumato.recounts import Counted, Key, Level, Number, Part, Written, each, total

__all__ = ["MOST_ROWS", "Recount", "Recounts", "covered", "judged"]

T = TypeVar("T")

MOST_ROWS = 200_000
"""Up to here plain code counts the rows itself."""

_OTHERS = {"polars": "duckdb", "duckdb": "polars"}
_READ_ALIKE = ("xlsx", "sqlite")  # formats that all engines read through one library


@frozen
class Recount:
    """What a second judgement says, and of how many groups and records."""

    level: Level
    groups: int
    records: int


@frozen(eq=False)
class Recounts:
    """The second judgement of what is published, with what else whoever checks is told; ``memory`` is a bound in bytes."""

    published: Published
    beside: Beside = NOTHING_BESIDE
    qids: Sequence[str] = ()
    memory: int | None = None

    def way(self, model: Requirement) -> Recounted:
        """Return who judges a requirement a second time."""
        if model.private():
            return "inside"
        if not self.covers(model):
            return "by the model itself"
        if self._another is None:
            return "plain"
        return "the same engine" if self._another == self.published.table.engine else "another engine"

    def judge(self, model: Requirement) -> Recount:
        """Judge a requirement by its plain code."""
        if self._whole(model):
            return self._together(model)
        kind, known, needed = self.published.form, _known(model) or tuple(self.qids), _needed(model)
        sizes_alone = isinstance(model, TableModel) and model.traits.by_size_alone
        asked = {"known": known, "read": needed, "sizes_alone": sizes_alone, **_values(kind)}
        counted: Counted = _called(_code(kind).counted, self._parts, asked)
        external = self.beside.external
        level = judged(
            model,
            replace(counted, whole={**self.beside.reference, **counted.whole}),
            known,
            None if external is None else self._people(external, known),
        )
        records = sum(each(counted.groups, total))
        return Recount(level, len(counted.groups), int(records))

    def covers(self, model: Requirement) -> bool:
        """Tell whether there is plain code for the model, with its parameters, and for the kind."""
        if self._whole(model):
            return self._readable(model)
        return covered(model, self.published.kind) and recount(type(self.published.form)) is not None

    # ---- a series ----------------------------------------------------------------------------------------------------

    def _whole(self, model: Requirement) -> bool:
        """Tell whether a requirement is about the releases of a series, of which this may be the first."""
        return not isinstance(model, (TableModel, CellRequirement)) and hasattr(
            recount(type(self.published.form)), "together"
        )

    def _releases(self, model: Requirement) -> tuple[Published, ...]:
        return (*(self.beside.earlier if self.published.form.compares(model) else ()), self.published)

    def _readable(self, model: Requirement) -> bool:
        """Tell whether plain code knows an answer to the parameters, for so many releases, from what is published."""
        code = recount(type(model))
        if code is None:
            return False
        told = {**_values(model), "releases": len(self._releases(model)), "persons": False}
        asked = (
            [name for name in signature(code.applies).parameters if name in told] if hasattr(code, "applies") else []
        )
        needed = [one.name for one in signature(code.level).parameters.values() if one.default is one.empty]
        known = {*told, "parents", "columns", "qid", "sensitive"}
        return known.issuperset(needed) and (not asked or bool(code.applies(**{name: told[name] for name in asked})))

    def _together(self, model: Requirement) -> Recount:
        """Judge all releases by the plain code of a model; it gets what its parameters are called like."""
        code, every = _code(model), self._releases(model)
        wanted = signature(code.level).parameters
        given = _code(self.published.form).together(
            [Recounts(one, memory=self.memory)._parts for one in every],
            [one.table.columns for one in every],
            [_values(one.form) for one in every],
            joined="columns" in wanted,
        )
        bare = {name for one in every for name, kind in one.table.types.items() if kind.numeric}
        told = {**_values(model), "numbers": bare, **given}
        level: Level = code.level(**{name: told[name] for name in wanted if name in told})
        return Recount(level, 0, 0)

    # ---- who counts --------------------------------------------------------------------------------------------------

    @cached_property
    def _another(self) -> str | None:
        """The engine that counts, where there are too many rows for plain code: not the one that has the tables.

        Where rows have no place they are more than this process should read: what has them counts the written files itself.
        Plain code counts all the same, row by row, where the other engine would read through the same code, and where memory
        is bounded and the other engine would keep all rows in it: Polars counts Parquet files portion by portion.
        """
        tables, held = self.published.tables.values(), self.published.certificate
        if max(table.rows for table in tables) <= MOST_ROWS or (held and held.release.format in _READ_ALIKE):
            return None
        table = self.published.table
        if not isinstance(table, RowTable):
            return table.engine
        other = _OTHERS.get(table.engine, "polars")
        streams = held is not None and held.release.format == "parquet" and self.published.folder is not None
        return None if find_spec(other) is None or (self._bounded and other == "polars" and not streams) else other

    @property
    def _bounded(self) -> bool:
        home = self.published.table.home
        return self.memory is not None or getattr(home, "memory_limit", None) is not None

    @cached_property
    def _parts(self) -> Mapping[str, Part]:
        """The parts, read from their files once more; what is not written is counted where it is."""
        if self.published.folder is None:
            return {name: _Counts(table) for name, table in self.published.tables.items()}
        return {entry.part: self._part(entry) for entry in self.published.certified.release.files}

    def _part(self, entry: PartEntry) -> Part:
        described, folder = self.published.certified.release, self.published.folder
        assert folder is not None
        path, separator = folder / str(entry.file), described.separator if described.format in ("csv", "tsv") else None
        if self._another is None:
            return Written(path, entry.columns, str(described.format), separator)
        if self._another == self.published.table.engine:
            return _Counts(self.published.tables[entry.part])
        if self._another == "polars" and described.format == "parquet":
            return _Streamed(path, entry.columns)
        types = self.published.tables[entry.part].types
        engine = get_engine(self._another)
        engine = engine if self.memory is None else engine.bounded(self.memory)
        return _Counts(read_written(path, described.format, separator, types, engine))

    def _people(self, external: Table, known: Sequence[str]) -> Mapping[Key, Number]:
        for name in known:
            if name not in external.types:
                raise BadRequest("the external table lacks a quasi-identifier", column=name, available=external.columns)
        counted, weights = _Counts(external, self.published.table.types), self.beside.external_weights
        if weights is None:
            return counted.counts(known)
        people: dict[Key, Number] = {}
        for (*key, weight), count in counted.counts([*known, weights]).items():
            number = float(str(weight))
            number = int(number) if number.is_integer() else number
            people[tuple(key)] = people.get(tuple(key), 0) + number * count
        return people


@frozen(eq=False)
class _Counts:
    """A table that an engine counts, as texts; numbers are spelled as ``types`` would write them."""

    table: Table
    types: Mapping[str, ColumnType] = field(default_factory=dict)

    @property
    def columns(self) -> Sequence[str]:
        return self.table.columns

    def counts(self, columns: Sequence[str]) -> Mapping[Key, int]:
        return CountedTexts(self.table.counts(columns), self.types)


@frozen(eq=False)
class _Streamed:
    """Parquet files that Polars counts portion by portion, as texts."""

    path: Path
    columns: Sequence[str]

    def counts(self, columns: Sequence[str]) -> Mapping[Key, int]:
        return CountedTexts(streamed_counts(self.path, columns), {})


# ---- asking by name ------------------------------------------------------------------------------------------------------


def covered(model: Requirement, kind: str) -> bool:
    """Tell whether there is plain code for a model in a kind of release, with the parameters that it has."""
    code = recount(type(model))
    if code is None or isinstance(model, CellRequirement):
        return False
    return not hasattr(code, "applies") or bool(_called(code.applies, kind, _values(model)))


def judged(
    model: Requirement, counted: Counted, known: Sequence[str], people: Mapping[Key, Number] | None = None
) -> Level:
    """Judge groups of texts by the plain code of a model; it gets what its parameters are called like.

    ``known`` names the columns of the groups; ``people`` counts those of a population.
    """
    beside = {
        "columns": known,
        "needs": _needed(model),
        "whole": next((counted.whole[name] for name in _needed(model) if name in counted.whole), None),
        "people": people,
        "allowance": counted.allowance,
    }
    level: Level = _called(_code(model).level, counted.groups, {**_values(model), **beside})
    return level


def _known(model: Requirement) -> tuple[str, ...]:
    """Return the columns that the adversary of a requirement knows, where it names some."""
    return tuple(model.qid or ()) if isinstance(model, TableModel) else ()


def _needed(model: Requirement) -> tuple[str, ...]:
    return model.needs() if isinstance(model, TableModel) else ()


def _values(thing: Thing) -> dict[str, object]:
    return {declared.name: getattr(thing, declared.name) for declared in fields(thing)}


def _code(thing: Thing) -> ModuleType:
    code = recount(type(thing))
    assert code is not None
    return code


def _called(function: Callable[..., T], first: object, given: Mapping[str, object]) -> T:
    wanted = list(signature(function).parameters)[1:]
    return function(first, **{name: given[name] for name in wanted if name in given})
