"""A database: a table of persons, and tables whose rows lead to one of them by keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cached_property

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.data.frozen import frozen
from sfumato.data.text import to_text
from sfumato.engines import read
from sfumato.errors import BadRequest
from sfumato.groups.distinct import distinct_rows, renumbered
from sfumato.kernels.arrays import Ints

__all__ = ["Database"]


@frozen(eq=False, repr=False)
class Database:
    """Tables by name. ``person`` has a row for each owner; every other table refers to one table by ``references``.

    ``keys`` are the key columns of tables that others refer to, ``references`` for each child the column and the table that it
    leads to. ``known`` are the quasi-identifiers of each table. Tables are a tree whose root is the table of persons: a key
    that leads nowhere, a missing or repeated key, a circle, and a table that leads to no person are refused.

    Examples
    --------
    >>> database = Database.of(
    ...     {"patients": {"id": [1, 2], "sex": ["f", "f"]}, "stays": {"patient": [1, 1, 2], "ward": ["A", "B", "A"]}},
    ...     person="patients", keys={"patients": "id"}, references={"stays": {"patient": "patients"}},
    ...     known={"patients": ["sex"], "stays": ["ward"]},
    ... )
    >>> database.owners("stays").tolist(), database.forms().tolist()
    ([0, 0, 1], [0, 1])
    """

    tables: Mapping[str, Table]
    person: str
    keys: Mapping[str, str]
    references: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    known: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        tables: Mapping[str, object],
        *,
        person: str,
        keys: Mapping[str, str],
        references: Mapping[str, Mapping[str, str]] | None = None,
        known: Mapping[str, Sequence[str]] | None = None,
    ) -> Database:
        """Open tables, frames or files, and refuse what does not fit together."""
        opened = {name: one if isinstance(one, Table) else read(one) for name, one in tables.items()}
        led: dict[str, tuple[str, str]] = {}
        for name, given in (references or {}).items():
            if len(given) != 1:
                raise BadRequest("must refer to one table", parameter=f"tables.{name}.references", value=list(given))
            led[name] = next(iter(given.items()))
        return cls(opened, person, dict(keys), led, {name: tuple(own) for name, own in (known or {}).items()})

    def __post_init__(self) -> None:
        """Refuse tables that do not lead to persons."""
        if self.person not in self.tables:
            raise BadRequest("is not one of the tables", parameter="person", value=self.person, available=self.tables)
        if self.person not in self.keys:
            raise BadRequest("needs a key", parameter=f"tables.{self.person}.key")
        if self.person in self.references:
            raise BadRequest("is the table of persons and refers to none", parameter=f"tables.{self.person}.references")
        for name, key in self.keys.items():
            self._refuse_strange(name, key, "key")
        for name, own in self.known.items():
            for column in own:
                self._refuse_strange(name, column, "columns")
        for name in self.tables:
            if name != self.person:
                self._refuse_lost(name)
        for name, key in self.keys.items():
            table = self.tables[name]
            if table.missing()[key]:
                raise BadRequest("has rows without a key", column=key, parameter=f"tables.{name}.key")
            if len(table.dictionary(key).values) < table.rows:
                raise BadRequest("repeats a key", column=key, parameter=f"tables.{name}.key")
        for name in self.references:
            self.parents(name)

    def _refuse_strange(self, name: str, column: str, what: str) -> None:
        if name not in self.tables:
            raise BadRequest("is not one of the tables", parameter="tables", value=name, available=self.tables)
        if column not in self.tables[name].types:
            raise BadRequest(
                "is not a column of its table",
                parameter=f"tables.{name}.{what}",
                value=column,
                available=self.tables[name].columns,
            )

    def _refuse_lost(self, name: str) -> None:
        path = [name]
        while path[-1] != self.person:
            if path[-1] not in self.references:
                raise BadRequest("leads to no person: it needs references", parameter=f"tables.{path[-1]}.references")
            column, parent = self.references[path[-1]]
            self._refuse_strange(path[-1], column, "references")
            if parent not in self.tables:
                raise BadRequest(
                    "is not one of the tables",
                    parameter=f"tables.{path[-1]}.references",
                    value=parent,
                    available=self.tables,
                )
            if parent in path:
                raise BadRequest("tables refer to each other in a circle", parameter="tables", value=[*path, parent])
            if parent not in self.keys:
                raise BadRequest("is referred to and needs a key", parameter=f"tables.{parent}.key")
            path.append(parent)

    def __repr__(self) -> str:  # rows are those of persons
        return f"Database({', '.join(f'{name}: {table.rows:,} rows' for name, table in self.tables.items())})"

    @property
    def persons(self) -> int:
        """How many owners there are."""
        return self.tables[self.person].rows

    @property
    def rows(self) -> int:
        """How many rows all tables have beside that of persons."""
        return sum(table.rows for name, table in self.tables.items() if name != self.person)

    def children(self, name: str) -> list[str]:
        """Return the tables that refer to a table."""
        return [child for child, (_, parent) in self.references.items() if parent == name]

    def order(self) -> list[str]:
        """Return the tables, each after the one that it refers to."""
        found = [self.person]
        for name in found:
            found += self.children(name)
        return found

    def parents(self, name: str) -> Ints:
        """Return the place of the row that each row of a table refers to; refuse a key that leads nowhere."""
        if name not in self._parents:
            column, parent = self.references[name]
            key = self.keys[parent]
            place = {
                to_text(value): at
                for at, value in zip(
                    np.argsort(self.tables[parent].as_rows().codes([key])[:, 0], kind="stable").tolist(),
                    self.tables[parent].dictionary(key).values,
                    strict=True,
                )
            }
            held = self.tables[name].dictionary(column).values
            found = np.array([*(place.get(to_text(value), -1) for value in held), -1], np.int64)
            rows = found[self.tables[name].as_rows().codes([column])[:, 0]]
            lost = int(np.count_nonzero(rows < 0))
            if lost:
                raise BadRequest(
                    f"{lost:,} {'row refers' if lost == 1 else 'rows refer'} to a row that is not there",
                    column=column,
                    parameter=f"tables.{name}.references",
                )
            self._parents[name] = rows
        return self._parents[name]

    @cached_property
    def _parents(self) -> dict[str, Ints]:
        return {}

    def owners(self, name: str) -> Ints:
        """Return whose row each row of a table is, as the place of the owner in the table of persons."""
        if name == self.person:
            return np.arange(self.persons)
        parent = self.references[name][1]
        return self.owners(parent)[self.parents(name)]

    def forms(self) -> Ints:
        """Return a number for each owner that is equal where all that is known of them is: the person's own values, and for
        each table the bag of what its rows say, with the bags of rows below them.

        An empty bag is a value, too. The join of all tables is never made: it follows from these bags.
        """
        below: dict[str, Ints] = {}
        for name in reversed(self.order()):
            table = self.tables[name]
            columns = self.known.get(name, ())
            codes = table.as_rows().codes(columns).astype(np.int64) if columns else np.zeros((table.rows, 1), np.int64)
            form = distinct_rows(codes)[1] if table.rows else np.zeros(0, np.int64)
            for child in self.children(name):
                bags = _bags(self.parents(child), below[child], table.rows)
                form, _ = renumbered(form * (int(bags.max(initial=0)) + 1) + bags)
            below[name] = form
        return below[self.person]


def _bags(parent: Ints, form: Ints, count: int) -> Ints:
    """Return a number for each parent that is equal where the bags of their children's forms are."""
    order = np.lexsort((form, parent))
    held = form[order]
    starts = np.searchsorted(parent[order], np.arange(count + 1))
    numbers: dict[bytes, int] = {b"": 0}
    return np.array(
        [numbers.setdefault(held[starts[at] : starts[at + 1]].tobytes(), len(numbers)) for at in range(count)], np.int64
    )
