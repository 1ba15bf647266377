"""Workload-aware Mondrian against a twin that tries every cut, for classes, numbers, both, and queries."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato
from oracles.naive_mondrian import (
    NaiveSpace,
    naive_cheapest,
    naive_class_cost,
    naive_mixed_cost,
    naive_query_cost,
    naive_square_cost,
)
from oracles.naive_tdr import NaiveAttribute
from sfumato.algorithms.boxes.infogain_mondrian import InfoGainMondrian
from sfumato.data.text import to_text
from sfumato.errors import BadRequest, Infeasible
from sfumato.testing.strategies import DrawnTable, tables

Cost = Callable[[list[int], Sequence[list[int]]], float]


@dataclass(frozen=True)
class Asked:
    """A drawn table with a second class and two numbers at its end."""

    drawn: DrawnTable
    rows: tuple[tuple[Any, ...], ...]

    @property
    def columns(self) -> tuple[str, ...]:
        return (*self.drawn.columns, "other", "n0", "n1")

    def target(self, name: str) -> list[Any]:
        return [row[self.columns.index(name)] for row in self.rows]

    def space(self) -> NaiveSpace:
        return NaiveSpace(self.rows, [NaiveAttribute(one.name, one.kind, one.tree) for one in self.drawn.attributes])


@st.composite
def asked(draw: st.DrawFn) -> Asked:
    drawn = draw(tables(max_attributes=3, max_rows=30, max_leaves=7))
    more = draw(
        st.lists(
            st.tuples(st.sampled_from("uvw"), st.integers(-3, 6), st.sampled_from([0.0, 0.5, 2.25, 9.0])),
            min_size=len(drawn.rows),
            max_size=len(drawn.rows),
        )
    )
    return Asked(drawn, tuple((*row, *end) for row, end in zip(drawn.rows, more, strict=True)))


def policy_of(task: Asked, requirements: Sequence[dict[str, Any]], **algorithm: Any) -> dict[str, Any]:
    columns: dict[str, Any] = {
        "class": {"role": "target"},
        "other": {"role": "sensitive"},
        "n0": {"role": "plain", "publish_anyway": "invented"},
        "n1": {"role": "plain", "publish_anyway": "invented"},
    }
    for one in task.drawn.attributes:
        columns[one.name] = {"role": "quasi-identifier"}
        if one.tree is not None:
            columns[one.name]["hierarchy"] = {"id": "taxonomy", "tree": one.tree}
    return {
        "columns": columns,
        "requirements": list(requirements),
        "algorithm": {"id": "infogain-mondrian", **algorithm},
        "output": {"row_order": "keep"},
        "metrics": [],
    }


def groups_of(release: Any, width: int) -> list[list[int]]:
    groups: dict[tuple[str, ...], list[int]] = {}
    for number, row in enumerate(release.table.to_rows()):
        groups.setdefault(tuple(map(to_text, row[:width])), []).append(number)
    return sorted(groups.values())


WORKLOADS: dict[str, tuple[dict[str, Any], Callable[[Asked], Cost]]] = {
    "class": ({}, lambda task: naive_class_cost(task.target("class"))),
    "two": (
        {"targets": ["class", "other"]},
        lambda task: naive_class_cost(task.target("class"), task.target("other")),
    ),
    "joint": (
        {"targets": ["class", "other"], "combine": "joint"},
        lambda task: naive_class_cost(list(zip(task.target("class"), task.target("other"), strict=True))),
    ),
    "number": ({"regression": ["n0"]}, lambda task: naive_square_cost(task.target("n0"))),
    "numbers": (
        {"regression": ["n0", "n1"]},
        lambda task: naive_square_cost(task.target("n0"), task.target("n1")),
    ),
    "mixed": (
        {"targets": ["other"], "regression": ["n1", "n0"]},
        lambda task: naive_mixed_cost([task.target("other")], [task.target("n1"), task.target("n0")]),
    ),
}


@settings(max_examples=60)
@given(task=asked(), k=st.integers(1, 5), workload=st.sampled_from(sorted(WORKLOADS)), diverse=st.booleans())
def test_the_groups_of_the_naive_twin(task: Asked, k: int, workload: str, diverse: bool) -> None:
    k = min(k, len(task.rows))
    secret = task.target("other")

    def allowed(part: Sequence[int]) -> bool:
        return len(part) >= k and (not diverse or entropy_of([secret[row] for row in part]) >= math.log(1.7) - 1e-9)

    requirements: list[dict[str, Any]] = [{"id": "k-anonymity", "k": k}]
    if diverse:
        requirements.append({"id": "l-diversity-entropy", "l": 1.7, "sensitive": "other"})
    parameters, cost = WORKLOADS[workload]
    policy = policy_of(task, requirements, **parameters)
    table = sfumato.from_rows(task.columns, task.rows)
    if not allowed(range(len(task.rows))):
        with pytest.raises(Infeasible):
            sfumato.anonymize(table, policy)
        return
    release = sfumato.anonymize(table, policy)
    wanted = naive_cheapest(task.space(), allowed, cost(task))
    assert groups_of(release, len(task.drawn.attributes)) == sorted(map(sorted, wanted))
    assert sfumato.check(release.table, policy=release.private.policy).satisfied


def entropy_of(values: Sequence[Any]) -> float:
    return -sum(count / len(values) * math.log(count / len(values)) for count in Counter(values).values())


@st.composite
def workload_of(draw: st.DrawFn, task: Asked) -> list[tuple[dict[int, Any], float]]:
    """Draw queries: ranges of numbers that may lie between values, sets of other values."""
    out = []
    for _ in range(draw(st.integers(1, 3))):
        where: dict[int, Any] = {}
        for at, one in enumerate(task.drawn.attributes):
            if not draw(st.booleans()):
                continue
            if one.kind == "interval":
                ends = draw(st.tuples(st.integers(-6, 41), st.integers(0, 12)))
                where[at] = (ends[0] + 0.25, ends[0] + 0.25 + ends[1])
            else:
                values = sorted({row[at] for row in task.rows})
                where[at] = set(draw(st.lists(st.sampled_from(values), min_size=1, max_size=3)))
        out.append((where, float(draw(st.sampled_from([1, 1, 2.5])))))
    return out


def as_parameter(task: Asked, queries: Sequence[tuple[Mapping[int, Any], float]]) -> list[dict[str, Any]]:
    names = [one.name for one in task.drawn.attributes]
    return [
        {
            "where": {
                names[at]: {"low": condition[0], "high": condition[1]}
                if isinstance(condition, tuple)
                else sorted(condition)
                for at, condition in where.items()
            },
            "weight": weight,
        }
        for where, weight in queries
    ]


@settings(max_examples=50)
@given(task=asked(), k=st.integers(1, 4), data=st.data())
def test_queries_as_the_naive_twin_answers_them(task: Asked, k: int, data: st.DataObject) -> None:
    k = min(k, len(task.rows))
    queries = data.draw(workload_of(task))
    release = sfumato.anonymize(
        sfumato.from_rows(task.columns, task.rows),
        policy_of(task, [{"id": "k-anonymity", "k": k}], queries=as_parameter(task, queries)),
    )
    space = task.space()
    wanted = naive_cheapest(space, lambda part: len(part) >= k, naive_query_cost(space, queries))
    assert groups_of(release, len(task.drawn.attributes)) == sorted(map(sorted, wanted))


def long_table(rows: int) -> Asked:
    """Return a table whose numbers hardly repeat, so that rows are sorted and not counted."""
    from sfumato.testing.strategies import DrawnAttribute

    rng = np.random.default_rng(5)
    values = rng.integers(0, 100 * rows, (rows, 2))
    classes = np.where(values[:, 0] + rng.normal(0, 20 * rows, rows) > 50 * rows, "c0", "c1")
    ends = [(str(rng.choice(list("uvw"))), int(v), float(w) / 4) for v, w in rng.integers(0, 50, (rows, 2))]
    attributes = (DrawnAttribute("a0", "interval"), DrawnAttribute("a1", "interval"))
    records = tuple((int(a), int(b), str(c), *end) for (a, b), c, end in zip(values, classes, ends, strict=True))
    return Asked(DrawnTable(("a0", "a1", "class"), records, attributes, "class", ()), records)


@pytest.mark.parametrize("workload", sorted(WORKLOADS))
def test_long_axes(workload: str) -> None:
    task = long_table(160)
    parameters, cost = WORKLOADS[workload]
    release = sfumato.anonymize(
        sfumato.from_rows(task.columns, task.rows), policy_of(task, [{"id": "k-anonymity", "k": 6}], **parameters)
    )
    wanted = naive_cheapest(task.space(), lambda part: len(part) >= 6, cost(task))
    assert groups_of(release, 2) == sorted(map(sorted, wanted))
    assert len(wanted) > 10


# ---- options -------------------------------------------------------------------------------------------------------------

COLUMNS = ["x", "y", "class", "pay", "note"]
ROWS = [
    (x, y, "Y" if x > 4 else "N", 10 * y, f"n{x}")
    for x, y in [(1, 4), (2, 1), (3, 3), (4, 2), (5, 1), (6, 4), (7, 2), (8, 3)]
]


def policy(target: bool = True, **algorithm: Any) -> dict[str, Any]:
    return {
        "columns": {
            "x": {"role": "quasi-identifier"},
            "y": {"role": "quasi-identifier"},
            "class": {"role": "target" if target else "plain"},
            "pay": {"role": "plain", "publish_anyway": "invented"},
            "note": {"role": "plain", "publish_anyway": "invented"},
        },
        "requirements": [{"id": "k-anonymity", "k": 2}],
        "algorithm": {"id": "infogain-mondrian", "trace": True, **algorithm},
        "output": {"row_order": "keep"},
    }


def run(**algorithm: Any) -> Any:
    return sfumato.anonymize(sfumato.from_rows(COLUMNS, ROWS), policy(**algorithm))


def test_min_gain_stops_cuts_that_help_nobody() -> None:
    release = run(min_gain=0.1)
    assert [(entry["attribute"], entry["value"], entry["cost"]) for entry in release.private.trace] == [("x", "5", 0.0)]
    assert len(run().private.trace) > 1
    assert run(min_gain=1.1).private.trace == []


def test_a_numeric_target_is_cut_by_least_squares() -> None:
    (first, *_) = run(regression=["pay"]).private.trace
    assert (first["attribute"], first["value"]) == ("y", "3")
    assert first["cost"] == pytest.approx(0.2)
    # In one column the unit makes no difference; in several it does.
    assert run(regression=["pay"], standardize=False).table.to_rows() == run(regression=["pay"]).table.to_rows()


def test_regions_hold_the_same_records() -> None:
    boxes, regions = run(), run(publish="region")
    assert groups_of(boxes, 2) == groups_of(regions, 2)
    assert boxes.private.operations[0].boxes != regions.private.operations[0].boxes


def test_columns_that_no_query_shows_are_not_cut() -> None:
    release = run(queries=[{"where": {"x": {"low": 1, "high": 3}}, "columns": ["x"]}])
    assert {entry["attribute"] for entry in release.private.trace} == {"x"}
    assert {row[1] for row in release.table.to_rows()} != {row[1] for row in ROWS}
    everything = run(queries=[{"where": {"y": {"low": 1, "high": 2}}}])
    assert everything.private.trace[0] == {"records": 8, "attribute": "y", "value": "3", "cost": 0.0}
    assert {entry["attribute"] for entry in everything.private.trace} == {"x", "y"}


def test_too_many_joint_classes_are_warned_of() -> None:
    release = run(targets=["class", "note"], combine="joint")
    assert any("8 tuples of classes for 8 records" in warning for warning in release.warnings)


# ---- refusals ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "algorithm, said",
    [
        ({"regression": ["note"]}, "least squares need numbers"),
        ({"targets": ["x"]}, "can be a target"),
        ({"targets": ["nobody"]}, "can be a target"),
        ({"queries": [{"where": {"pay": 3}}]}, "not a quasi-identifier"),
        ({"queries": [{"where": {"x": [1, 2]}}]}, "low, high"),
        ({"queries": [{"where": {"x": {"low": 3, "high": 1}}}]}, "rises"),
        ({"queries": [{"where": {"x": 1}, "weight": 0}]}, "positive"),
        ({"queries": [{"if": {"x": 1}}]}, "where"),
        ({"queries": [{"columns": "x"}]}, "list"),
    ],
    ids=str,
)
def test_wrong_workloads(algorithm: dict[str, Any], said: str) -> None:
    with pytest.raises(BadRequest, match=said):
        run(**algorithm)


def test_wrong_parameters() -> None:
    with pytest.raises(BadRequest, match="not for both"):
        InfoGainMondrian(targets=("a",), queries=({"where": {}},))
    with pytest.raises(BadRequest, match="twice"):
        InfoGainMondrian(targets=("a",), regression=("a",))
    with pytest.raises(BadRequest, match="at least one"):
        InfoGainMondrian(targets=())


def test_a_target_is_needed() -> None:
    with pytest.raises(BadRequest, match="role target"):
        sfumato.anonymize(sfumato.from_rows(COLUMNS, ROWS), policy(target=False))


def test_unknown_values_in_a_query() -> None:
    rows = [("a", "Y"), ("b", "N"), ("a", "N"), ("b", "Y")]
    asked_for: dict[str, Any] = {
        "columns": {"t": {"role": "quasi-identifier"}, "class": {"role": "target"}},
        "requirements": [{"id": "k-anonymity", "k": 2}],
        "algorithm": {"id": "infogain-mondrian", "queries": [{"where": {"t": "z"}}]},
    }
    with pytest.raises(BadRequest, match="not a value") as caught:
        sfumato.anonymize(sfumato.from_rows(["t", "class"], rows), asked_for)
    assert caught.value.column == "t"
    asked_for["algorithm"]["queries"] = [{"where": {"t": {"low": 1, "high": 2}}}]
    with pytest.raises(BadRequest, match="for numbers"):
        sfumato.anonymize(sfumato.from_rows(["t", "class"], rows), asked_for)


def test_the_cost_of_numbers_is_told_in_the_unit_that_was_asked_for() -> None:
    pay = [row[COLUMNS.index("pay")] for row in ROWS]
    variance = sum((value - sum(pay) / len(pay)) ** 2 for value in pay) / len(pay)
    standard, plain = (run(regression=["pay"], standardize=asked).private.trace for asked in (True, False))
    assert [step["cost"] for step in plain] == pytest.approx([step["cost"] * variance for step in standard])
    # What a cut must be worth is told in the same unit.
    gain = 0.5 * variance
    assert len(run(regression=["pay"], standardize=False, min_gain=gain).private.trace) == len(
        run(regression=["pay"], min_gain=0.5).private.trace
    )
