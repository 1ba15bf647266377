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
from sfumato.engines import open_source
from sfumato.policy import SourcePolicy
from sfumato.tables.open import options_of
from sfumato.tables.policy import Policy

__all__ = ["cell_readers"]


def cell_readers(published: Published, told: Mapping[str, object], run: Run) -> Iterator[CellReader[Knowledge]]:
    """Yield who reads each such column, as the requirements on cells name it; a stranger reads it without a policy."""
    kept = published.private.policy
    policy = kept if isinstance(kept, Policy) else None
    asked = {} if policy is None else policy.cells()
    kinds = {one.column: one.within for one in published.models if isinstance(one, CellRequirement)}
    columns = {name: one.shape for name, one in asked.items()} | kinds
    raw = _opened(told.get("raw"), published.private.raw, policy) if columns else None
    for column, within in columns.items():
        table = next((part for part in published.tables.values() if column in part.types), None)
        if table is None:
            continue
        before = column_cells(raw, column) if raw is not None and column in raw.types else None
        hidden = [] if policy is None else [name for name, role in policy.roles().items() if role.hidden]
        own = {} if raw is None else {name: column_cells(raw, name) for name in hidden if name in raw.types}
        who = cell_shape(within).reader(column_cells(table, column), asked.get(column), before, own, told, run)
        if who is not None:
            yield CellReader(column, within, who)


def _opened(given: object, kept: Table | None, policy: Policy | None) -> Table | None:
    """Return the table before masking with all its columns; a release in memory has it without those that were left out."""
    if given is None or isinstance(given, Table):
        return kept if given is None else given
    written = policy.source if policy is not None and isinstance(given, (str, Path)) else SourcePolicy()
    return open_source(given, None, options_of(written))
