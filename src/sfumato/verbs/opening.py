"""From whatever holds rows to a table in an engine: paths, database tables, frames, datasets, tables."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sfumato.catalogue import build
from sfumato.contracts.engine import Engine, SourceOptions, Table
from sfumato.data.schema import ColumnType, Role
from sfumato.engines.sources import make_options
from sfumato.policy import Policy

__all__ = ["from_dataset", "open_table", "read"]


def open_table(source: Any, policy: Policy | None = None, engine: str | Mapping[str, Any] | None = None) -> Table:
    """Return a table for a source, read as the policy says."""
    if isinstance(source, Table):
        return source
    options = SourceOptions()
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
        )
    return _open(source, engine or (policy.engine if policy is not None else None), options)


def read(
    source: Any,
    *,
    engine: str | Mapping[str, Any] | None = None,
    format: str | None = None,  # noqa: A002
    separator: str | None = None,
    encoding: str | None = None,
    missing: tuple[str, ...] = ("",),
    sheet: str | None = None,
    table: str | None = None,
    types: Mapping[str, ColumnType | str] | None = None,
) -> Table:
    """Return a table from a file, a database table or a frame; what the source does not say itself can be given."""
    options = make_options(
        {
            "format": format,
            "separator": separator,
            "encoding": encoding,
            "missing": missing,
            "sheet": sheet,
            "table": table,
            "types": types or {},
        }
    )
    return _open(source, engine, options)


def _open(source: Any, engine: str | Mapping[str, Any] | None, options: SourceOptions) -> Table:
    if isinstance(source, Path):
        source = str(source)
    if engine is None:
        engine = "duckdb" if type(source).__name__ == "DuckDBPyRelation" else "polars"
    opener: Engine = build(engine, "engine")
    return opener.open(source, options)


def from_dataset(dataset: Any) -> Table:
    """Return a table from one of :mod:`sfumato.datasets`."""
    return open_table(dataset.to_polars())
