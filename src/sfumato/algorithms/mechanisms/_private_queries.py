"""Questions about a table whose answers get noise: what they ask, what one record can change, and the exact answer.

A question is plain data: ``{count: {sex: f}}``, ``{sum: income, low: 0, high: 90000}``, ``{mean: ...}``, ``{histogram:
job, values: [...]}``, ``{histogram: age, edges: [0, 30, 60, 120]}``, ``{quantile: age, q: 0.5, low: 0, high: 120}``;
all but a count take ``where``, all take ``question`` (the words) and ``epsilon`` (the share of the budget). Bounds,
values, edges and candidates must be declared: read from the data, they would tell who is in it.

Answers are vectors of whole numbers. A sum counts in steps: of whole numbers by 1, of others by a fixed step, so that
one record changes it by a known whole number and no rounding of floats can tell more."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import field
from functools import partial
from typing import Any

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.data.frozen import frozen
from sfumato.data.schema import ColumnType
from sfumato.data.text import from_text, interval_label, to_text
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Bools, Codes

__all__ = ["PrivateQuery", "private_queries"]

Mask = Bools

_KINDS = ("count", "sum", "mean", "histogram", "quantile")
_TAKES = {
    "count": set[str](),
    "sum": {"low", "high", "step"},
    "mean": {"low", "high", "step"},
    "histogram": {"values", "edges"},
    "quantile": {"q", "low", "high", "candidates"},
}
_CANDIDATES = 100
_FINE = 20


@frozen
class PrivateQuery:
    """One question with all that is declared about it; ``epsilon`` is its share of the budget, if it names one."""

    kind: str
    column: str | None
    where: Mapping[str, object] = field(default_factory=dict)
    low: float | None = None
    high: float | None = None
    step: float | None = None
    values: tuple[Hashable, ...] = ()
    edges: tuple[float, ...] = ()
    q: float | None = None
    candidates: tuple[float, ...] = ()
    words: str | None = None
    epsilon: float | None = None

    def questions(self) -> list[str]:
        """Return what is asked in words; a histogram asks once for each cell, a mean for a sum and a count first."""
        base = self.words or self._words()
        if self.kind == "histogram":
            return [f"{base}: {cell}" for cell in self._cells()]
        if self.kind == "mean":
            return [f"{base}: sum", f"{base}: records", base]
        return [base]

    def _words(self) -> str:
        about = f" of {self.column}" if self.column is not None else ""
        named = f"{self.kind} {self.q:g}" if self.kind == "quantile" else self.kind
        return f"{named}{about}{_condition_words(self.where)}" if self.kind != "count" else _counted_words(self.where)

    def _cells(self) -> list[str]:
        if self.values:
            return [to_text(value) for value in self.values]
        ends = list(zip(self.edges, self.edges[1:], strict=False))
        return [interval_label(low, high, closed=at == len(ends) - 1) for at, (low, high) in enumerate(ends)]

    def unit(self, kind: ColumnType) -> float:
        """Return the step in which a sum is counted."""
        if self.step is not None:
            return self.step
        if kind is ColumnType.INTEGER:
            return 1
        widest = max(abs(self._low), abs(self._high))
        return float(2.0 ** (math.floor(math.log2(widest)) - _FINE)) if widest > 0 else 1.0

    def sensitivity(self, kind: ColumnType | None, substitute: bool) -> int:
        """Return the largest change of the answer, in steps, that one record can make."""
        if self.kind == "histogram":
            return 2 if substitute else 1
        if self.kind in ("count", "quantile"):
            return 1
        low, high = (self._steps(end, self.unit(kind or ColumnType.NUMBER)) for end in (self._low, self._high))
        # A record that does not meet the condition adds 0, so a replaced one moves between 0 and either end.
        change = max(high, 0) - min(low, 0) if substitute else max(abs(low), abs(high))
        return max(change, 1)

    @property
    def _low(self) -> float:
        return float(self.low or 0.0)

    @property
    def _high(self) -> float:
        return float(self.high or 0.0)

    @staticmethod
    def _steps(value: float, unit: float) -> int:
        return round(value / unit)

    # ---- the exact answer --------------------------------------------------------------------------------------------

    def exact(self, table: Table) -> list[int]:
        """Return the answer in whole numbers: a count, the counts of cells, or a sum in steps (a mean: sum and count)."""
        inside = self.mask(table)
        if self.kind == "count":
            return [int(inside.sum())]
        assert self.column is not None
        codes, values = self._column(table)
        present = inside & (codes >= 0)
        counts = np.bincount(codes[present], minlength=len(values)).tolist()
        if self.kind == "histogram":
            return self._histogram(values, counts)
        unit = self.unit(table.types[self.column])
        total = sum(
            count * self._steps(min(max(float(value), self._low), self._high), unit)
            for value, count in zip(values, counts, strict=True)
            if count
        )
        return [total, int(present.sum())] if self.kind == "mean" else [total]

    def numbers(self, table: Table) -> list[float]:
        """Return the numbers that a quantile is asked of."""
        codes, values = self._column(table)
        present = self.mask(table) & (codes >= 0)
        held = np.array([float(value) for value in values], np.float64)
        found: list[float] = held[codes[present]].tolist()
        return found

    def _histogram(self, values: Sequence[Any], counts: Sequence[int]) -> list[int]:
        if self.values:
            place = {to_text(value): at for at, value in enumerate(self.values)}
            out = [0] * len(self.values)
            for value, count in zip(values, counts, strict=True):
                at = place.get(to_text(value))
                if at is not None:
                    out[at] += count
            return out
        out = [0] * (len(self.edges) - 1)
        for value, count in zip(values, counts, strict=True):
            if self.edges[0] <= value <= self.edges[-1]:
                at = int(np.searchsorted(self.edges, float(value), side="right")) - 1
                out[min(at, len(out) - 1)] += count
        return out

    def _column(self, table: Table) -> tuple[Codes, Sequence[Any]]:
        name = str(self.column)
        kind = _known(table, name)
        if not kind.numeric and not (self.kind == "histogram" and self.values):
            raise BadRequest("must hold numbers", column=name, parameter="queries", value=str(kind))
        return table.as_rows().codes([name])[:, 0], table.dictionary(name).values

    def mask(self, table: Table) -> Mask:
        """Return which records meet the conditions; a missing value meets none."""
        out = np.ones(table.rows, bool)
        for name, given in self.where.items():
            kind = _known(table, name)
            values: Sequence[Hashable] = table.dictionary(name).values
            if isinstance(given, Mapping):
                if kind in (ColumnType.TEXT, ColumnType.BOOLEAN):
                    raise BadRequest(
                        "a range needs numbers or dates", column=name, parameter="queries", value=str(kind)
                    )
                low, high = (_typed(name, given[end], kind) for end in ("low", "high"))
                holds = [low <= value <= high for value in values]
            else:
                wanted = {_typed(name, value, kind) for value in (given if isinstance(given, list) else [given])}
                holds = [value in wanted for value in values]
            out &= np.append(np.array(holds, bool), False)[table.as_rows().codes([name])[:, 0]]
        return out

    def choices(self) -> tuple[float, ...]:
        """Return the candidates of a quantile: those declared, or even steps from low to high."""
        if self.candidates:
            return self.candidates
        return tuple(np.linspace(self._low, self._high, _CANDIDATES + 1).tolist())


def private_queries(given: object, parameter: str) -> tuple[PrivateQuery, ...]:
    """Read questions from plain data; refuse what leaves open how much one record can change.

    >>> [query.questions() for query in private_queries([{"count": {"sex": "f"}}, {"mean": "age", "low": 0, "high": 99}], "q")]
    [['records with sex f'], ['mean of age: sum', 'mean of age: records', 'mean of age']]
    """
    if isinstance(given, Mapping):
        given = [given]
    if not isinstance(given, (list, tuple)) or not given:
        raise BadRequest(
            "needs at least one question, such as {count: {}} or {sum: column, low: 0, high: 100}",
            parameter=parameter,
        )
    out = tuple(_query(entry, parameter) for entry in given)
    asked = [question for query in out for question in query.questions()]
    for question in asked:
        if asked.count(question) > 1:
            raise BadRequest("a question is asked twice", parameter=parameter, value=question)
    return out


def _query(entry: object, parameter: str) -> PrivateQuery:
    if not isinstance(entry, Mapping):
        raise BadRequest("a question must be a mapping", parameter=parameter, available=_KINDS)
    kinds = [kind for kind in _KINDS if kind in entry]
    if len(kinds) != 1:
        raise BadRequest(
            "a question must ask for exactly one thing", parameter=parameter, value=sorted(entry), available=_KINDS
        )
    kind = kinds[0]
    takes = {kind, "question", "epsilon", *_TAKES[kind], *(set() if kind == "count" else {"where"})}
    for key in entry:
        if key not in takes:
            raise BadRequest(f"is not part of a {kind}", parameter=parameter, value=key, available=sorted(takes))
    where = entry["count"] if kind == "count" else entry.get("where", {})
    if where is None:
        where = {}
    if not isinstance(where, Mapping):
        raise BadRequest("conditions must map columns to values or ranges", parameter=parameter)
    for name, condition in where.items():
        ranged = isinstance(condition, Mapping)
        if ranged and set(condition) != {"low", "high"}:
            raise BadRequest("a range needs low and high", column=str(name), parameter=parameter)
        if condition is None or condition in ([], ()):
            raise BadRequest("must name at least one value", column=str(name), parameter=parameter)
    column = None if kind == "count" else entry[kind]
    if kind != "count" and not isinstance(column, str):
        raise BadRequest(f"a {kind} must name a column", parameter=parameter, value=column)
    low, high, step = (_number(entry.get(name), name, column, parameter) for name in ("low", "high", "step"))
    query = PrivateQuery(
        kind=kind,
        column=column,
        where={str(name): list(c) if isinstance(c, tuple) else c for name, c in where.items()},
        low=low,
        high=high,
        step=step,
        values=_values(entry.get("values"), column, parameter),
        edges=_numbers(entry.get("edges"), "edges", column, parameter),
        q=_number(entry.get("q"), "q", column, parameter),
        candidates=_numbers(entry.get("candidates"), "candidates", column, parameter),
        words=None if entry.get("question") is None else str(entry["question"]),
        epsilon=_number(entry.get("epsilon"), "epsilon", column, parameter),
    )
    _refuse_unbounded(query, parameter)
    return query


def _refuse_unbounded(query: PrivateQuery, parameter: str) -> None:
    refusal = partial(BadRequest, column=query.column, parameter=parameter)
    bounded = query.low is not None and query.high is not None
    if bounded and not float(query.low or 0) < float(query.high or 0):
        raise refusal("needs low < high")
    if query.kind in ("sum", "mean") and not bounded:
        raise refusal(f"a {query.kind} needs low and high: without bounds one record can change it by any amount")
    if query.step is not None and not query.step > 0:
        raise refusal("must be > 0", parameter=f"{parameter}.step", value=query.step)
    if query.epsilon is not None and not query.epsilon > 0:
        raise refusal("must be > 0", parameter=f"{parameter}.epsilon", value=query.epsilon)
    if query.kind == "histogram":
        if bool(query.values) == bool(query.edges):
            raise refusal("a histogram needs values, or edges: cells read from the data tell who is in it")
        if query.values and len({to_text(value) for value in query.values}) < len(query.values):
            raise refusal("names a value twice")
        if query.edges and (
            len(query.edges) < 2 or any(b <= a for a, b in zip(query.edges, query.edges[1:], strict=False))
        ):
            raise refusal("edges must rise")
    if query.kind == "quantile":
        if query.q is None or not 0 <= query.q <= 1:
            raise refusal("a quantile needs q from 0 to 1", value=query.q)
        if not query.candidates and not bounded:
            raise refusal("a quantile needs low and high, or candidates")
        if query.candidates and any(b <= a for a, b in zip(query.candidates, query.candidates[1:], strict=False)):
            raise refusal("candidates must rise")


def _number(value: object, name: str, column: str | None, parameter: str) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise BadRequest("must be a finite number", column=column, parameter=f"{parameter}.{name}", value=value)
    return value


def _values(values: object, column: str | None, parameter: str) -> tuple[Hashable, ...]:
    if values is None:
        return ()
    if not isinstance(values, (list, tuple)) or not all(isinstance(value, Hashable) for value in values):
        raise BadRequest("must be a list of values", column=column, parameter=f"{parameter}.values")
    return tuple(values)


def _numbers(values: object, name: str, column: str | None, parameter: str) -> tuple[float, ...]:
    if values is None:
        return ()
    if not isinstance(values, (list, tuple)):
        raise BadRequest("must be a list of numbers", column=column, parameter=f"{parameter}.{name}")
    return tuple(_number(value, name, column, parameter) or 0 for value in values)


def _known(table: Table, name: str) -> ColumnType:
    if name not in table.types:
        raise BadRequest("is not a column of the table", parameter="queries", value=name, available=table.columns)
    return table.types[name]


def _typed(name: str, value: object, kind: ColumnType) -> Any:
    """Return a value in the type of its column; YAML reads a code such as 30 as a number."""
    text = to_text(value)
    try:
        if kind is ColumnType.BOOLEAN and text.lower() not in ("true", "false"):
            raise ValueError
        return from_text(text, kind)
    except ValueError:
        raise BadRequest(f"is no {kind}", column=name, parameter="queries", value=value) from None


def _condition_words(where: Mapping[str, object]) -> str:
    return f" of records with {_said(where)}" if where else ""


def _counted_words(where: Mapping[str, object]) -> str:
    return f"records with {_said(where)}" if where else "all records"


def _said(where: Mapping[str, object]) -> str:
    said = []
    for name, given in where.items():
        if isinstance(given, Mapping):
            said.append(f"{name} from {to_text(given['low'])} to {to_text(given['high'])}")
        else:
            listed = given if isinstance(given, list) else [given]
            said.append(f"{name} {' or '.join(to_text(value) for value in listed)}")
    return " and ".join(said)
