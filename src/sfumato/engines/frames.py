"""Frames in, the same kind of frame out, through narwhals.

Plain Python data comes in too: a mapping of columns, or a list of records. Frames of PySpark stay
in the engine spark; others refuse them rather than pull them onto one machine.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from sfumato.data.schema import ColumnType
from sfumato.engines.sources import refuse_without_arrow
from sfumato.errors import BadRequest, Unsupported
from sfumato.kernels.arrays import Ints

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["can_hold", "from_arrow", "from_lists", "is_spark", "kind_of", "to_arrow", "whole_numbers"]

_KNOWN = ("pandas", "polars", "pyarrow", "duckdb")
_WELCOME = (
    "a path",
    "a database address",
    "a frame (pandas, Polars, PyArrow, DuckDB)",
    "a mapping of columns",
    "a list of records",
)


def kind_of(source: object) -> str | None:
    """Return the kind of a frame, such as ``pandas`` or ``polars-lazy``; ``None`` for plain data."""
    if is_spark(source):
        raise Unsupported(
            "frames of PySpark stay where they are: read them with the engine spark",
            thing="pyspark",
            alternatives=["spark"],
        )
    if isinstance(source, (Mapping, list, tuple)):
        return None
    import narwhals as nw

    try:
        frame = nw.from_native(source, pass_through=True)
    except nw.exceptions.DuplicateError:
        raise BadRequest("column names occur more than once", where="the frame") from None
    if not isinstance(frame, (nw.DataFrame, nw.LazyFrame)):
        raise BadRequest("is not a source of rows", parameter="source", value=type(source).__name__, available=_WELCOME)
    name = frame.implementation.value
    if name not in _KNOWN:
        raise Unsupported(f"frames of {name} are not supported", thing=name, alternatives=_KNOWN)
    return "polars-lazy" if name == "polars" and isinstance(frame, nw.LazyFrame) else str(name)


def is_spark(source: object) -> bool:
    """Tell whether something is a DataFrame of Spark, without loading Spark."""
    return any(part.__module__.split(".")[0] == "pyspark" for part in type(source).__mro__)


def to_arrow(source: Any) -> tuple[pa.Table, str | None]:
    """Return an Arrow table of a frame or of plain data, and the kind of frame it was."""
    refuse_without_arrow("reading a frame or rows")
    import pyarrow as pa

    kind = kind_of(source)
    if kind is None:
        return _plain(source), None
    import narwhals as nw

    if kind == "pandas":
        source = _without_places(source)
    try:
        frame = nw.from_native(source)
        table = frame.collect("pyarrow").to_native() if isinstance(frame, nw.LazyFrame) else frame.to_arrow()
    except (pa.ArrowException, TypeError, OverflowError) as error:
        raise BadRequest(
            f"the frame has a column that mixes types, or one that no table holds ({type(error).__name__}); give each column "
            "one type of numbers, texts or dates"
        ) from None
    if kind == "pandas" and not all(isinstance(name, str) for name in source.columns):
        raise BadRequest("column names must be texts", where="the frame")
    return table, kind


def _without_places(frame: Any) -> Any:
    """Return a frame of pandas whose index says nothing but where rows are as one without; a level with a name is a column."""
    levels = [at for at, name in enumerate(frame.index.names) if name is None or name in frame.columns]
    return frame.reset_index(level=levels, drop=True) if levels else frame


def _plain(source: Any) -> pa.Table:
    if isinstance(source, Mapping):
        if len({len(values) for values in source.values()}) > 1:
            raise BadRequest("columns must have the same number of rows", parameter="source")
        return _table({name: list(values) for name, values in source.items()})
    if not all(isinstance(record, Mapping) for record in source):
        raise BadRequest("a list of rows must hold records (name: value)", parameter="source")
    names: dict[str, None] = {}
    for record in source:
        names |= dict.fromkeys(record)
    return _table({name: [record.get(name) for record in source] for name in names})


def from_lists(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> pa.Table:
    """Return an Arrow table of rows given as sequences."""
    for number, row in enumerate(rows):
        if len(row) != len(columns):
            raise BadRequest(f"row {number} has {len(row)} values, there are {len(columns)} columns", parameter="rows")
    if len(set(columns)) != len(columns):
        raise BadRequest("column names occur more than once", parameter="columns")
    return _table({name: [row[at] for row in rows] for at, name in enumerate(columns)})


def _table(columns: Mapping[str, list[object]]) -> pa.Table:
    import pyarrow as pa

    arrays = {}
    for name, values in columns.items():
        if not isinstance(name, str):
            raise BadRequest("column names must be texts", parameter="source", value=type(name).__name__)
        kinds = {type(value) for value in values if value is not None}
        try:
            if kinds == {int, float}:
                arrays[name] = pa.array(values, pa.float64())
            elif len(kinds) > 1 and bool in kinds:
                raise TypeError
            else:
                arrays[name] = pa.array(values)
        except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, TypeError, OverflowError):
            found = sorted(kind.__name__ for kind in kinds)
            raise BadRequest("holds values that do not make one column", column=name, value=found) from None
    return pa.table(arrays)


def from_arrow(table: pa.Table, kind: str | None) -> object:
    """Return an Arrow table as a frame of this kind."""
    if kind is None or kind == "pyarrow":
        return table
    import narwhals as nw

    if kind == "duckdb":
        return nw.from_native(table).lazy("duckdb").to_native()
    if kind == "pandas":
        return nw.from_arrow(table, backend="pandas").to_native()
    frame = nw.from_arrow(table, backend="polars").to_native()
    return frame.lazy() if kind == "polars-lazy" else frame


def whole_numbers(column: pa.Array | pa.ChunkedArray) -> Ints:
    """Return the whole numbers of an Arrow column, -1 where one is missing."""
    import polars as pl

    # Arrow's own way to NumPy, and its scalars, load pandas, if there is one.
    return cast(pl.Series, pl.from_arrow(column)).cast(pl.Int64).fill_null(-1).to_numpy()


def can_hold(value: Hashable, kind: ColumnType) -> bool:
    """Tell whether a value can occur in a column of this type; missing can everywhere."""
    import datetime

    if value is None:
        return True
    moment = isinstance(value, datetime.datetime)
    if kind is ColumnType.TEXT:
        return isinstance(value, str)
    if kind is ColumnType.DATETIME:
        return moment
    if kind is ColumnType.DATE:
        return isinstance(value, datetime.date) and not moment
    if kind is ColumnType.INTEGER:
        return isinstance(value, (int, np.integer)) and -(1 << 63) <= int(value) < 1 << 63
    if kind is ColumnType.BOOLEAN:
        return isinstance(value, (bool, np.bool_))
    return isinstance(value, (int, float, np.integer, np.floating))
