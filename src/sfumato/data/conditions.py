"""Conditions on columns as people write them: comparisons with constants, joined by *and*."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from math import isfinite
from typing import Any, Literal, cast, get_args

from sfumato.data.frozen import frozen
from sfumato.data.region import Region
from sfumato.data.schema import ColumnType
from sfumato.data.text import as_held, to_text
from sfumato.errors import BadRequest

__all__ = ["Condition", "Operator", "condition_of", "conditions_of", "quoted_name", "regions_of"]

Operator = Literal["=", "!=", "<", "<=", ">", ">=", "in"]

_DISCRETE = (ColumnType.INTEGER, ColumnType.DATE)
_TOKEN = re.compile(
    r"\s*(?:(?P<quoted>'(?:[^']|'')*')|(?P<named>\"[^\"]+\"|`[^`]+`)|(?P<sign><=|>=|!=|<>|==|[=<>(),])"
    r"|(?P<word>[^\s<>=!(),'\"`]+))"
)
_REFUSED = ("or", "not", "between", "like", "is", "exists", "union", "case")


@frozen
class Condition:
    """One comparison of a column with a constant, or a list of constants."""

    column: str
    operator: Operator
    value: Hashable

    def __str__(self) -> str:
        if self.operator != "in":
            return f"{quoted_name(self.column)} {self.operator} {_constant(self.value)}"
        listed = cast("tuple[Hashable, ...]", self.value)
        return f"{quoted_name(self.column)} in ({', '.join(map(_constant, listed))})"

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


def regions_of(conditions: Sequence[Condition], types: Mapping[str, ColumnType]) -> dict[str, Region]:
    """Return what conditions leave to each column that they name."""
    found: dict[str, Region] = {}
    for one in conditions:
        region = one.region(discrete=types.get(one.column) in _DISCRETE)
        found[one.column] = found[one.column].meet(region) if one.column in found else region
    return found


# ---- reading -----------------------------------------------------------------------------------------------------------------


def condition_of(given: Condition | tuple[str, str, object], parameter: str) -> Condition:
    """Return a condition from a triple of column, operator and constant; ``parameter`` is what errors call it."""
    if isinstance(given, Condition):
        return given
    column, operator, value = given
    operator = {"<>": "!=", "==": "="}.get(operator, operator).lower()
    if operator not in get_args(Operator):
        raise BadRequest("is not a comparison", parameter=parameter, value=operator, available=get_args(Operator))
    if operator == "in" and (isinstance(value, str) or not isinstance(value, Sequence) or not value):
        raise BadRequest("in needs a list of constants", parameter=parameter, column=column)
    held: Any = tuple(cast("Sequence[object]", value)) if operator == "in" else value
    return Condition(column, cast("Operator", operator), held)


def conditions_of(text: str, parameter: str) -> tuple[Condition, ...]:
    """Return conditions as they are written; ``parameter`` is what errors call the text."""
    tokens = _tokens(text, parameter)
    found: list[Condition] = []
    at = 0

    def refuse(rule: str) -> BadRequest:
        return BadRequest(rule, parameter=parameter, value=text)

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
            found.append(condition_of((column, "in", [_phrase(one) for one in listed if one]), parameter))
            at = end + 1
        else:
            end = at
            while end < len(tokens) and not (tokens[end][0] == "word" and tokens[end][1].lower() == "and"):
                end += 1
            value = tokens[at:end]
            if not value or any(kind == "sign" or kind == "named" for kind, _ in value):
                raise refuse("compares a column with one constant: no expression, no second column")
            found.append(condition_of((column, operator, _phrase(value)), parameter))
            at = end
        if at >= len(tokens):
            return tuple(found)
        if tokens[at][1].lower() != "and":
            raise refuse("conditions are joined by and alone")
        at += 1


def _tokens(text: str, parameter: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    at = 0
    while text[at:].strip():
        match = _TOKEN.match(text, at)
        if match is None:
            raise BadRequest("cannot be read", parameter=parameter, value=text[at:].strip())
        kind = str(match.lastgroup)
        word = match[kind]
        if kind == "word" and word.lower() in _REFUSED:
            raise BadRequest(f"conditions are joined by and alone: {word} is refused", parameter=parameter, value=text)
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
        found: Hashable = value if isfinite(value) else None
    else:
        found = as_held(value, kind)
    if found is None:
        raise BadRequest(f"is compared with what is no {kind}", column=column, value=to_text(value))
    return found


def quoted_name(column: str) -> str:
    """Return a column as it is written in a condition."""
    return column if re.fullmatch(r"[^\s<>=!(),'\"`]+", column) else f'"{column}"'


def _constant(value: Hashable) -> str:
    text = to_text(value)
    return "'" + text.replace("'", "''") + "'" if isinstance(value, str) and not text.isalnum() else text
