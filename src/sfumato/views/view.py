"""A view: some columns of the rows that meet a condition, as one recipient gets them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.data.conditions import Condition, condition_of, conditions_of, quoted_name, regions_of
from sfumato.data.frozen import frozen
from sfumato.data.region import Region
from sfumato.data.schema import ColumnType
from sfumato.errors import BadRequest

__all__ = ["View"]

_SELECT = re.compile(r"(?is)^\s*select\s+(?P<columns>.+?)(?:\s+from\s+\S+)?(?:\s+where\s+(?P<where>.+))?\s*;?\s*$")


@frozen
class View:
    """A selection and projection of one table: ``columns`` of the rows that meet every condition in ``where``.

    Conditions are joined by *and*, each compares one column with constants: ``=``, ``!=``, ``<``, ``<=``, ``>``, ``>=``,
    ``in``. Disjunctions and expressions are refused: what they leave of the record space is no box. A missing value meets no
    condition.

    Examples
    --------
    >>> View.of("insurer", ["age", "job"], "age >= 18 and job in (cook, nurse)").where[1]
    Condition(column='job', operator='in', value=('cook', 'nurse'))
    >>> str(View.sql("V3", "SELECT name, job WHERE age > 45"))
    'SELECT name, job WHERE age > 45'

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 8.2.
    Yao, Wang, Jajodia, "Checking for k-anonymity violation by views", 2005.
    """

    name: str
    columns: tuple[str, ...]
    where: tuple[Condition, ...] = ()

    def __post_init__(self) -> None:
        """Refuse a view of nothing, and a name that no file can have."""
        if not re.fullmatch(r"\w[\w .+-]*", self.name):
            raise BadRequest(
                "must be a name of letters, digits, spaces and hyphens", parameter="views", value=self.name
            )
        if not self.columns:
            raise BadRequest("needs at least one column", parameter="views", value=self.name)
        if len(set(self.columns)) < len(self.columns):
            raise BadRequest("names a column twice", parameter=f"views.{self.name}", value=self.columns)

    @classmethod
    def of(
        cls,
        name: str,
        columns: Sequence[str],
        where: str | Sequence[Condition | tuple[str, str, object]] = (),
    ) -> View:
        """Return a view with its condition as a text, or as triples of column, operator and constant."""
        if isinstance(columns, str):
            raise BadRequest("must be a list of columns", parameter=f"views.{name}", value=columns)
        if isinstance(where, str):
            return cls(name, tuple(columns), conditions_of(where, f"views.{name}.where") if where.strip() else ())
        return cls(name, tuple(columns), tuple(condition_of(one, f"views.{name}") for one in where))

    @classmethod
    def sql(cls, name: str, text: str) -> View:
        """Return a view written like a query: ``SELECT name, job WHERE age > 45``."""
        found = _SELECT.match(text)
        if found is None:
            raise BadRequest("must read SELECT columns [WHERE conditions]", parameter=f"views.{name}", value=text)
        names = [one.strip() for one in re.findall(r"\s*(?:\"[^\"]+\"|`[^`]+`|[^,\"`]+)\s*", found["columns"])]
        for one in names:
            if not re.fullmatch(r"\"[^\"]+\"|`[^`]+`|[^\s()*+/]+", one):
                raise BadRequest("must be a column: expressions are refused", parameter=f"views.{name}", value=one)
        return cls.of(name, [one.strip('"`') for one in names], found["where"] or ())

    def __str__(self) -> str:
        where = f" WHERE {self.condition}" if self.where else ""
        return f"SELECT {', '.join(map(quoted_name, self.columns))}{where}"

    @property
    def condition(self) -> str:
        """The condition as a text that :meth:`of` reads."""
        return " and ".join(map(str, self.where))

    @property
    def reads(self) -> tuple[str, ...]:
        """All columns that it looks at, those it shows first."""
        return tuple(dict.fromkeys([*self.columns, *(one.column for one in self.where)]))

    def typed(self, types: Mapping[str, ColumnType]) -> View:
        """Return the view with constants of the types of their columns; refuse columns that are not there."""
        for column in self.reads:
            if column not in types and (types or column in self.columns):
                raise BadRequest(
                    "is not a column of the table", parameter=f"views.{self.name}", value=column, available=types
                )
        return View(
            self.name, self.columns, tuple(one.typed(types[one.column]) if types else one for one in self.where)
        )

    def regions(self, types: Mapping[str, ColumnType]) -> dict[str, Region]:
        """Return what the condition leaves to each column that it names."""
        return regions_of(self.where, types)

    def answer(self, table: Table) -> Table:
        """Return the rows that the view shows of a table, as often as they are there."""
        view = self.typed(table.types)
        rows = table.as_rows()
        kept = np.ones(table.rows, np.bool_)
        for column, region in view.regions(table.types).items():
            allowed = np.array([*(value in region for value in table.dictionary(column).values), False], np.bool_)
            kept &= allowed[rows.codes([column])[:, 0]]
        return rows.take(np.flatnonzero(kept)).select(self.columns) if self.where else table.select(self.columns)
