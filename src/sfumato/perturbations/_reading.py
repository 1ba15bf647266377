"""What perturbations read of a table: whole columns, with a refusal where a column is not fit for it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Bools, Floats

__all__ = ["KEEP", "REFUSE", "exact_matches", "matrix", "present", "refuse_repeats", "refuse_unknown", "values"]

REFUSE = "refuse"
KEEP = "keep"


def refuse_unknown(table: Table, names: Sequence[str], parameter: str) -> None:
    """Refuse names that are no columns of the table."""
    for name in names:
        if name not in table.types:
            raise BadRequest("is not a column of the table", parameter=parameter, value=name, available=table.columns)


def refuse_repeats(names: Sequence[str], parameter: str) -> None:
    """Refuse an empty list of columns, and one that names a column twice."""
    if not names:
        raise BadRequest("needs at least one column", parameter=parameter)
    if len(set(names)) != len(names):
        raise BadRequest("names a column twice", parameter=parameter, value=list(names))


def values(table: Table, name: str) -> list[Hashable]:
    """Return the values of a column, row by row; missing ones are ``None``."""
    return [value for batch in table.select([name]).batches() for value in batch.column(0).to_pylist()]


def present(table: Table, names: Sequence[str], missing: str, parameter: str) -> Bools:
    """Return which rows have a value in every column; refuse missing values unless they may stay as they are."""
    counts = table.missing()
    for name in names:
        if counts[name] and missing == REFUSE:
            raise BadRequest(
                f"has {counts[name]:,} missing value{'s' if counts[name] > 1 else ''}; drop these records first",
                column=name,
                parameter=parameter,
            )
    keep = np.ones(table.rows, bool)
    for name in names:
        if counts[name]:
            keep &= np.array([value is not None for value in values(table, name)], bool)
    if not keep.any():
        raise BadRequest("no record has a value", column=names[0], parameter=parameter)
    return keep


def matrix(table: Table, names: Sequence[str], parameter: str) -> Floats:
    """Return numeric columns side by side; missing values are NaN, infinite ones are refused."""
    refuse_unknown(table, names, parameter)
    columns = []
    for name in names:
        if not table.types[name].numeric:
            raise BadRequest("needs numbers", column=name, parameter=parameter, value=str(table.types[name]))
        parts = [
            np.asarray(batch.column(0).to_numpy(zero_copy_only=False), np.float64)
            for batch in table.select([name]).batches()
        ]
        column = np.concatenate(parts) if parts else np.empty(0)
        if np.isinf(column).any():
            raise BadRequest("holds infinite values", column=name, parameter=parameter)
        columns.append(column)
    return np.column_stack(columns)


def exact_matches(table: Table, names: Sequence[str], drawn: Sequence[Sequence[Hashable]]) -> float:
    """Return the share of drawn records that equal an original record in every column."""
    originals = set(zip(*(values(table, name) for name in names), strict=True))
    records = list(zip(*drawn, strict=True))
    return sum(record in originals for record in records) / len(records)
