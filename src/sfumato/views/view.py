"""A view: some columns of the rows that meet a condition, as one recipient gets them."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast, get_args

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.data.schema import ColumnType
from sfumato.data.text import as_held, to_text
from sfumato.errors import BadRequest
from sfumato.views.region import Region

__all__ = ["Condition", "Operator", "View"]

Operator = Literal["=", "!=", "<", "<=", ">", ">=", "in"]

_DISCRETE = (ColumnType.INTEGER, ColumnType.DATE)
_TOKEN = re.compile(
    r"\s*(?:(?P<quoted>'(?:[^']|'')*')|(?P<named>\"[^\"]+\"|`[^`]+`)|(?P<sign><=|>=|!=|<>|==|[=<>(),])"
    r"|(?P<word>[^\s<>=!(),'\"`]+))"
)
_SELECT = re.compile(r"(?is)^\s*select\s+(?P<columns>.+?)(?:\s+from\s+\S+)?(?:\s+where\s+(?P<where>.+))?\s*;?\s*$")
_REFUSED = ("or", "not", "between", "like", "is", "exists", "union", "case")


@dataclass(frozen=True)
class Condition:
    """One comparison of a column with a constant, or a list of constants."""

    column: str
    operator: Operator
    value: Hashable

    def __str__(self) -> str:
        if self.operator != "in":
            return f"{_name(self.column)} {self.operator} {_constant(self.value)}"
        listed = cast("tuple[Hashable, ...]", self.value)
        return f"{_name(self.column)} in ({', '.join(map(_constant, listed))})"

    def typed(self, kind: ColumnType) -> Condition:
        """Return the condition with its constants as values of the column; refuse what is none."""
        held = self.value if self.operator == "in" else (self.value,)
        values = tuple(_held(value, kind, self.column) for value in cast("tuple[Hashable, ...]", held))
        return Condition(self.column, self.operator, values if self.operator == "in" else values[0])

    def region(self, *, discrete: bool = False) -> Region:
        """Return the values that meet the condition."""
        value = self.value
        if self.operator == "in":
            return Region.of(cast("tuple[Hashable, ...]", value))
        if self.operator == "=":
            return Region.of([value])
        if self.operator == "!=":
            return Region(excluded=frozenset([value]), discrete=discrete)
        if self.operator in (">", ">="):
            return Region(low=value, above=self.operator == ">", discrete=discrete)
        return Region(high=value, below=self.operator == "<", discrete=discrete)


@dataclass(frozen=True)
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
            return cls(name, tuple(columns), _conditions(where, name) if where.strip() else ())
        return cls(name, tuple(columns), tuple(_condition(one, name) for one in where))

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
        return f"SELECT {', '.join(map(_name, self.columns))}{where}"

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
        found: dict[str, Region] = {}
        for one in self.where:
            region = one.region(discrete=types.get(one.column) in _DISCRETE)
            found[one.column] = found[one.column].meet(region) if one.column in found else region
        return found

    def answer(self, table: Table) -> Table:
        """Return the rows that the view shows of a table, as often as they are there."""
        view = self.typed(table.types)
        rows = table.as_rows()
        kept = np.ones(table.rows, np.bool_)
        for column, region in view.regions(table.types).items():
            allowed = np.array([*(value in region for value in table.dictionary(column).values), False], np.bool_)
            kept &= allowed[rows.codes([column])[:, 0]]
        return rows.take(np.flatnonzero(kept)).select(self.columns) if self.where else table.select(self.columns)


# ---- reading -----------------------------------------------------------------------------------------------------------------


def _condition(given: Condition | tuple[str, str, object], name: str) -> Condition:
    if isinstance(given, Condition):
        return given
    column, operator, value = given
    operator = {"<>": "!=", "==": "="}.get(operator, operator).lower()
    if operator not in get_args(Operator):
        raise BadRequest("is not a comparison", parameter=f"views.{name}", value=operator, available=get_args(Operator))
    if operator == "in" and (isinstance(value, str) or not isinstance(value, Sequence) or not value):
        raise BadRequest("in needs a list of constants", parameter=f"views.{name}", column=column)
    held: Any = tuple(cast("Sequence[object]", value)) if operator == "in" else value
    return Condition(column, cast("Operator", operator), held)


def _conditions(text: str, name: str) -> tuple[Condition, ...]:
    tokens = _tokens(text, name)
    found: list[Condition] = []
    at = 0

    def refuse(rule: str) -> BadRequest:
        return BadRequest(rule, parameter=f"views.{name}.where", value=text)

    while True:
        if at + 2 >= len(tokens) or tokens[at][0] == "sign":
            raise refuse("must be conditions such as: age >= 18 and job in (cook, nurse)")
        column, (kind, operator) = tokens[at][1], tokens[at + 1]
        if kind != "sign" and operator.lower() != "in":
            raise refuse("compares columns with constants by =, !=, <, <=, >, >= and in; nothing else is read")
        at += 2
        if operator.lower() == "in":
            if tokens[at][1] != "(":
                raise refuse("in needs a list in parentheses")
            end = next((place for place in range(at, len(tokens)) if tokens[place][1] == ")"), None)
            if end is None or any(one[1] == "(" for one in tokens[at + 1 : end]):
                raise refuse("a list must end with a parenthesis and hold constants")
            listed = _split(tokens[at + 1 : end])
            found.append(_condition((column, "in", [_phrase(one) for one in listed if one]), name))
            at = end + 1
        else:
            end = at
            while end < len(tokens) and not (tokens[end][0] == "word" and tokens[end][1].lower() == "and"):
                end += 1
            value = tokens[at:end]
            if not value or any(kind == "sign" or kind == "named" for kind, _ in value):
                raise refuse("compares a column with one constant: no expression, no second column")
            found.append(_condition((column, operator, _phrase(value)), name))
            at = end
        if at >= len(tokens):
            return tuple(found)
        if tokens[at][1].lower() != "and":
            raise refuse("conditions are joined by and alone")
        at += 1


def _tokens(text: str, name: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    at = 0
    while text[at:].strip():
        match = _TOKEN.match(text, at)
        if match is None:
            raise BadRequest("cannot be read", parameter=f"views.{name}.where", value=text[at:].strip())
        kind = str(match.lastgroup)
        word = match[kind]
        if kind == "word" and word.lower() in _REFUSED:
            raise BadRequest(
                f"conditions are joined by and alone: {word} is refused", parameter=f"views.{name}.where", value=text
            )
        plain = {"quoted": word[1:-1].replace("''", "'"), "named": word[1:-1]}.get(kind, word)
        found.append((kind, plain))
        at = match.end()
    return found


def _split(tokens: Sequence[tuple[str, str]]) -> list[list[tuple[str, str]]]:
    parts: list[list[tuple[str, str]]] = [[]]
    for token in tokens:
        if token == ("sign", ","):
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def _phrase(tokens: Sequence[tuple[str, str]]) -> Hashable:
    """Return a constant: a number where it reads as one, words as they stand."""
    if len(tokens) == 1 and tokens[0][0] == "word":
        word = tokens[0][1]
        for read in (int, float):
            try:
                number = read(word)
            except ValueError:
                continue
            return number if to_text(number) == word else word  # 01234 is no number
    return " ".join(word for _, word in tokens)


def _held(value: Hashable, kind: ColumnType, column: str) -> Hashable:
    """Return a constant as a column of this type holds it."""
    if kind.numeric and isinstance(value, float):
        return value
    found = as_held(value, kind)
    if found is None:
        raise BadRequest(f"is compared with what is no {kind}", column=column, value=to_text(value))
    return found


def _name(column: str) -> str:
    return column if re.fullmatch(r"[^\s<>=!(),'\"`]+", column) else f'"{column}"'


def _constant(value: Hashable) -> str:
    text = to_text(value)
    return "'" + text.replace("'", "''") + "'" if isinstance(value, str) and not text.isalnum() else text
