"""Columns of a table as they are worked with in memory: refused by name, in Arrow, as numbers; and a table made of columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from sfumato.catalogue import build
from sfumato.contracts.engine import Engine, SourceOptions, Table
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Floats, Ints

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["arrow_of", "check_columns", "counted", "linked", "made", "numbers_of", "without_missing"]

_EXACT = 2**53  # up to here floating point tells whole numbers apart


def made(columns: Mapping[str, object], engine: str | Engine = "polars", *, may_be_empty: bool = False) -> Table:
    """Return a table of columns given as Arrow, NumPy or lists, in an engine or in that of this name."""
    import narwhals as nw
    import pyarrow as pa

    arrow = pa.table(dict(columns))
    source = nw.from_arrow(arrow, backend="polars").to_native() if engine == "polars" else arrow
    opener: Engine = engine if isinstance(engine, Engine) else build(engine, "engine")
    return opener.open(source, SourceOptions(may_be_empty=may_be_empty))


def counted(columns: Mapping[str, object], count: str, engine: str | Engine = "polars") -> Table:
    """Return the distinct rows of some columns in the order of values, with the number of each in one more column."""
    import pyarrow as pa

    held = pa.table(dict(columns))
    cells = made(columns, engine).counts(held.column_names)
    shown = {
        field.name: pa.array(list(keys.values), field.type).take(pa.array(keys.codes, mask=keys.codes < 0))
        for field, keys in zip(held.schema, cells.keys, strict=True)
    }
    return made(shown | {count: cells.sizes}, engine)


def linked(table: Table, columns: Sequence[str], groups: Ints) -> Table:
    """Return which records are in which group, by the values that they have in some columns, and how many are alike.

    >>> from sfumato.engines import from_rows
    >>> linked(from_rows(["Age"], [(30,), (31,), (30,)]), ["Age"], np.array([2, 1, 2])).to_rows()
    [(30, 2, 2), (31, 1, 1)]
    """
    held = arrow_of(table, columns)
    raw = {f"raw {name}": held.column(name) for name in columns}
    return counted(raw | {"group": groups}, "records", table.home)


def arrow_of(table: Table, columns: Sequence[str]) -> pa.Table:
    """Return some columns of a table in Arrow memory, row by row as they stand."""
    import pyarrow as pa

    return pa.Table.from_batches(list(table.select(columns).batches()))


def check_columns(table: Table, parameter: str, columns: Sequence[str]) -> None:
    """Refuse columns that the table does not have."""
    for name in columns:
        if name not in table.types:
            raise BadRequest("is not a column of the table", parameter=parameter, value=name, available=table.columns)


def without_missing(table: Table, columns: Sequence[str]) -> None:
    """Refuse missing values in columns that are computed with."""
    counts = table.missing()
    for name in columns:
        if counts[name]:
            raise BadRequest(f"has {counts[name]:,} missing values", column=name)


def _ends(held: pa.ChunkedArray) -> tuple[object, object]:
    import pyarrow.compute as pc

    ends = pc.min_max(held)
    return ends["min"].as_py(), ends["max"].as_py()


def numbers_of(table: Table, columns: Sequence[str]) -> Floats:
    """Return records x columns as numbers; refuse columns that are not numeric or have missing values."""
    for name in columns:
        if not table.types[name].numeric:
            raise BadRequest("must hold numbers", column=name, value=str(table.types[name]))
    without_missing(table, columns)
    held = arrow_of(table, columns)
    for name in columns:
        if any(abs(int(end)) > _EXACT for end in _ends(held.column(name)) if isinstance(end, int)):
            raise BadRequest("holds whole numbers so large that some of them cannot be told apart here", column=name)
    return np.column_stack([np.asarray(held.column(name).to_numpy(), np.float64) for name in columns])
