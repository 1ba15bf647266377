"""A question to a desk: aggregates over the records that meet some conditions, by group; written as people would write it."""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Literal, cast, get_args

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.data.conditions import Condition, conditions_of, quoted_name, regions_of
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.data.region import Region
from sfumato.data.schema import ColumnType
from sfumato.data.text import to_text
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Floats, Ints

__all__ = ["MOST_CELLS", "Aggregate", "Function", "Part", "Question", "reckoned"]

Function = Literal["count", "sum", "avg", "min", "max", "median"]

MOST_CELLS = 10_000
"""A question with more groups than this is refused."""

_QUOTED = re.compile(r"'(?:[^']|'')*'|\"[^\"]+\"|`[^`]+`")
_ONE = re.compile(r"(?is)^(?P<function>\w+)\s*(?:\(\s*(?P<inside>.*?)\s*\)|\s+(?P<bare>\S.*))?$")
_EXAMPLE = "count where age >= 30 and diagnosis = 'flu' group by sex"


@frozen
class Aggregate:
    """One number for each group: a function, and the column that it reads unless it counts."""

    function: Function
    column: str | None = None

    def __str__(self) -> str:
        return self.function if self.column is None else f"{self.function}({quoted_name(self.column)})"


@frozen
class Part:
    """What is decided, charged and kept on its own: one aggregate that is no average, of one choice of records and groups.

    ``canonical`` is the same for all ways to ask it.
    """

    aggregate: Aggregate
    canonical: str


@frozen
class Question:
    """Aggregates of the records that meet every condition, by the values of some columns.

    ``count``, ``sum(pay)``, ``avg(pay)``, ``min(pay)``, ``max(pay)``, ``median(pay)``, several with commas; conditions compare
    a column with constants (``=``, ``!=``, ``<``, ``<=``, ``>``, ``>=``, ``in``) and are joined by *and*. A missing value meets
    no condition, is in no group, and counts for no aggregate of its column.

    Examples
    --------
    >>> asked = Question.of("count, avg(pay) where age >= 30 and sex = 'f' group by area")
    >>> asked.by, [str(one) for one in asked.aggregates]
    (('area',), ['count', 'avg(pay)'])
    >>> str(asked)
    'count, avg(pay) where age >= 30 and sex = f group by area'
    """

    aggregates: tuple[Aggregate, ...]
    where: tuple[Condition, ...] = ()
    by: tuple[str, ...] = ()

    @classmethod
    def of(cls, given: Question | str) -> Question:
        """Read a question; what cannot be read is refused with what is wrong."""
        if isinstance(given, Question):
            return given
        if not isinstance(given, str) or not given.strip():
            raise BadRequest(say("desk.bad.question", example=_EXAMPLE), parameter="question")
        # Words that stand in quotes are no part of the grammar.
        bare = _QUOTED.sub(lambda found: "x" * len(found[0]), given).lower()
        if re.search(r"\b(from|join|having|order\s+by|limit|union|;)(\s|$)", bare):
            raise BadRequest(
                say("desk.bad.one_table", example=_EXAMPLE),
                parameter="question",
                value=given,
            )
        begin = re.match(r"\s*select\s", bare)
        start = begin.end() if begin else 0
        by = re.search(r"(?:^|\s)group\s+by(?:\s|$)", bare)
        where = re.search(r"(?:^|\s)where(?:\s|$)", bare)
        if by and where and by.start() < where.start():
            raise BadRequest(say("desk.bad.order"), parameter="question", value=given)
        end = by.start() if by else len(given)
        head = given[start : where.start() if where else end]
        held = given[where.end() : end] if where else ""
        if where and not held.strip():
            raise BadRequest(say("desk.bad.no_condition", example=_EXAMPLE), parameter="question", value=given)
        made = cls(
            tuple(_aggregate(one, given) for one in _split(head)),
            conditions_of(held, "question") if held.strip() else (),
            tuple(_column(one) for one in _split(given[by.end() :])) if by else (),
        )
        if len(set(made.aggregates)) < len(made.aggregates):
            raise BadRequest(say("desk.bad.aggregate_twice"), parameter="question", value=given)
        if len(set(made.by)) < len(made.by):
            raise BadRequest(say("desk.bad.group_twice"), parameter="question", value=given)
        return made

    def __str__(self) -> str:
        where = f" where {' and '.join(map(str, self.where))}" if self.where else ""
        by = f" group by {', '.join(map(quoted_name, self.by))}" if self.by else ""
        return ", ".join(map(str, self.aggregates)) + where + by

    @property
    def ordered(self) -> Question:
        """The question with its groups in the order of their names: what a desk keeps, however it was asked."""
        return replace(self, by=tuple(sorted(self.by)))

    @property
    def reads(self) -> tuple[str, ...]:
        """All columns that it looks at."""
        named = [one.column for one in self.aggregates if one.column is not None]
        return tuple(dict.fromkeys([*named, *(one.column for one in self.where), *self.by]))

    def typed(self, types: Mapping[str, ColumnType]) -> Question:
        """Return the question with constants of the types of their columns; refuse what the columns cannot answer."""
        for column in self.reads:
            if column not in types:
                raise BadRequest("is not a column of the table", parameter="question", value=column, available=types)
        for one in self.aggregates:
            if one.column is not None and one.function != "count" and not types[one.column].numeric:
                raise BadRequest(
                    say("desk.bad.numbers", function=one.function, type=str(types[one.column])),
                    parameter="question",
                    column=one.column,
                )
        return replace(self, where=tuple(one.typed(types[one.column]) for one in self.where))

    def records(self, table: Table) -> Ints:
        """Return the rows of a table that meet the conditions; for its holder, who sees it anyway."""
        asked, rows = self.typed(table.types), table.as_rows()
        kept = np.ones(table.rows, np.bool_)
        for column, region in asked.regions(table.types).items():
            allowed = np.array([*(value in region for value in table.dictionary(column).values), False], np.bool_)
            kept &= allowed[rows.codes([column])[:, 0]]
        return np.flatnonzero(kept)

    def exact(self, table: Table) -> float:
        """Return the true answer of a question for one number; for its holder, who sees the table anyway."""
        if self.by or len(self.aggregates) != 1:
            raise BadRequest(say("desk.bad.several"), parameter="question", value=str(self))
        (one,), rows = self.aggregates, self.records(table)
        if one.column is None:
            return len(rows)
        held = [row[0] for row in table.as_rows().take(rows).select([one.column]).to_rows() if row[0] is not None]
        found = reckoned(
            one.function, np.array([0.0 if one.function == "count" else float(str(value)) for value in held])
        )
        if found is None:
            raise BadRequest(say("desk.bad.no_value"), parameter="question", value=str(self))
        return found

    def regions(self, types: Mapping[str, ColumnType]) -> dict[str, Region]:
        """Return what the conditions leave to each column that they name."""
        return regions_of(self.where, types)

    def cells(self, domains: Mapping[str, Sequence[Hashable]]) -> list[tuple[Hashable, ...]]:
        """Return the groups: every combination of the values that are declared for the columns; one without columns."""
        for column in self.by:
            if column not in domains:
                raise BadRequest(
                    say("desk.bad.no_group"),
                    parameter="question",
                    column=column,
                )
        count = 1
        for column in self.by:
            count *= len(domains[column])
        if count > MOST_CELLS:
            raise BadRequest(say("desk.bad.groups", count=count, most=MOST_CELLS), parameter="question")
        return list(product(*(domains[column] for column in self.by)))

    def parts(self, types: Mapping[str, ColumnType], domains: Mapping[str, Sequence[Hashable]]) -> tuple[Part, ...]:
        """Return what is charged one by one; an average is a sum and a count of the values that are there."""
        conditions = {
            column: _spelled(region, domains.get(column), types[column])
            for column, region in sorted(self.regions(types).items())
        }
        groups = {column: [to_text(value) for value in domains.get(column, ())] for column in sorted(self.by)}
        found: list[Aggregate] = []
        for one in self.aggregates:
            found += [Aggregate("sum", one.column), Aggregate("count", one.column)] if one.function == "avg" else [one]
        return tuple(
            Part(one, json.dumps([str(one), conditions, groups], separators=(",", ":"), ensure_ascii=False))
            for one in dict.fromkeys(found)
        )


