"""Cells that have a shape of their own are masked after the records are chosen that are published."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sfumato.contracts.cells import cell_shape, column_cells
from sfumato.contracts.engine import Table
from sfumato.contracts.run import Run, fresh_seed
from sfumato.errors import InternalError
from sfumato.policy import SharedPolicy
from sfumato.tables.policy import Policy

__all__ = ["masked_cells"]


def masked_cells(table: Table, policy: Policy, run: Run) -> Table:
    """Return the table with cells masked that have a shape of their own, all cells of a column together."""
    for name, asked in policy.cells().items():
        shape, rows = cell_shape(asked.shape), table.as_rows()
        run.stage(f"searching ({name}: {asked.search().id})")
        prepared = shape.prepare(shape.of_cells(column_cells(rows, name), asked, run), asked, run)
        searching = replace(run, rng=np.random.default_rng(_seed(asked, policy)))
        found = shape.to_cells(prepared, asked.search().run(shape.task(prepared, None), searching))
        if len(found) != rows.rows:
            raise InternalError(f"{len(found)} of {rows.rows} cells came back from the shape {shape.id}")
        codes = {text: code for code, text in enumerate(dict.fromkeys(found))}
        table = rows.put({name: (np.array([codes[text] for text in found], np.int32), list(codes))})
    return table


def _seed(asked: SharedPolicy, policy: Policy) -> int:
    """Return the seed that the column or the table names; without one, one that nobody can guess."""
    named = [one.seed for one in (asked, policy) if "seed" in one.model_fields_set]
    return named[0] if named else fresh_seed()
