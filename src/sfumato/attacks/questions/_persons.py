"""Rows of a table, each distinct one once, and persons drawn from them whatever the order of the table."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from datetime import date, datetime
from functools import cached_property

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.contracts.knowledge import Seen, TableKnowledge
from sfumato.data.frozen import frozen
from sfumato.data.schema import ColumnType
from sfumato.errors import BadRequest
from sfumato.groups.stats import CodedKeys, GroupStats, Histogram
from sfumato.kernels.arrays import Codes, Floats, Ints

__all__ = ["People", "TableRows", "known_columns", "numbers_of", "published_rows", "refuse_unknown"]

_NUMBERS = (ColumnType.INTEGER, ColumnType.NUMBER, ColumnType.DATE, ColumnType.DATETIME)


@frozen(eq=False)
class TableRows:
    """The distinct rows of a table over some columns, in an order that tells nothing of the table's.

    ``codes`` is ``rows x columns`` and indexes ``values``, -1 is missing. ``sizes`` says how many records look like a row.
    """

    columns: tuple[str, ...]
    types: Mapping[str, ColumnType]
    values: tuple[Sequence[Hashable], ...]
    codes: Codes
    sizes: Ints
    histograms: Mapping[str, Histogram]

    @classmethod
    def of(cls, groups: GroupStats, types: Mapping[str, ColumnType]) -> TableRows:
        """Take over groups of equal rows."""
        keys = [one if isinstance(one, CodedKeys) else _coded(one) for one in groups.keys]
        codes = np.empty((len(groups), len(keys)), np.int32, order="F")
        for at, one in enumerate(keys):
            codes[:, at] = one.codes
        return cls(groups.columns, types, tuple(one.values for one in keys), codes, groups.sizes, groups.histograms)

    def __len__(self) -> int:
        return len(self.sizes)

    @cached_property
    def ends(self) -> Ints:
        """Number of records up to and with each row."""
        return np.cumsum(self.sizes)

    @property
    def records(self) -> int:
        """Number of records."""
        return int(self.ends[-1]) if len(self) else 0

    def place(self, column: str) -> int:
        """Return where a column stands."""
        return self.columns.index(column)

    def drawn(self, count: int, rng: np.random.Generator) -> Ints:
        """Draw some records without replacement, all if there are fewer; return the row of each, in order."""
        if count >= self.records:
            return np.repeat(np.arange(len(self)), self.sizes)
        records = np.sort(rng.choice(self.records, count, replace=False, shuffle=False))
        return np.searchsorted(self.ends, records, "right")

    def thinned(self, count: int, rng: np.random.Generator) -> TableRows:
        """Keep some records, drawn without replacement."""
        sizes = np.bincount(self.drawn(count, rng), minlength=len(self))
        return TableRows(self.columns, self.types, self.values, self.codes, sizes, {})


@frozen(eq=False)
class People:
    """Persons drawn from the raw table, ``inside`` of them, then persons drawn from the control group: values as codes."""

    columns: tuple[str, ...]
    values: tuple[list[Hashable], ...]
    codes: Codes
    inside: int

    @classmethod
    def drawn(cls, tables: Sequence[Table], columns: Sequence[str], count: int, rng: np.random.Generator) -> People:
        """Draw persons from the raw table and from the control group."""
        values: list[list[Hashable]] = [[] for _ in columns]
        parts = []
        for table in tables:
            rows = TableRows.of(table.groups(columns), table.types)
            taken = rows.codes[rows.drawn(count, rng)]
            for at, known in enumerate(rows.values):
                used, place = np.unique(taken[:, at], return_inverse=True)
                missing = int(len(used) > 0 and used[0] < 0)
                taken[:, at] = np.where(taken[:, at] < 0, -1, place.reshape(-1) - missing + len(values[at]))
                values[at] += [known[code] for code in used[missing:].tolist()]
            parts.append(taken)
        return cls(tuple(columns), tuple(values), np.concatenate(parts), len(parts[0]))

    def __len__(self) -> int:
        return len(self.codes)

    def column(self, name: str) -> tuple[list[Hashable], Codes]:
        """Return the values of a column and the code of each person."""
        at = self.columns.index(name)
        return self.values[at], self.codes[:, at]


def numbers_of(values: Sequence[Hashable], kind: ColumnType) -> Floats | None:
    """Return values as numbers, dates as days; ``None`` if the type of the column has no distances."""
    if kind not in _NUMBERS:
        return None
    if kind.numeric:
        return np.array(values, np.float64)
    return np.array([_days(value) for value in values], np.float64)


def _days(value: Hashable) -> float:
    assert isinstance(value, date)
    if not isinstance(value, datetime):
        return float(value.toordinal())
    seconds = (value.hour * 60 + value.minute) * 60 + value.second + value.microsecond / 1e6
    return value.toordinal() + seconds / 86400


def _coded(keys: Sequence[Hashable]) -> CodedKeys:
    """Code plain keys. Groups come in order whatever the order of the table, and so do the keys."""
    place: dict[Hashable, int] = {}
    codes = [-1 if key is None else place.setdefault(key, len(place)) for key in keys]
    return CodedKeys(list(place), np.array(codes, np.int32))


def published_rows(
    seen: Seen, knowledge: TableKnowledge, columns: Sequence[str], counted: str | None = None
) -> TableRows:
    """Return the published rows over some columns; the groups that all attacks share, where they are these columns."""
    alike = tuple(columns) == knowledge.known and counted in (None, knowledge.sensitive)
    groups = seen.groups(knowledge) if alike else seen.counts(columns, [] if counted is None else [counted])
    return TableRows.of(groups, seen.table.types)


def known_columns(
    seen: Seen, knowledge: TableKnowledge, named: Sequence[str] | None, parameter: str
) -> tuple[str, ...]:
    """Return the columns that the adversary knows: those named, or the quasi-identifiers; refuse unknown ones."""
    found = knowledge.known if named is None else tuple(named)
    if not found:
        raise BadRequest(
            "names no column and no quasi-identifiers are known",
            parameter=parameter,
            available=_shared(seen, knowledge),
        )
    for name in found:
        refuse_unknown(seen, knowledge, name, parameter)
    if len(set(found)) < len(found):
        raise BadRequest("no column may be named twice", parameter=parameter, value=list(found))
    return found


def refuse_unknown(seen: Seen, knowledge: TableKnowledge, name: str, parameter: str) -> None:
    """Refuse a column that one of the three tables lacks."""
    for table, word in ((seen.table, "published"), (knowledge.raw, "raw"), (knowledge.control, "control")):
        if table is not None and name not in table.types:
            raise BadRequest(
                f"is not a column of the {word} table", parameter=parameter, value=name, available=table.columns
            )


def _shared(seen: Seen, knowledge: TableKnowledge) -> list[str]:
    """Return the columns that the published, the raw and the control table share."""
    tables = [table for table in (knowledge.raw, knowledge.control) if table is not None]
    return [name for name in seen.table.columns if all(name in table.types for table in tables)]
