"""K-Optimize against trying everything, its bounds when it is stopped, and its refusals."""

from __future__ import annotations

import os
import signal
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import sfumato
from oracles.naive_k_optimize import best_splits, cost
from sfumato.algorithms.cuts.k_optimize import KOptimize
from sfumato.contracts.progress import Silent
from sfumato.contracts.run import Run
from sfumato.datasets import education_work
from sfumato.errors import BadRequest, Infeasible, Unsupported
from sfumato.tables.prepare import prepare

LETTERS = "dacbe"  # an order that is not the alphabetical one


@st.composite
def problems(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a small table of positions with a class, a k, a limit, and perhaps a requirement on one column alone."""
    sizes = draw(st.lists(st.integers(1, 5), min_size=1, max_size=3).filter(lambda sizes: sum(sizes) - len(sizes) <= 7))
    record = st.tuples(*(st.integers(0, size - 1) for size in sizes))
    records = draw(st.lists(record, min_size=2, max_size=8))
    rows = draw(st.lists(st.sampled_from(records), min_size=3, max_size=24))
    k = draw(st.integers(1, min(6, len(rows))))
    classes = draw(st.lists(st.sampled_from("xyz"), min_size=len(rows), max_size=len(rows)))
    share = draw(st.sampled_from([0.0, 0.1, 0.3, 1.0]))
    rules = []
    if share == 0.0 and len(sizes) > 1 and draw(st.booleans()):
        rules.append(((draw(st.integers(0, len(sizes) - 1)),), draw(st.integers(1, min(8, len(rows))))))
    return {
        "rows": rows,
        "k": k,
        "classes": classes,
        "share": share,
        "rules": rules,
        "metric": draw(st.sampled_from(["discernibility", "classification-metric"])),
    }


def dense(rows: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Return the rows with the positions of each column numbered without gaps."""
    places = [{value: i for i, value in enumerate(sorted({row[c] for row in rows}))} for c in range(len(rows[0]))]
    return [tuple(place[value] for place, value in zip(places, row, strict=True)) for row in rows]


def anonymized(problem: dict[str, Any], **algorithm: Any) -> sfumato.Release:
    """Solve a problem; the first column holds numbers, the others letters with an order of their own."""
    width = len(problem["rows"][0])
    names = [f"a{i}" for i in range(width)]
    table = [
        (10 * row[0], *(LETTERS[value] for value in row[1:]), held)
        for row, held in zip(problem["rows"], problem["classes"], strict=True)
    ]
    requirements = [{"id": "k-anonymity", "k": problem["k"]}]
    requirements += [
        {"id": "k-anonymity", "k": k, "qid": [names[c] for c in columns]} for columns, k in problem["rules"]
    ]
    policy = {
        "columns": {**{name: {"role": "quasi-identifier"} for name in names}, "class": {"role": "target"}},
        "requirements": requirements,
        "limits": {"suppress_at_most": problem["share"]},
        "algorithm": {
            "id": "k-optimize",
            "metric": problem["metric"],
            "orders": {name: list(LETTERS) for name in names[1:]},
            **algorithm,
        },
        "metrics": ["discernibility", "classification-metric"],
    }
    return sfumato.anonymize(sfumato.from_rows([*names, "class"], table), policy)


def asked(problem: dict[str, Any]) -> dict[str, Any]:
    return {
        "classes": problem["classes"] if problem["metric"] == "classification-metric" else None,
        "budget": int(problem["share"] * len(problem["rows"]) + 1e-9),
        "rules": problem["rules"],
    }


def positions(problem: dict[str, Any], splits: dict[str, list[str]]) -> list[tuple[int, int]]:
    """Return splits as (column, position among the values that occur)."""
    out = []
    for name, starts in splits.items():
        column = int(name[1:])
        held = sorted({row[column] for row in problem["rows"]})
        for start in starts:
            value = int(start) // 10 if column == 0 else LETTERS.index(start)
            out.append((column, held.index(value)))
    return out


@settings(max_examples=100)
@given(problem=problems())
def test_the_optimum_is_that_of_trying_everything(problem: dict[str, Any]) -> None:
    rows = dense(problem["rows"])
    least, _ = best_splits(rows, problem["k"], **asked(problem))
    release = anonymized(problem, rounds=2)
    facts = release.private.facts
    assert facts["cost"] == facts["lower_bound"] == least
    assert facts["gap"] == 0.0
    assert release.certificate["algorithm"]["optimal"] is True
    assert cost(rows, positions(problem, facts["splits"]), problem["k"], **asked(problem)) == least
    # What is published says the same, counted by code that shares nothing with the search.
    measured = release.measured[problem["metric"]].value
    assert measured == least / (len(rows) if problem["metric"] == "classification-metric" else 1)
    assert release.counts["records_suppressed"] == facts["left_out"] <= asked(problem)["budget"]
    assert sfumato.check(release.table, policy=release.private.policy)


@settings(max_examples=60)
@given(problem=problems())
def test_every_best_set_of_splits_is_listed(problem: dict[str, Any]) -> None:
    least, optima = best_splits(dense(problem["rows"]), problem["k"], **asked(problem))
    facts = anonymized(problem, list_optima=True).private.facts
    assert facts["cost"] == least
    assert sorted(tuple(positions(problem, optimum)) for optimum in facts["optima"]) == sorted(optima)


@settings(max_examples=60)
@given(problem=problems(), nodes=st.integers(0, 3))
@example(
    problem={
        "rows": [(i % 5, i % 3) for i in range(20)],
        "k": 3,
        "classes": ["x"] * 20,
        "share": 1.0,
        "rules": [],
        "metric": "discernibility",
    },
    nodes=0,
)
def test_stopped_early_the_bounds_enclose_the_optimum(problem: dict[str, Any], nodes: int) -> None:
    least, _ = best_splits(dense(problem["rows"]), problem["k"], **asked(problem))
    release = anonymized(problem, rounds=0, node_limit=nodes)
    facts = release.private.facts
    assert facts["lower_bound"] <= least <= facts["cost"]
    assert facts["nodes"] <= nodes
    proven = facts["lower_bound"] == facts["cost"]
    assert release.certificate["algorithm"]["optimal"] is proven
    assert facts["gap"] == (0.0 if proven else (facts["cost"] - facts["lower_bound"]) / facts["cost"])
    assert (release.private.stopped == "node_limit") is not proven
    assert any("not proven best" in warning for warning in release.warnings) is not proven
    assert sfumato.check(release.table, policy=release.private.policy)


DATA = education_work()
TABLE = sfumato.from_dataset(DATA)


def policy(*, k: int = 4, share: float = 1.0, requirements: Any = None, **algorithm: Any) -> sfumato.Policy:
    return sfumato.Policy.for_dataset(
        DATA,
        requirements=requirements or [{"id": "k-anonymity", "k": k}],
        limits={"suppress_at_most": share},
        algorithm={"id": "k-optimize", **algorithm},
    )


def test_a_deadline_stops_with_a_valid_table_and_a_true_gap() -> None:
    least = sfumato.anonymize(TABLE, policy()).private.facts["cost"]
    release = sfumato.anonymize(TABLE, policy(deadline=1e-9))
    facts = release.private.facts
    assert release.private.stopped == release.certificate["algorithm"]["stopped"] == "deadline"
    assert release.certificate["algorithm"]["optimal"] is False
    assert facts["lower_bound"] <= least <= facts["cost"]
    assert release.verdict.satisfied


class _Interrupting(Silent):
    """Presses Ctrl-C when the first part has been opened."""

    def tick(self, done: float, note: str = "") -> None:
        if note.startswith("best"):
            self.note = note
            os.kill(os.getpid(), signal.SIGINT)


def test_an_interruption_ends_with_the_best_so_far() -> None:
    drawn = np.random.default_rng(5).integers(0, 6, (60, 3))
    asked = {
        "columns": {name: {"role": "quasi-identifier"} for name in "abc"},
        "requirements": [{"id": "k-anonymity", "k": 3}],
        "limits": {"suppress_at_most": 1.0},
        "algorithm": {"id": "k-optimize", "rounds": 0},
    }
    table = sfumato.from_rows(list("abc"), [tuple(row) for row in drawn.tolist()])
    with pytest.raises(KeyboardInterrupt):
        sfumato.anonymize(table, asked, progress=_Interrupting())
    progress = _Interrupting()
    release = sfumato.anonymize(table, asked, progress=progress, accept_interrupted=lambda outcome: True)
    facts = release.private.facts
    assert release.private.stopped == "interrupted"
    assert facts["nodes"] == 1
    assert facts["lower_bound"] < sfumato.anonymize(table, asked).private.facts["cost"] <= facts["cost"]
    assert progress.note.startswith(f"best {facts['cost']:,}, no less than ")


def test_more_to_keep_apart_never_costs_less() -> None:
    """A larger k has fewer solutions, and a smaller limit too."""
    costs = [sfumato.anonymize(TABLE, policy(k=k)).private.facts["cost"] for k in (1, 2, 4, 8, 17)]
    assert costs == sorted(costs)
    limited = [sfumato.anonymize(TABLE, policy(k=6, share=s)).private.facts["cost"] for s in (1.0, 0.1, 0.0)]
    assert limited == sorted(limited)


def test_the_order_of_records_makes_no_difference() -> None:
    rows = TABLE.to_rows()
    turned = sfumato.from_rows(TABLE.columns, rows[::-1])
    first, second = (sfumato.anonymize(table, policy()) for table in (TABLE, turned))
    assert first.table.to_rows() == second.table.to_rows()


def test_runs_follow_the_leaves_of_the_tree_or_the_order_given() -> None:
    rows = [(letter,) for letter in "aabbccdd"]
    columns = {"a": {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": {"*": ["b", "d", "a", "c"]}}}}
    asked = {"columns": columns, "requirements": [{"id": "k-anonymity", "k": 4}], "algorithm": {"id": "k-optimize"}}
    table = sfumato.from_rows(["a"], rows)
    assert sfumato.anonymize(table, asked).recodings["a"].published() == ("b..d", "a..c")
    asked = {**asked, "algorithm": {"id": "k-optimize", "orders": {"a": ["a", "b", "c", "d"]}}}
    assert sfumato.anonymize(table, asked).recodings["a"].published() == ("a..b", "c..d")


def test_values_of_the_tree_that_do_not_occur_belong_to_the_run_before() -> None:
    columns = {"a": {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": {"*": ["u", "v", "w", "x"]}}}}
    table = sfumato.from_rows(["a"], [("v",), ("v",), ("x",), ("x",)])
    release = sfumato.anonymize(
        table, {"columns": columns, "requirements": [{"id": "k-anonymity", "k": 2}], "algorithm": {"id": "k-optimize"}}
    )
    assert release.recodings["a"].map(["u", "v", "w", "x"]).labels == ("u..w", "u..w", "u..w", "x")


def test_fewer_split_values_are_tried_only_if_asked_and_with_a_warning() -> None:
    table = sfumato.from_rows(["n"], [(i,) for i in range(40)])
    asked: dict[str, Any] = {
        "columns": {"n": {"role": "quasi-identifier"}},
        "requirements": [{"id": "k-anonymity", "k": 3}],
        "algorithm": {"id": "k-optimize"},
    }
    full = sfumato.anonymize(table, asked)
    few = sfumato.anonymize(table, {**asked, "algorithm": {"id": "k-optimize", "max_splits": 3}})
    assert full.private.facts["search_space"] == 2**39
    assert few.private.facts["search_space"] == 2**3
    assert few.private.facts["splits"] == {"n": ["10", "20", "30"]}
    assert full.private.facts["cost"] == 12 * 9 + 16 < few.private.facts["cost"] == 4 * 100
    assert any("max_splits" in warning for warning in few.warnings)
    assert not any("max_splits" in warning for warning in full.warnings)
    assert few.certificate["algorithm"]["optimal"] is False


def test_a_category_without_an_order_is_refused_by_name() -> None:
    asked = {
        "columns": {"a": {"role": "quasi-identifier"}},
        "requirements": [{"id": "k-anonymity", "k": 1}],
        "algorithm": {"id": "k-optimize"},
    }
    with pytest.raises(BadRequest, match="has no order") as caught:
        sfumato.anonymize(sfumato.from_rows(["a"], [("x",), ("y",)]), asked)
    assert (caught.value.column, caught.value.parameter) == ("a", "k-optimize.orders")


@pytest.mark.parametrize(
    ("orders", "match"),
    [
        ({"b": ["x"]}, "not a quasi-identifier"),
        ({"a": ["x"]}, "leaves out 1 value"),
        ({"a": ["x", "y", "x"]}, "twice"),
        ({"n": [1, 2]}, "ordered by size"),
        ({"a": ["x", "y", "x..y"]}, "reads like a run"),
        ({"a": ["x", "y", "*"]}, "stands for all values"),
    ],
)
def test_wrong_orders_are_refused(orders: dict[str, Any], match: str) -> None:
    table = sfumato.from_rows(["a", "n"], [("x", 1), ("y", 2)])
    asked = {
        "columns": {"a": {"role": "quasi-identifier"}, "n": {"role": "quasi-identifier"}},
        "requirements": [{"id": "k-anonymity", "k": 1}],
        "algorithm": {"id": "k-optimize", "orders": {"a": ["x", "y"], **orders}},
    }
    with pytest.raises(BadRequest, match=match):
        sfumato.anonymize(table, asked)


def test_the_classification_metric_needs_a_class() -> None:
    document = policy(metric="classification-metric").document()
    for entry in document["columns"].values():
        if entry["role"] == "target":
            entry["role"] = "plain"
    with pytest.raises(BadRequest, match="role target") as caught:
        sfumato.anonymize(TABLE, document)
    assert caught.value.parameter == "k-optimize.metric"


def test_other_models_are_refused() -> None:
    asked = [{"id": "l-diversity-distinct", "l": 2, "sensitive": "Class"}]
    with pytest.raises(Unsupported, match="by size alone"):
        sfumato.anonymize(TABLE, policy(requirements=asked))
    asked = [{"id": "k-anonymity", "k": 2, "qid": ["Education"]}]
    with pytest.raises(Unsupported, match="suppress_at_most must be 0"):
        sfumato.anonymize(TABLE, policy(requirements=asked))


def test_fewer_records_than_k_is_infeasible() -> None:
    task = prepare(TABLE, policy(share=0.0)).task()
    from dataclasses import replace

    from sfumato.models.k_anonymity import KAnonymity

    with pytest.raises(Infeasible) as caught:
        KOptimize().run(replace(task, models=[KAnonymity(k=TABLE.rows + 1)]), Run.seeded(0))
    assert (caught.value.measured, caught.value.bound) == (TABLE.rows, TABLE.rows + 1)


@pytest.mark.parametrize(
    ("name", "value"),
    [("metric", "loss"), ("orders", ["a"]), ("max_splits", 0), ("rounds", -1), ("deadline", 0), ("node_limit", -1)],
)
def test_wrong_parameters_are_refused_by_name(name: str, value: Any) -> None:
    with pytest.raises(BadRequest) as caught:
        policy(**{name: value})
    assert caught.value.parameter == f"k-optimize.{name}"
