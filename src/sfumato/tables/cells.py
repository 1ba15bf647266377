"""Cells that have a shape of their own: freed of what their own row tells, masked after the published records are chosen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from sfumato.contracts.cells import Cells, cell_shape, column_cells
from sfumato.contracts.engine import RowTable, Table
from sfumato.contracts.run import Run, fresh_seed
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.data.schema import Role
from sfumato.errors import InternalError
from sfumato.policy import SharedPolicy
from sfumato.tables.policy import Policy

__all__ = ["MaskedCells", "hidden_values", "masked_cells", "without_own_values"]


def without_own_values(table: Table, policy: Policy) -> tuple[Table, list[str]]:
    """Return the table with cells that do not tell what is masked or left out in their own row, and what was done about it."""
    warnings: list[str] = []
    own = [name for name, role in policy.roles().items() if (role.hidden or role is Role.QUASI_IDENTIFIER)]
    for name, asked in policy.cells().items():
        shape, rows = cell_shape(asked.shape), table.as_rows()
        beside = {one: column_cells(rows, one) for one in own if one in rows.types}
        cells, found = shape.without_own_values(column_cells(rows, name), beside, asked)
        if not found:
            continue
        if shape.without_own_values(cells, beside, asked)[1]:
            raise InternalError(f"cells of {name} still tell what their own rows tell")
        table = _with_cells(rows, name, cells)
        warnings.append(say("cells.own_values", column=name, count=found))
    return table, warnings


def hidden_values(table: Table, policy: Policy) -> dict[str, Sequence[str]]:
    """Return by column the values that are left out as identifiers, where cells with a shape of their own may tell them."""
    if not policy.cells():
        return {}
    left_out = [name for name, role in policy.roles().items() if role.hidden and name in table.types]
    return {name: [one for one in dict.fromkeys(column_cells(table, name)) if one] for name in left_out}


@frozen(eq=False)
class MaskedCells:
    """A table with masked cells; what only the publisher has of such columns, for requirements that need more; what to know."""

    table: Table
    views: Mapping[str, object]
    warnings: tuple[str, ...]
    counts: Mapping[str, int]


def masked_cells(table: Table, policy: Policy, hidden: Mapping[str, Sequence[str]], run: Run) -> MaskedCells:
    """Return the table with cells masked that have a shape of their own, all cells of a column together.

    ``hidden`` are by column the values of rows that stay in the house: a cell may tell those of another row.
    """
    views, warnings, counts = dict[str, object](), list[str](), Counter[str]()
    for name, asked in policy.cells().items():
        shape, rows = cell_shape(asked.shape), table.as_rows()
        run.stage(f"searching ({name}: {asked.search().id})")
        prepared = shape.prepare(shape.of_cells(column_cells(rows, name), asked, run), asked, run)
        prepared = shape.beside(prepared, hidden)
        searching = replace(run, rng=np.random.default_rng(_seed(asked, policy)))
        outcome = asked.search().run(shape.task(prepared, None), searching)
        found = shape.to_cells(prepared, outcome)
        warnings += [say("cells.warning", column=name, warning=one) for one in outcome.warnings]
        counts.update(shape.counted(outcome))
        inside = shape.inside(found, asked, outcome)
        if inside is not None and any(model.private() for model in asked.models()):
            views[name] = inside
        if len(found) != rows.rows:
            raise InternalError(f"{len(found)} of {rows.rows} cells came back from the shape {shape.id}")
        table = _with_cells(rows, name, found)
    return MaskedCells(table, views, tuple(warnings), dict(counts))


def _with_cells(rows: RowTable, name: str, cells: Cells) -> Table:
    codes = {text: code for code, text in enumerate(dict.fromkeys(cells))}
    return rows.put({name: (np.array([codes[text] for text in cells], np.int32), list(codes))})


def _seed(asked: SharedPolicy, policy: Policy) -> int:
    """Return the seed that the column or the table names; without one, one that nobody can guess."""
    named = [one.seed for one in (asked, policy) if "seed" in one.model_fields_set]
    return named[0] if named else fresh_seed()
