"""Columns of a table as they are worked with in memory: refused by name, in Arrow, as numbers; and a table made of columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import prod
from typing import TYPE_CHECKING, Protocol

import numpy as np

from sfumato.catalogue import build
from sfumato.contracts.engine import Engine, SourceOptions, Table
from sfumato.data.schema import ColumnType
from sfumato.data.whole import whole_values
from sfumato.errors import BadRequest
from sfumato.groups.stats import CodedKeys
from sfumato.kernels.arrays import Codes, Floats, Ints
from sfumato.kernels.lookup import looked_up, occurring

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "arrow_of",
    "check_columns",
    "coded",
    "coded_counts",
    "coded_numbers",
    "counted",
    "linked",
    "made",
    "numbers_of",
    "refuse_inexact",
    "without_missing",
]

_PACKED = 1 << 62
_EXACT = 2**53  # up to here floating point tells whole numbers apart


def made(columns: Mapping[str, object], engine: str | Engine = "polars", *, may_be_empty: bool = False) -> Table:
    """Return a table of columns given as Arrow, NumPy or lists, in an engine or in that of this name."""
    import narwhals as nw
    import pyarrow as pa

    arrow = pa.table(dict(columns))
    source = nw.from_arrow(arrow, backend="polars").to_native() if engine == "polars" else arrow
    opener: Engine = engine if isinstance(engine, Engine) else build(engine, "engine")
    return opener.open(source, SourceOptions(may_be_empty=may_be_empty))


def coded(columns: Mapping[str, CodedKeys], types: Mapping[str, ColumnType], engine: str | Engine = "polars") -> Table:
    """Return a table of columns given as codes, in an engine or in that of this name.

    Columns without a type hold whole numbers.
    """
    opener: Engine = engine if isinstance(engine, Engine) else build(engine, "engine")
    return opener.coded(columns, {name: types.get(name, ColumnType.INTEGER) for name in columns})


def coded_counts(
    columns: Mapping[str, CodedKeys], types: Mapping[str, ColumnType], count: str, engine: str | Engine = "polars"
) -> Table:
    """Return the distinct rows of coded columns in the order of values, with the number of each in one more column."""
    room = [len(held.values) + 1 for held in columns.values()]
    if prod(room) < _PACKED:
        # Lists are in order, so codes laid side by side sort as their values do, and values need not be looked at.
        key = np.zeros(len(next(iter(columns.values()))), np.int64)
        for held, size in zip(columns.values(), room, strict=True):
            key *= size
            key += held.codes
            key += 1
        key.sort()
        first = np.flatnonzero(np.append(True, key[1:] != key[:-1])).astype(np.int32)
        sizes = np.diff(first, append=np.int32(len(key)))
        key = key if len(first) == len(key) else key[first]
        del first
        shown: dict[str, CodedKeys] = {}
        for name, size in zip(reversed(list(columns)), reversed(room), strict=True):
            codes = (key % size).astype(np.int32)
            codes -= np.int32(1)
            shown[name] = CodedKeys(columns[name].values, codes)
            key //= size
        del key
        found = {name: shown[name] for name in columns}
    else:
        cells = coded(columns, types).counts(list(columns))
        found, sizes = dict(zip(columns, cells.keys, strict=True)), cells.sizes
    return coded(found | {count: coded_numbers(sizes)}, types, engine)


def coded_numbers(numbers: Ints | Codes) -> CodedKeys:
    """Return whole numbers as codes.

    >>> held = coded_numbers(np.array([7, 5, 7])), coded_numbers(np.array([10**12, 5]))
    >>> [(one.values, one.codes.tolist()) for one in held]
    [((5, 7), [1, 0, 1]), ((5, 1000000000000), [1, 0])]
    """
    low, high = (int(numbers.min()), int(numbers.max())) if len(numbers) else (0, 0)
    if high - low > 4 * len(numbers):
        values, codes = np.unique(numbers, return_inverse=True)
        return CodedKeys(whole_values(values.astype(np.int64)), codes.astype(np.int32))
    # A place for each number in between: counts, and numbers of groups, lie close together.
    offset = (numbers - low).astype(np.int32, copy=False)
    used = occurring(high - low + 1, offset)[:-1]
    place = np.cumsum(used, dtype=np.int32) - np.int32(1)
    return CodedKeys(whole_values(np.flatnonzero(used) + low), offset if used.all() else looked_up(place, offset))


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


class Columns(Protocol):
    """What has columns: a table, or its records by what they hold."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Column names in order."""

    @property
    def types(self) -> Mapping[str, ColumnType]:
        """Columns in order, with their logical types."""


def check_columns(table: Columns, parameter: str, columns: Sequence[str]) -> None:
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


def refuse_inexact(column: str, ends: Iterable[object]) -> None:
    """Refuse a column whose least or largest value is a whole number that floating point does not tell from its neighbours."""
    if any(isinstance(end, int) and abs(end) > _EXACT for end in ends):
        raise BadRequest("holds whole numbers so large that some of them cannot be told apart here", column=column)


def numbers_of(table: Table, columns: Sequence[str]) -> Floats:
    """Return records x columns as numbers; refuse columns that are not numeric or have missing values."""
    for name in columns:
        if not table.types[name].numeric:
            raise BadRequest("must hold numbers", column=name, value=str(table.types[name]))
    without_missing(table, columns)
    held = arrow_of(table, columns)
    for name in columns:
        refuse_inexact(name, _ends(held.column(name)))
    return np.column_stack([np.asarray(held.column(name).to_numpy(), np.float64) for name in columns])
