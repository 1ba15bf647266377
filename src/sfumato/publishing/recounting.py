"""The second judgement of a release: who counts the written files, and which plain code judges the counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from importlib.util import find_spec
from inspect import signature
from types import ModuleType
from typing import TypeGuard, TypeVar

from sfumato.catalogue import recount
from sfumato.contracts.certificate import PartEntry, Recounted
from sfumato.contracts.engine import Table
from sfumato.contracts.model import Requirement, TableModel
from sfumato.contracts.published import Published
from sfumato.contracts.release import NOTHING_BESIDE, Beside
from sfumato.contracts.thing import Thing
from sfumato.data.schema import ColumnType
from sfumato.data.text import written_text
from sfumato.engines import read
from sfumato.errors import BadRequest
from sfumato.recounts import Counted, Histogram, Key, Level, Part, Written

__all__ = ["MOST_ROWS", "Recount", "Recounts"]

T = TypeVar("T")

MOST_ROWS = 200_000
"""Up to here plain code counts the rows itself."""

_OTHERS = {"polars": "duckdb", "duckdb": "polars"}


@dataclass(frozen=True)
class Recount:
    """What a second judgement says, and of how many groups and records."""

    level: Level
    groups: int
    records: int


@dataclass(frozen=True, eq=False)
class Recounts:
    """The second judgement of what is published, with what else whoever checks is told."""

    published: Published
    beside: Beside = NOTHING_BESIDE
    qids: Sequence[str] = ()

    def way(self, model: Requirement) -> Recounted:
        """Return who judges a requirement a second time."""
        if model.private():
            return "inside"
        if not self.covers(model):
            return "by the model itself"
        return "another engine" if self._another is not None else "plain"

    def judge(self, model: TableModel) -> Recount:
        """Judge a requirement by its plain code."""
        kind, known, needed = self.published.form, tuple(model.qid or self.qids), model.needs()
        asked = {"known": known, "read": needed, "sizes_alone": model.traits.by_size_alone, **_values(kind)}
        counted: Counted = _called(_code(kind).counted, self._parts, asked)
        compared: Mapping[str, Mapping[str, int] | Histogram] = {**self.beside.reference, **counted.whole}
        level: Level = _called(
            _code(model).level,
            counted.groups,
            {
                **_values(model),
                "columns": known,
                "needs": needed,
                "whole": next((compared[name] for name in needed if name in compared), None),
                "people": None if self.beside.external is None else self._people(self.beside.external, known),
                "allowance": counted.allowance,
            },
        )
        records = sum(count for rows in counted.groups.values() for count in rows.values())
        return Recount(level, len(counted.groups), int(records))

    def covers(self, model: Requirement) -> TypeGuard[TableModel]:
        """Tell whether there is plain code for the model and the kind, and for these parameters."""
        code = recount(type(model))
        if not isinstance(model, TableModel) or code is None or recount(type(self.published.form)) is None:
            return False
        return not hasattr(code, "applies") or bool(_called(code.applies, self.published.kind, _values(model)))

    # ---- who counts --------------------------------------------------------------------------------------------------

    @cached_property
    def _another(self) -> str | None:
        """The engine that counts, where there are too many rows for plain code: not the one that has the tables."""
        if max(table.rows for table in self.published.tables.values()) <= MOST_ROWS:
            return None
        other = _OTHERS.get(self.published.table.engine, "polars")
        return other if find_spec(other) is not None else None

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
        types = self.published.tables[entry.part].types
        encoding = None if separator is None else "utf-8"
        return _Counts(
            read(
                str(path),
                engine=self._another,
                format=described.format,
                separator=separator,
                encoding=encoding,
                types=types,
            )
        )

    def _people(self, external: Table, known: Sequence[str]) -> Mapping[Key, int]:
        for name in known:
            if name not in external.types:
                raise BadRequest("the external table lacks a quasi-identifier", column=name, available=external.columns)
        return _Counts(external, self.published.table.types).counts(known)


@dataclass(frozen=True, eq=False)
class _Counts:
    """A table that an engine counts, as texts; numbers are spelled as ``types`` would write them."""

    table: Table
    types: Mapping[str, ColumnType] = field(default_factory=dict)

    def counts(self, columns: Sequence[str]) -> Mapping[Key, int]:
        cells = self.table.counts(columns)
        texts = []
        for name, keys in zip(columns, cells.keys, strict=True):
            real = self.types.get(name) is ColumnType.NUMBER
            # The last one answers for missing, -1.
            spelled = [written_text(float(value) if real else value) for value in keys.values]  # type: ignore[arg-type]
            listed: list[str | None] = [*spelled, None]
            texts.append([listed[code] for code in keys.codes.tolist()])
        return dict(zip(zip(*texts, strict=True), cells.sizes.tolist(), strict=True))


# ---- asking by name ------------------------------------------------------------------------------------------------------


def _values(thing: Thing) -> dict[str, object]:
    return {declared.name: getattr(thing, declared.name) for declared in fields(thing)}


def _code(thing: Thing) -> ModuleType:
    code = recount(type(thing))
    assert code is not None
    return code


def _called(function: Callable[..., T], first: object, given: Mapping[str, object]) -> T:
    """Call a function of a recount with what its parameters are called like."""
    wanted = list(signature(function).parameters)[1:]
    return function(first, **{name: given[name] for name in wanted if name in given})
