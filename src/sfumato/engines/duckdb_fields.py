"""Columns inside a query of DuckDB: how a value is compared, counted, sorted and written, as SQL."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from functools import cached_property, reduce
from pathlib import Path
from typing import cast

import polars as pl

from sfumato.contracts.engine import SourceOptions
from sfumato.data.frozen import frozen
from sfumato.data.schema import ColumnType
from sfumato.engines.duckdb_session import Session, literal
from sfumato.engines.formats import in_canonical_form
from sfumato.engines.parts import files
from sfumato.engines.probing import identity
from sfumato.errors import BadRequest

__all__ = [
    "FEW",
    "PORTION",
    "Entries",
    "Field",
    "Opened",
    "canonical_pairs",
    "path_literal",
    "spelled_twice",
    "stamp_of",
]

PORTION = 1 << 16
"""Rows that are looked at at once."""

FEW = (1 << 16) - 1
"""A column of no more distinct texts is an enumeration: its rows take two bytes each."""


@frozen(eq=False)
class Entries:
    """The texts of a column that are an enumeration of DuckDB: in the order of the values that they stand for, one for each."""

    name: str
    texts: tuple[str, ...]
    values: tuple[Hashable, ...]

    @cached_property
    def text_of(self) -> Mapping[Hashable, str]:
        """The text of each value."""
        return dict(zip(self.values, self.texts, strict=True))


@frozen
class Field:
    """One column inside a query: its name there, its logical type and how it is stored; few texts are an enumeration.

    What is enumerated is compared, counted and sorted as small numbers.
    """

    key: str
    type: ColumnType
    stored: str = "VARCHAR"
    entries: Entries | None = None

    @property
    def _plain(self) -> str:
        return self.key if self.entries is None else f"CAST({self.key} AS VARCHAR)"

    @property
    def typed(self) -> str:
        """The value in its logical type, as SQL."""
        if self.stored != "VARCHAR" or self.type is ColumnType.TEXT:
            return self._plain
        if self.type is ColumnType.NUMBER:
            return _one_zero(f"CAST({self._plain} AS DOUBLE)")
        kind = {
            ColumnType.INTEGER: "BIGINT",
            ColumnType.BOOLEAN: "BOOLEAN",
            ColumnType.DATE: "DATE",
            ColumnType.DATETIME: "TIMESTAMP",
        }[self.type]
        return f"CAST({self._plain} AS {kind})"

    @property
    def value(self) -> str:
        """What is compared and counted, as SQL: the value, or the entry that stands for it."""
        if self.entries is not None:
            return self.key
        return f"CAST({self.key} AS DOUBLE)" if self.stored.startswith("DECIMAL") else self.typed

    @property
    def text(self) -> str:
        """The text that would be written, as SQL."""
        if self.stored == "VARCHAR":
            return self._plain
        name = {"DOUBLE": "number_text", "FLOAT": "single_text", "TIMESTAMP": "moment_text"}.get(self.stored)
        return f"{name}({self.key})" if name else f"CAST({self.key} AS VARCHAR)"

    @property
    def cell(self) -> str:
        """The canonical text as part of a row's line, as SQL; see :mod:`sfumato.data.content`."""
        if self.type is ColumnType.TEXT:
            escapes = (("\\", 92), ("t", 9), ("n", 10), ("r", 13))
            return reduce(lambda text, pair: f"replace({text}, chr({pair[1]}), '\\{pair[0]}')", escapes, self._plain)
        if self.type is ColumnType.NUMBER:
            return f"number_cell(CAST({self.typed} AS DOUBLE))"
        if self.type is ColumnType.DATETIME:
            second = f"replace(CAST(date_trunc('second', {self.typed}) AS VARCHAR), ' ', 'T')"
            rest = f"extract(microseconds FROM {self.typed}) % 1000000"
            return f"{second} || CASE {rest} WHEN 0 THEN '' ELSE '.' || lpad(CAST({rest} AS VARCHAR), 6, '0') END"
        return f"CAST({self.typed} AS VARCHAR)"

    @property
    def order(self) -> tuple[str, ...]:
        """What sorts by value, then by text, missing first."""
        terms = (self.key,) if self.entries is not None or self.typed == self.key else (self.typed, self.key)
        return tuple(f"{term} NULLS FIRST" for term in terms)


@frozen
class Opened:
    """A source as a query with a row number ``r``, its columns, and the file, as it was, that the query still reads."""

    query: str
    fields: Mapping[str, Field]
    kind: str | None = None
    file: Path | None = None
    stamp: tuple[tuple[int, ...], ...] = ()

    def refuse_changed(self) -> None:
        """Refuse a file that is not the one any more that was read before."""
        try:
            same = self.file is None or stamp_of(self.file) == self.stamp
        except OSError:
            same = False
        if not same:
            raise BadRequest("was changed, moved or removed after it was read: read it again", where=str(self.file))


def stamp_of(file: Path) -> tuple[tuple[int, ...], ...]:
    """Return what changes when a file, or one of its parts, does."""
    return tuple(map(identity, files(file)))


def _one_zero(expression: str) -> str:
    # -0.0 equals 0.0 but would be a group of its own.
    return f"CASE WHEN {expression} = 0 THEN 0 ELSE {expression} END"


def path_literal(path: Path) -> str:
    """Return a path as a literal that matches only itself."""
    text = "".join(f"[{letter}]" if letter in "*?[" else letter for letter in str(path))
    return literal(text)


def canonical_pairs(
    session: Session, rows: str, text: str, name: str, options: SourceOptions, where: str
) -> str | None:
    """Store the texts of a column that has a format of its own beside their canonical form; return the table of pairs."""
    if name not in options.formats:
        return None
    texts = cast(pl.DataFrame, pl.from_arrow(session.arrow(f"SELECT DISTINCT {text} AS k {rows}")))["k"]
    canonical = in_canonical_form(texts, name, options, where)
    if canonical is None:
        return None
    return session.store(pl.DataFrame({"k": texts, "v": canonical}).to_arrow().to_reader())


def spelled_twice(session: Session, texts: str, kind: ColumnType) -> bool:
    """Tell whether a query of texts ``c`` holds two that stand for one value."""
    if kind in (ColumnType.TEXT, ColumnType.DATE):
        return False
    if (
        kind is ColumnType.INTEGER
        and not session.run(f"SELECT count(*) FROM ({texts}) WHERE regexp_matches(c, '^(-0|0.)')")[0][0]
    ):
        return False
    found = session.run(f"SELECT count(DISTINCT c), count(DISTINCT {Field('c', kind).typed}) FROM ({texts})")[0]
    return bool(found[0] > found[1])
