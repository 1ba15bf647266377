"""Who reads columns of a published table whose cells have a shape of their own, with the raw rows if these are known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from sfumato.contracts.adversary import CellReader
from sfumato.contracts.cells import CellRequirement, cell_shape, column_cells
from sfumato.contracts.engine import Table
from sfumato.contracts.knowledge import Knowledge
from sfumato.contracts.published import Published
from sfumato.contracts.run import Run
from sfumato.engines import read
from sfumato.policy import SourcePolicy
from sfumato.tables.policy import Policy

__all__ = ["cell_readers"]


def cell_readers(published: Published, told: Mapping[str, object], run: Run) -> Iterator[CellReader[Knowledge]]:
    """Yield who reads each such column, as the requirements on cells name it; a stranger reads it without a policy."""
    policy = published.private.policy
    asked = policy.cells() if isinstance(policy, Policy) else {}
    kinds = {one.column: one.within for one in published.models if isinstance(one, CellRequirement)}
    columns = {name: one.shape for name, one in asked.items()} | kinds
    raw = _opened(told.get("raw"), published.private.raw, policy) if columns else None
    for column, within in columns.items():
        table = next((part for part in published.tables.values() if column in part.types), None)
        if table is None:
            continue
        before = column_cells(raw, column) if raw is not None and column in raw.types else None
        hidden = [name for name, role in policy.roles().items() if role.hidden] if isinstance(policy, Policy) else []
        own = {} if raw is None else {name: column_cells(raw, name) for name in hidden if name in raw.types}
        who = cell_shape(within).reader(column_cells(table, column), asked.get(column), before, own, told, run)
        if who is not None:
            yield CellReader(column, within, who)


def _opened(given: object, kept: Table | None, policy: object) -> Table | None:
    """Return the table before masking with all its columns; a release in memory has it without those that were left out."""
    if given is None or isinstance(given, Table):
        return kept if given is None else given
    said = policy.source if isinstance(policy, Policy) and isinstance(given, (str, Path)) else SourcePolicy()
    return read(
        given,
        format=said.format,
        separator=said.separator,
        encoding=said.encoding,
        missing=said.missing,
        sheet=said.sheet,
        table=said.table,
        skip_first=said.skip_first,
        skip_last=said.skip_last,
        rename_columns=said.rename_columns,
    )
