"""Engines: where rows live. One contract, so that Polars, DuckDB and a cluster give the same groups and the same bytes.

A :class:`Table` is a handle on rows inside an engine. Everything that needs rows goes through it; searches, models and
metrics only ever see what it returns: dictionaries, compressed tables, group statistics. Handles are immutable: each
operation returns a new one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.contracts.thing import Thing
from sfumato.data.compressed import CompressedTable, Dictionary
from sfumato.data.schema import ColumnType
from sfumato.groups.stats import GroupStats

__all__ = ["Engine", "SourceOptions", "Table"]


@dataclass(frozen=True)
class SourceOptions:
    """How to read a source where it does not say so itself; ``None`` means: find out.

    ``ignored`` names columns that will be dropped unread, such as identifiers: a reader need not work out their types.
    """

    format: str | None = None
    separator: str | None = None
    encoding: str | None = None
    missing: tuple[str, ...] = ("",)
    sheet: str | None = None
    table: str | None = None
    types: Mapping[str, ColumnType] = field(default_factory=dict)
    ignored: frozenset[str] = frozenset()


class Table(ABC):
    """Rows inside an engine: named, typed columns; missing values are nulls, NaN counts as missing."""

    engine: ClassVar[str]

    @property
    @abstractmethod
    def types(self) -> Mapping[str, ColumnType]:
        """Columns in order, with their logical types."""

    @property
    @abstractmethod
    def rows(self) -> int:
        """Number of rows."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Column names in order."""
        return tuple(self.types)

    @abstractmethod
    def missing(self) -> Mapping[str, int]:
        """Return the number of missing values of each column."""

    @abstractmethod
    def dictionary(self, column: str) -> Dictionary:
        """Return the distinct values of a column in order, with counts."""

    @abstractmethod
    def distinct(self, columns: Sequence[str]) -> int:
        """Return the number of distinct combinations of these columns."""

    @abstractmethod
    def select(self, columns: Sequence[str]) -> Table:
        """Keep these columns, in this order."""

    @abstractmethod
    def drop_missing(self, columns: Sequence[str]) -> Table:
        """Drop the rows in which any of these columns is missing."""

    @abstractmethod
    def fill_missing(self, column: str, value: str) -> Table:
        """Turn missing values of a column into this text; the column becomes text."""

    @abstractmethod
    def compress(
        self, columns: Sequence[str], extra: Sequence[str] = (), dictionaries: Mapping[str, Dictionary] | None = None
    ) -> CompressedTable:
        """Return the distinct rows over ``columns`` and ``extra`` with weights, in code order.

        Codes index the given dictionaries, or the table's own. A missing value in one of the columns is refused.
        """

    @abstractmethod
    def codes(
        self, columns: Sequence[str], dictionaries: Mapping[str, Dictionary] | None = None
    ) -> npt.NDArray[np.int32]:
        """Return the code of every cell of some columns, record by record in table order; -1 where it is missing.

        The array is ``rows x columns`` in C order: the codes of a record lie side by side. Codes index the given
        dictionaries, or the table's own; a value that is not in a given dictionary is refused.
        """

    @abstractmethod
    def groups(self, columns: Sequence[str], histograms: Sequence[str] = ()) -> GroupStats:
        """Return sizes (and histograms) of the groups of equal values in ``columns``; missing equals missing."""

    @abstractmethod
    def recode(self, mappings: Mapping[str, Mapping[Hashable, str | None]]) -> Table:
        """Replace values by labels, column by column; recoded columns become text, missing stays missing.

        A mapping covers every value that occurs; a value without an entry is an internal error.
        """

    @abstractmethod
    def drop_groups(self, columns: Sequence[str], keys: Sequence[Sequence[Hashable]]) -> Table:
        """Drop the rows whose values in ``columns`` equal one of the keys."""

    @abstractmethod
    def put(self, labels: Mapping[str, tuple[npt.NDArray[np.int32], Sequence[str | None]]]) -> Table:
        """Replace whole columns by labels, row by row: one code for each row, and the list of labels that codes index.

        These columns become text. The code -1 and a label that is ``None`` stand for missing.
        """

    @abstractmethod
    def sort(self) -> Table:
        """Sort the rows by all columns from left to right, missing first: an order that tells nothing of the input's."""

    @abstractmethod
    def head(self, count: int) -> list[tuple[Any, ...]]:
        """Return the first rows as tuples."""

    def to_rows(self) -> list[tuple[Any, ...]]:
        """Return all rows as tuples."""
        return self.head(self.rows)

    @abstractmethod
    def batches(self) -> Iterator[Any]:
        """Yield the rows as Arrow record batches, in order."""

    @abstractmethod
    def write(self, path: Path, format: str | None = None, *, separator: str = ",") -> None:  # noqa: A002
        """Write the rows to a file; the same rows give the same bytes whatever the engine."""

    @abstractmethod
    def to_native(self) -> Any:
        """Return the rows as the frame type that came in (or the engine's own)."""


@dataclass(frozen=True, kw_only=True)
class Engine(Thing):
    """Opens sources: files, database tables, frames."""

    kind: ClassVar[str] = "engine"

    def bounded(self, memory: int) -> Engine:
        """Return the engine with a bound of its memory in bytes, if it can keep one and has none of its own."""
        return self

    @abstractmethod
    def open(self, source: Any, options: SourceOptions | None = None) -> Table:
        """Return a handle on the rows of a path, a database URI with a table name, or a frame."""
