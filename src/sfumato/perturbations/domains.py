"""Domains that the publisher knows without looking at the data: categories, or a range of numbers cut into intervals.

A procedure with a formal guarantee may only use such domains: one read from the data would tell who is in it.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.data.frozen import frozen
from sfumato.data.schema import ColumnType
from sfumato.data.text import from_text, to_text
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Floats, Ints

__all__ = ["Domain", "domains_of"]

_RANGE = frozenset({"low", "high", "bins"})


@frozen
class Domain:
    """The cells of one column: ``categories``, ``bins`` intervals from ``low`` to ``high`` (both included), or whole numbers.

    With ``whole`` every whole number from low to high is a cell of its own.
    """

    column: str
    categories: tuple[Hashable, ...] = ()
    low: float = 0.0
    high: float = 0.0
    bins: int = 0
    whole: bool = False

    @property
    def cells(self) -> int:
        """The number of cells, as far as it is known without the type of the column."""
        return self.bins or len(self.categories)

    def spec(self) -> dict[str, float] | list[Hashable]:
        """Return the domain as plain data."""
        if self.whole:
            return {"low": self.low, "high": self.high}
        return {"low": self.low, "high": self.high, "bins": self.bins} if self.bins else list(self.categories)

    def declared(self) -> dict[str, object]:
        """Return the domain as a synthetic table states it."""
        return {"range": [self.low, self.high]} if self.bins else {"values": [to_text(v) for v in self.categories]}

    def codes(self, table: Table, parameter: str) -> Ints:
        """Return the cell of each record, -1 for a value outside of the domain or a missing one."""
        if self.column not in table.types:
            raise BadRequest(
                "is not a column of the table", parameter=parameter, value=self.column, available=table.columns
            )
        values: Sequence[Any] = table.dictionary(self.column).values
        if self.whole:
            self._refuse_words(table.types[self.column], parameter)
            fits = [float(value).is_integer() and self.low <= value <= self.high for value in values]
            of_value = np.array(
                [int(value - self.low) if fit else -1 for value, fit in zip(values, fits, strict=True)], np.int64
            )
        elif self.bins:
            edges = self.edges(table.types[self.column], parameter)
            numbers = np.array([float(value) for value in values], np.float64)
            inside = (numbers >= edges[0]) & (numbers <= edges[-1])
            cells = np.clip(np.searchsorted(edges, numbers, side="right") - 1, 0, len(edges) - 2)
            of_value = np.where(inside, cells, -1)
        else:
            place = {to_text(category): code for code, category in enumerate(self.categories)}
            of_value = np.array([place.get(to_text(value), -1) for value in values], np.int64)
        codes = table.as_rows().codes([self.column])[:, 0]
        # The last entry stands for missing, whose code is -1.
        found: Ints = np.append(of_value, -1).astype(np.int64)[codes]
        return found

    def edges(self, kind: ColumnType, parameter: str) -> Floats:
        """Return where the intervals begin and end; of whole numbers they begin at whole numbers."""
        self._refuse_words(kind, parameter)
        if kind is not ColumnType.INTEGER:
            return np.linspace(self.low, self.high, self.bins + 1)
        low, high = math.ceil(self.low), math.floor(self.high)
        if not low < high:
            raise BadRequest("the range holds fewer than two whole numbers", column=self.column, parameter=parameter)
        return np.unique(np.round(np.linspace(low, high, self.bins + 1)))

    def _refuse_words(self, kind: ColumnType, parameter: str) -> None:
        if not kind.numeric:
            raise BadRequest("a range needs numbers", column=self.column, parameter=parameter, value=str(kind))

    def size(self, kind: ColumnType, parameter: str) -> int:
        """Return the number of cells for a column of this type."""
        return len(self.edges(kind, parameter)) - 1 if self.bins and not self.whole else self.cells

    def values(self, cells: Ints, kind: ColumnType, rng: np.random.Generator, parameter: str) -> list[Hashable]:
        """Return a value for each cell: the category, or a number drawn evenly from the interval."""
        if self.whole:
            exact = (cells + int(self.low)).tolist()
            return exact if kind is ColumnType.INTEGER else [float(value) for value in exact]
        if self.bins:
            edges = self.edges(kind, parameter)
            low, high = edges[cells], edges[cells + 1]
            if kind is ColumnType.INTEGER:
                last = high - np.where(cells + 1 == len(edges) - 1, 0, 1)
                drawn: list[Hashable] = rng.integers(
                    low.astype(np.int64), last.astype(np.int64), endpoint=True
                ).tolist()
                return drawn
            numbers: list[Hashable] = rng.uniform(low, high).tolist()
            return numbers
        try:
            typed = [from_text(to_text(category), kind) for category in self.categories]
        except ValueError:
            raise BadRequest(
                f"the domain holds a category that is no {kind}", column=self.column, parameter=parameter
            ) from None
        return [typed[cell] for cell in cells.tolist()]


def domains_of(given: object, parameter: str) -> dict[str, Domain]:
    """Read domains by column: a list of categories, ``{low, high}`` of whole numbers, or ``{low, high, bins}``.

    >>> domains_of({"age": {"low": 0, "high": 100, "bins": 10}}, "domains")["age"].cells
    10
    """
    if not isinstance(given, Mapping) or not given:
        raise BadRequest("must give the domain of at least one column", parameter=parameter)
    return {str(name): _domain(str(name), domain, parameter) for name, domain in given.items()}


def _domain(name: str, given: object, parameter: str) -> Domain:
    if isinstance(given, Mapping):
        ends = [given.get(end) for end in ("low", "high")]
        if set(given) == {"low", "high"} and all(isinstance(end, int) and not isinstance(end, bool) for end in ends):
            if not ends[0] <= ends[1]:  # type: ignore[operator]
                raise BadRequest("needs low <= high", column=name, parameter=parameter)
            return Domain(name, low=ends[0], high=ends[1], bins=ends[1] - ends[0] + 1, whole=True)  # type: ignore[operator, arg-type]
        if set(given) != _RANGE:
            raise BadRequest(
                "must be finite: low and high of whole numbers, or low, high and bins",
                column=name,
                parameter=parameter,
                value=sorted(given),
            )
        low, high, bins = given["low"], given["high"], given["bins"]
        numbers = all(
            isinstance(edge, (int, float)) and not isinstance(edge, bool) and math.isfinite(edge)
            for edge in (low, high)
        )
        if not numbers or not low < high or not isinstance(bins, int) or isinstance(bins, bool) or bins < 1:
            raise BadRequest("needs low < high and at least one bin", column=name, parameter=parameter)
        return Domain(name, low=low, high=high, bins=bins)
    listed = given if isinstance(given, Sequence) and not isinstance(given, str) else ()
    if not listed or len({to_text(value) for value in listed}) != len(listed):
        raise BadRequest("must be a list of different categories, or a range", column=name, parameter=parameter)
    return Domain(name, categories=tuple(listed))