def reckoned(function: Function, values: Floats) -> float | None:
    """Return the true number of an aggregate of these values; nothing where it has none."""
    if function == "count":
        return len(values)
    if function == "sum":
        return float(values.sum())
    if not len(values):
        return None
    if function in ("min", "max"):
        return float(values.min() if function == "min" else values.max())
    return float(values.mean() if function == "avg" else np.median(values))


def _spelled(region: Region, domain: Sequence[Hashable] | None, kind: ColumnType) -> object:
    """Return what a column may be in one form, however it was asked."""
    if domain is not None:
        return [to_text(value) for value in domain if value in region]
    values = region.values() if kind is ColumnType.INTEGER or region.only is not None else None
    if values is not None:
        return [to_text(value) for value in values]
    low, high = region.low, region.high
    step = 1 if kind is ColumnType.INTEGER else None
    above, below = region.above, region.below
    if step is not None and isinstance(low, int) and above:
        low, above = low + step, False
    if step is not None and isinstance(high, int) and below:
        high, below = high - step, False
    ends = [None if end is None else to_text(end) for end in (low, high)]
    return {"from": [ends[0], above], "to": [ends[1], below], "not": sorted(map(to_text, region.excluded))}


def _split(text: str) -> list[str]:
    """Split at commas that stand outside of quotes and parentheses."""
    masked = _QUOTED.sub(lambda found: "x" * len(found[0]), text)
    ends = [found.start() for found in re.finditer(r",(?![^(]*\))", masked)]
    starts = [0, *(end + 1 for end in ends)]
    return [text[start:end].strip() for start, end in zip(starts, [*ends, len(text)], strict=True)]


def _column(text: str) -> str:
    found = text.strip()
    if not found or (not _QUOTED.fullmatch(found) and re.search(r"[\s()=<>]", found)):
        raise BadRequest("must be a column", parameter="question", value=text)
    return found[1:-1] if _QUOTED.fullmatch(found) else found


def _aggregate(text: str, question: str) -> Aggregate:
    found = _ONE.match(text)
    name = found["function"].lower() if found else ""
    name = {"average": "avg", "mean": "avg", "minimum": "min", "maximum": "max"}.get(name, name)
    if found is None or name not in get_args(Function):
        raise BadRequest(
            say("desk.bad.begin", example=_EXAMPLE),
            parameter="question",
            value=text or question,
            available=get_args(Function),
        )
    inside = found["inside"] if found["inside"] is not None else found["bare"]
    if name == "count":
        return Aggregate("count", None if inside in (None, "", "*") else _column(inside))
    if not inside or inside == "*":
        raise BadRequest(say("desk.bad.needs_column", function=name), parameter="question", value=text)
    return Aggregate(cast("Function", name), _column(inside))
