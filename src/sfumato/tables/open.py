"""From whatever holds rows to a table in an engine: paths, database tables, frames, datasets, tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sfumato.contracts.engine import Engine, SourceOptions, Table
from sfumato.contracts.run import Run
from sfumato.data.schema import Role
from sfumato.engines import open_source
from sfumato.policy import Policy

__all__ = ["from_dataset", "open_table"]


def open_table(
    source: object,
    policy: Policy | None = None,
    engine: str | Mapping[str, object] | Engine | None = None,
    *,
    as_written: Iterable[str] = (),
    run: Run | None = None,
) -> Table:
    """Return a table for a source, read as the policy says, within the memory of the run.

    A table that is to be judged as it stands has what an adversary knows ``as_written``.
    """
    if run is not None:
        run.stage("reading")
    if isinstance(source, Table):
        return source
    options = SourceOptions(as_written=frozenset(as_written))
    if policy is not None:
        said = policy.source
        options = SourceOptions(
            format=said.format,
            separator=said.separator,
            encoding=said.encoding,
            missing=said.missing,
            sheet=said.sheet,
            table=said.table,
            types={name: entry.type for name, entry in policy.columns.items() if entry.type is not None},
            ignored=frozenset(policy.dropped()) - set(policy.of_role(Role.PRIVATE)),
            as_written=frozenset(as_written),
        )
    engine = engine or (policy.engine if policy is not None else None)
    return open_source(source, engine, options, None if run is None else run.memory)


def from_dataset(dataset: Any) -> Table:
    """Return a table from one of :mod:`sfumato.datasets`."""
    return open_table(dataset.to_polars())
