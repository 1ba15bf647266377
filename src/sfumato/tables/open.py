"""From whatever holds rows to a table in an engine: paths, database tables, frames, datasets, tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from sfumato.contracts.engine import Engine, SourceOptions, Table
from sfumato.contracts.run import Run
from sfumato.data.amounts import bytes_of
from sfumato.data.schema import ColumnType, Role
from sfumato.engines import open_source
from sfumato.engines.delimited import inspect
from sfumato.engines.sources import locate
from sfumato.errors import BadRequest
from sfumato.policy import SourcePolicy
from sfumato.tables.policy import Policy

# DuckDB goes 7 to 17 % beyond its own limit, and the search needs room beside it.
_ENGINE_SHARE = 0.62

__all__ = ["alike", "from_dataset", "open_table", "options_of", "retyped"]


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
        asked = {} if policy is None else {name: entry.type for name, entry in policy.columns.items()}
        return retyped(source, {name: kind for name, kind in asked.items() if kind is not None})
    options = SourceOptions(as_written=frozenset(as_written))
    if policy is not None:
        said, hidden = policy.source, frozenset(policy.dropped()) - set(policy.of_role(Role.PRIVATE))
        options = replace(
            options_of(said),
            formats={
                name: entry.format
                for name, entry in policy.columns.items()
                if entry.format is not None and name not in hidden
            },
            types={name: entry.type for name, entry in policy.columns.items() if entry.type is not None},
            ignored=hidden,
            # The cells of some columns are cleared of what the others say of the same person.
            unread=frozenset() if policy.cells() else frozenset(policy.of_role(Role.DROP)),
            as_written=frozenset(as_written),
        )
        if as_written and _published(source, policy):
            options = replace(
                options, encoding=None, skip_first=0, skip_last=0, rename_columns=False, header=True, formats={}
            )
    engine = engine or (policy.engine if policy is not None else None)
    memory, temp = (None if run is None else run.memory), None
    if policy is not None:
        bound = policy.limits.memory and bytes_of(policy.limits.memory)
        memory = int(bound * _ENGINE_SHARE) if memory is None and bound else memory
        temp = (policy.limits.temp and bytes_of(policy.limits.temp)) or None
    return open_source(source, engine, options, memory, temp)


def options_of(said: SourcePolicy) -> SourceOptions:
    """Return how a file is read that is written as a policy says; what columns hold is not part of it."""
    return SourceOptions(
        format=said.format,
        separator=said.separator,
        encoding=said.encoding,
        missing=said.missing,
        sheet=said.sheet,
        table=said.table,
        skip_first=said.skip_first,
        skip_last=said.skip_last,
        rename_columns=said.rename_columns,
        header=said.header,
    )


def _published(source: object, policy: Policy) -> bool:
    """Tell whether a file that is to be judged is what was published: clean, and without the columns that are left out.

    How the raw file was written does not hold for it.
    """
    hidden = set(policy.dropped())
    if not hidden or not isinstance(source, (str, Path)):
        return False
    try:
        place = locate(source, SourceOptions(format=policy.source.format))
        if place.format not in ("csv", "tsv"):
            return False
        header = set(inspect(place, SourceOptions(separator=policy.source.separator)).header)
    except BadRequest:
        return False
    return header <= policy.columns.keys() - hidden


def retyped(table: Table, types: Mapping[str, ColumnType]) -> Table:
    """Return a table whose columns have these types, as far as it has such columns; refuse values that a type lacks."""
    other = {name: kind for name, kind in types.items() if name in table.types and table.types[name] is not kind}
    return open_source(table, table.home, SourceOptions(types=other)) if other else table


def alike(table: Table, types: Mapping[str, ColumnType]) -> Table:
    """Return a table beside another one, with the types of that one as far as its values allow.

    Codes that are numbers in the one and texts in the other then meet; whole numbers and others do so anyway.
    """
    for name, kind in types.items():
        if name in table.types and not (kind.numeric and table.types[name].numeric):
            with suppress(BadRequest):
                table = retyped(table, {name: kind})
    return table


def from_dataset(dataset: Any) -> Table:
    """Return a table from one of :mod:`sfumato.datasets`."""
    return open_table(dataset.to_polars())
