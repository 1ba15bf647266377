"""What the publisher asks for where data are several tables: their keys, what they refer to, and the roles of columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Self

from pydantic import Field

from sfumato.catalogue import build
from sfumato.contracts.hierarchy import HierarchyBuilder
from sfumato.contracts.thing import Thing
from sfumato.data.schema import Role
from sfumato.policy import LimitPolicy, Section, SharedPolicy, Spec, SpecOrId
from sfumato.tables.policy import ColumnPolicy

__all__ = ["DatabaseLimits", "DatabasePolicy", "TablePolicy"]


class TablePolicy(Section):
    """What one table is."""

    key: str | None = None
    """The column that other tables refer to; it gets fresh numbers and no role."""
    references: dict[str, str] = Field(default={}, max_length=1)
    """The column that refers to another table, and that table; it gets the same fresh numbers and no role."""
    columns: dict[str, ColumnPolicy] = Field(default={})
    """Every other column that is published or looked at, by name; columns that are not named are left out."""


class DatabaseLimits(LimitPolicy):
    """What the search may not exceed."""

    lose_at_most: float = Field(default=1.0, ge=0.0, le=1.0)
    """Largest share of rows, beside those of persons, that may be left out."""


class DatabasePolicy(SharedPolicy):
    """A policy for several tables."""

    person: str
    """The table that has a row for each person: the promise is about them."""
    tables: dict[str, TablePolicy] = Field(min_length=1)
    """Every table, by name."""
    limits: DatabaseLimits = DatabaseLimits()
    """What the search may not exceed."""
    algorithm: Spec = Field(default={"id": "multir-anonymize"})
    """Id and parameters of the algorithm."""
    metrics: tuple[SpecOrId, ...] = ()
    """Metrics to report: ids, or id and parameters."""

    def _things(self) -> Iterator[tuple[tuple[str | int, ...], Callable[[], Thing]]]:
        yield from super()._things()
        for name, table in self.tables.items():
            for column, entry in table.columns.items():
                given = entry.hierarchy
                if given is not None and not (isinstance(given, dict) and given.get("file") is not None):
                    yield ("tables", name, "columns", column, "hierarchy"), partial(build, given, "hierarchy")

    def _with_files_read(self, base: Path) -> Self:
        """Return the policy with every taxonomy file read in, so that it stands on its own."""
        tables = {}
        for name, table in self.tables.items():
            columns = dict(table.columns)
            for column, entry in table.columns.items():
                if isinstance(entry.hierarchy, dict) and entry.hierarchy.get("file") is not None:
                    spec = build(entry.hierarchy, "hierarchy").resolved(base).spec()
                    columns[column] = entry.model_copy(update={"hierarchy": spec})
            tables[name] = table.model_copy(update={"columns": columns})
        return self.model_copy(update={"tables": tables})

    @classmethod
    def _known_keys(cls, path: Sequence[str | int]) -> list[str]:
        if len(path) > 4 and path[0] == "tables":
            return list(ColumnPolicy.model_fields)
        if len(path) > 2 and path[0] == "tables":
            return list(TablePolicy.model_fields)
        if len(path) > 1 and path[0] == "limits":
            return list(DatabaseLimits.model_fields)
        return super()._known_keys(path)

    def hierarchy(self, table: str, column: str) -> HierarchyBuilder | None:
        """Return what the tree of a column is built by, if something is named."""
        given = self.tables[table].columns[column].hierarchy
        return None if given is None else build(given, "hierarchy")

    def of_role(self, role: Role) -> dict[str, tuple[str, ...]]:
        """Return the columns of a role in each table."""
        found = {
            name: tuple(column for column, entry in table.columns.items() if entry.role is role)
            for name, table in self.tables.items()
        }
        return {name: columns for name, columns in found.items() if columns}
