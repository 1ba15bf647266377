"""Conditions of a count query: a column among some values, or between two of them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sfumato.errors import BadRequest

__all__ = ["Among", "Between", "Condition", "CountQuery"]


@dataclass(frozen=True)
class Among:
    """The column has one of these values.

    >>> Among([38]).holds(38), Among([38]).holds(None)
    (True, False)
    """

    values: frozenset[Hashable]

    def __init__(self, values: Iterable[Hashable]) -> None:
        object.__setattr__(self, "values", frozenset(values))
        if not self.values:
            raise BadRequest("must hold at least one value", parameter="condition")

    def holds(self, value: Hashable) -> bool:
        """Tell whether a value meets the condition; a missing one never does."""
        return value is not None and value in self.values


@dataclass(frozen=True)
class Between:
    """The column lies between two values, both included.

    >>> Between(30, 39).holds(39), Between(30, 39).holds(40)
    (True, False)
    """

    low: Any
    high: Any

    def __post_init__(self) -> None:
        if not self.low <= self.high:
            raise BadRequest("must rise", parameter="condition", value=f"{self.low} to {self.high}")

    def holds(self, value: Hashable) -> bool:
        """Tell whether a value meets the condition; a missing one never does."""
        return value is not None and bool(self.low <= value <= self.high)


Condition = Among | Between


@dataclass(frozen=True)
class CountQuery:
    """How many records meet all conditions; columns without a condition are free.

    >>> CountQuery({"Age": Between(30, 39), "Disease": Among(["Flu"])}).columns
    ('Age', 'Disease')
    """

    where: Mapping[str, Condition]

    def __post_init__(self) -> None:
        for name, condition in self.where.items():
            if not isinstance(condition, (Among, Between)):
                raise BadRequest("must be Among or Between", column=name, value=type(condition).__name__)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns with a condition."""
        return tuple(self.where)
