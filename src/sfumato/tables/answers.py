"""Counts of records with formal noise: conditions in plain data, exact counts, noise from OpenDP, the stated budget."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from itertools import combinations
from typing import Any

from sfumato.contracts.built import Built
from sfumato.contracts.engine import Table
from sfumato.data.messages import say
from sfumato.data.schema import ColumnType
from sfumato.data.text import from_text, to_text
from sfumato.errors import BadRequest
from sfumato.perturbations.opendp_noise import OpenDPLaplace
from sfumato.releases.noisy_answers import NoisyAnswers
from sfumato.utility.conditions import Among, Between, Condition, CountQuery
from sfumato.utility.queries import RawCounter

__all__ = ["count_queries", "counted_with_noise"]

_RANGE = {"low", "high"}


def counted_with_noise(
    table: Table, queries: object, epsilon: float | Sequence[float], *, composition: str = "sequential"
) -> Built:
    """Return how many records meet each query, with discrete Laplace noise that no seed repeats.

    ``epsilon`` is the budget of the whole release, shared evenly, or a list with the share of each query. One record more or
    less changes a count by at most 1. With ``composition="parallel"`` every query may spend the whole budget, because no
    record meets two of them; that is checked on the conditions.
    """
    asked = count_queries(table, queries)
    if composition not in ("sequential", "parallel"):
        raise BadRequest(
            "is not a composition", parameter="composition", value=composition, available=["sequential", "parallel"]
        )
    if composition == "parallel":
        _refuse_overlap(asked)
    wanted, budget = _shares(epsilon, len(asked), composition)
    named = list(dict.fromkeys(name for query in asked.values() for name in query.columns))
    counter = RawCounter(table, named or table.columns[:1])
    noises = {share: OpenDPLaplace(share) for share in dict.fromkeys(wanted)}
    answers = [
        noises[share].add([round(counter.count(query))])[0] for query, share in zip(asked.values(), wanted, strict=True)
    ]
    return NoisyAnswers.build(
        list(asked),
        [float(answer) for answer in answers],
        mechanism="geometric",
        epsilon=[noises[share].epsilon for share in wanted],
        sensitivity=1.0,
        scale=[noises[share].scale for share in wanted],
        budget=budget,
        composition=composition,
        settings={"noise": noises[wanted[0]].source, "neighbours": say("settings.one_more"), "seedable": False},
        engine=table.home,
    )


def count_queries(table: Table, queries: object) -> dict[str, CountQuery]:
    """Return queries by their question, from plain data.

    A query maps columns to a value, to a list of values, or to ``{low, high}``, both included; ``{}`` asks for all records.
    ``{question: ..., where: {...}}`` gives the words as well.

    >>> from sfumato.engines import from_rows
    >>> table = from_rows(["Age", "Disease"], [(30, "Flu")])
    >>> list(count_queries(table, [{}, {"Age": {"low": 30, "high": 39}, "Disease": ["Flu", "HIV"]}]))
    ['all records', 'records with Age from 30 to 39 and Disease Flu or HIV']
    """
    if isinstance(queries, Mapping):
        queries = [queries]
    if not isinstance(queries, (list, tuple)) or not queries:
        raise BadRequest(
            "needs at least one query, such as {column: value} or {column: {low: 30, high: 39}}",
            parameter="queries",
            available=table.columns,
        )
    out: dict[str, CountQuery] = {}
    for entry in queries:
        if not isinstance(entry, Mapping):
            raise BadRequest("must map columns to conditions", parameter="queries", available=table.columns)
        spoken = "where" in entry and set(entry) <= {"question", "where"} and isinstance(entry["where"], Mapping)
        where = entry["where"] if spoken else entry
        conditions = {str(name): _condition(table, str(name), given) for name, given in where.items()}
        question = str(entry["question"]) if spoken and "question" in entry else _words(conditions)
        if question in out:
            raise BadRequest("a question is asked twice", parameter="queries", value=question)
        out[question] = CountQuery(conditions)
    return out


def _condition(table: Table, name: str, given: object) -> Condition:
    if name not in table.types:
        raise BadRequest("is not a column of the table", parameter="queries", value=name, available=table.columns)
    kind = table.types[name]
    if isinstance(given, Mapping):
        if set(given) != _RANGE:
            raise BadRequest("a range needs low and high", column=name, parameter="queries", value=sorted(given))
        if kind in (ColumnType.TEXT, ColumnType.BOOLEAN):
            raise BadRequest("a range needs numbers or dates", column=name, parameter="queries", value=str(kind))
        return Between(_typed(name, given["low"], kind), _typed(name, given["high"], kind))
    listed = given if isinstance(given, (list, tuple)) else [given]
    if not listed:
        raise BadRequest("must name at least one value", column=name, parameter="queries")
    return Among(_typed(name, value, kind) for value in listed)


def _typed(name: str, value: object, kind: ColumnType) -> Hashable:
    """Return a value in the type of its column; YAML reads a code such as 30 as a number."""
    text = to_text(value)
    try:
        if value is None or (kind is ColumnType.BOOLEAN and text.lower() not in ("true", "false")):
            raise ValueError
        return from_text(text, kind)
    except ValueError:
        raise BadRequest(f"is no {kind}", column=name, parameter="queries", value=value) from None


def _words(conditions: Mapping[str, Condition]) -> str:
    said = []
    for name, condition in conditions.items():
        if isinstance(condition, Between):
            said.append(f"{name} from {to_text(condition.low)} to {to_text(condition.high)}")
        else:
            said.append(f"{name} {' or '.join(sorted(to_text(value) for value in condition.values))}")
    return f"records with {' and '.join(said)}" if said else "all records"


def _refuse_overlap(asked: Mapping[str, CountQuery]) -> None:
    for one, other in combinations(asked, 2):
        if not any(
            _disjoint(condition, asked[other].where[name])
            for name, condition in asked[one].where.items()
            if name in asked[other].where
        ):
            raise BadRequest(
                "parallel composition needs queries that no record meets twice, and two of them overlap",
                parameter="composition",
                value=[one, other],
                available=["sequential"],
            )


def _disjoint(one: Condition, other: Condition) -> bool:
    if isinstance(one, Among):
        return not any(other.holds(value) for value in one.values)
    if isinstance(other, Among):
        return not any(one.holds(value) for value in other.values)
    return bool(one.high < other.low or other.high < one.low)


def _shares(epsilon: Any, count: int, composition: str) -> tuple[list[float], float]:
    listed = list(epsilon) if isinstance(epsilon, (list, tuple)) else [epsilon]
    for share in listed:
        if isinstance(share, bool) or not isinstance(share, (int, float)) or not 0 < share < math.inf:
            raise BadRequest("must be a positive number, or one for each query", parameter="epsilon", value=share)
    if isinstance(epsilon, (list, tuple)):
        if len(listed) != count:
            raise BadRequest(
                f"needs one number for each of the {count} queries", parameter="epsilon", value=len(listed)
            )
        return [float(share) for share in listed], math.fsum(listed) if composition == "sequential" else max(listed)
    if composition == "parallel":
        return [float(epsilon)] * count, float(epsilon)
    # Rounded down, so that the shares together never exceed the budget.
    return [math.nextafter(epsilon / count, 0.0)] * count, float(epsilon)
