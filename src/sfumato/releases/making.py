"""How public tables are made from a table and a group number for each record: checks, shuffles, counted columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from sfumato.catalogue import build
from sfumato.contracts.engine import Engine, Table
from sfumato.errors import BadRequest

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["arrow_of", "check_columns", "group_numbers", "made", "numbers_of", "shuffled", "without_missing"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Groups = Sequence[int] | npt.NDArray[np.generic]
"""A number for each record."""


def made(columns: Mapping[str, object], engine: str | Engine = "polars") -> Table:
    """Return a table of columns given as Arrow, NumPy or lists, in an engine or in that of this name."""
    import narwhals as nw
    import pyarrow as pa

    arrow = pa.table(dict(columns))
    source = nw.from_arrow(arrow, backend="polars").to_native() if engine == "polars" else arrow
    opener: Engine = engine if isinstance(engine, Engine) else build(engine, "engine")
    return opener.open(source)


def arrow_of(table: Table, columns: Sequence[str]) -> pa.Table:
    """Return some columns of a table in Arrow memory, row by row as they stand."""
    import pyarrow as pa

    return pa.Table.from_batches(list(table.select(columns).batches()))


def group_numbers(groups: Groups, rows: int) -> Ints:
    """Return one whole number per record; refuse anything else."""
    if rows == 0:
        raise BadRequest("has no record", parameter="table")
    numbers = np.asarray(groups)
    if numbers.ndim != 1 or len(numbers) != rows:
        raise BadRequest(f"needs one group for each of the {rows:,} records", parameter="groups", value=numbers.shape)
    if numbers.dtype.kind not in "iu":
        raise BadRequest("group numbers must be whole numbers", parameter="groups", value=str(numbers.dtype))
    return numbers.astype(np.int64)


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


def numbers_of(table: Table, columns: Sequence[str]) -> Floats:
    """Return records x columns as numbers; refuse columns that are not numeric or have missing values."""
    for name in columns:
        if not table.types[name].numeric:
            raise BadRequest("must hold numbers", column=name, value=str(table.types[name]))
    without_missing(table, columns)
    held = arrow_of(table, columns)
    return np.column_stack([np.asarray(held.column(name).to_numpy(), np.float64) for name in columns])


def shuffled(groups: Ints, rng: np.random.Generator) -> Ints:
    """Return the records group by group, in an order inside each group that is drawn uniformly.

    >>> order = shuffled(np.array([2, 1, 2, 1]), np.random.default_rng(0))
    >>> sorted(order[:2].tolist()), sorted(order[2:].tolist())
    ([1, 3], [0, 2])
    """
    order = rng.permutation(len(groups))
    return order[np.argsort(groups[order], kind="stable")].astype(np.int64)
