"""Columns that no search generalizes: each record gets what stands for its group, and the column tells no more than that.

Groups are those of the published quasi-identifiers, and requirements count these alone. All records of a group get the same
value, those without one too, so that the column tells nobody of a group from another.
"""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.data.messages import say
from sfumato.data.text import to_text
from sfumato.errors import BadRequest, Unsupported
from sfumato.groups.cells import Cells
from sfumato.kernels.arrays import Floats, Ints
from sfumato.releases.recoded_table import RecodedTable
from sfumato.tables.policy import Policy

__all__ = ["refuse_aggregates", "with_class_values"]


def refuse_aggregates(policy: Policy, table: Table) -> None:
    """Refuse values of groups where nobody publishes rows of groups, of columns that are counted, and of what is no number."""
    asked, algorithm = policy.aggregates(), policy.search()
    if asked and algorithm.traits.release != RecodedTable.id:
        raise Unsupported(
            f"{algorithm.id} publishes a release of the kind {algorithm.traits.release}; values of groups need recoded rows",
            thing=algorithm.id,
            alternatives=["optimal", "mondrian", "tdr"],
        )
    for name, how in asked.items():
        if name in policy.counted():
            raise BadRequest("is what a requirement looks at", column=name, parameter="aggregate", value=how)
        if how != "mode" and not table.types[name].numeric:
            raise BadRequest("is for numbers", column=name, parameter="aggregate", value=how, available=["mode"])
        if how == "geometric-mean" and any(value <= -1 for value in table.dictionary(name).values):  # type: ignore[operator]
            raise BadRequest(
                "is taken of the value plus 1, which must be positive", column=name, parameter="aggregate", value=how
            )


def with_class_values(table: Table, policy: Policy, known: tuple[str, ...]) -> tuple[Table, list[str]]:
    """Return the table in which each such column holds what stands for the group on the known columns, and warnings.

    Not every requirement asks for large groups (``k-map`` does not): what stands for a single record is its own value.
    """
    warnings: list[str] = []
    for name, how in policy.aggregates().items():
        cells = table.counts([*known, name])
        labels, alone = _labels(cells, how)
        table = table.relabel([*known, name], [list(keys) for keys in cells.keys], {name: labels})
        warnings += [say("warning.stands_for_one", name=name, groups=alone)] if alone else []
    return table, warnings


def _labels(cells: Cells, how: str) -> tuple[list[str | None], int]:
    """Return what every cell, of a group and a value, is published as, and in how many groups one record alone has a value."""
    *groups, held = cells.keys
    codes = np.column_stack([keys.codes for keys in groups])
    group = np.unique(codes, axis=0, return_inverse=True)[1].reshape(-1)
    shown: dict[int, str] = {}
    alone = 0
    order = np.argsort(group, kind="stable")
    for rows in np.split(order, np.flatnonzero(np.diff(group[order])) + 1):
        rows = rows[held.codes[rows] >= 0]
        if len(rows):
            values = [held.values[code] for code in held.codes[rows].tolist()]
            shown[int(group[rows[0]])] = _stands_for(values, cells.sizes[rows], how)
            alone += int(cells.sizes[rows].sum()) == 1
    return [shown.get(one) for one in group.tolist()], alone


def _stands_for(values: list[Hashable], counts: Ints, how: str) -> str:
    """Return what stands for values that occur so often; of equally frequent ones the first in order."""
    if how == "mode":
        return to_text(values[int(np.argmax(counts))])
    numbers = np.array(values, np.float64)
    if how == "interval":
        low, high = to_text(values[int(np.argmin(numbers))]), to_text(values[int(np.argmax(numbers))])
        return f"[{low}-{high}]"
    return to_text(_plain(_central(numbers, counts, how)))


def _central(numbers: Floats, counts: Ints, how: str) -> float:
    if how == "median":
        order = np.argsort(numbers, kind="stable")
        until, half = np.cumsum(counts[order]), counts.sum() / 2
        low, high = np.searchsorted(until, half), np.searchsorted(until, half, side="right")
        return float(numbers[order[low]] + numbers[order[min(high, len(order) - 1)]]) / 2
    if how == "geometric-mean":
        return float(np.expm1((np.log1p(numbers) @ counts) / counts.sum()))
    return float((numbers @ counts) / counts.sum())


def _plain(number: float) -> float:
    return int(number) if number.is_integer() else number
