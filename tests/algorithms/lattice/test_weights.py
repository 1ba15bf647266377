"""Sampling weights: metrics are those of the table with repeated rows, requirements count records, k-map adds weights up."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sfumato
from oracles.lattice_tasks import close, task_of
from oracles.naive_lattice import cost_of, drawn_metric
from oracles.naive_weights import WeightedProblem, drawn_with_weights
from sfumato.algorithms.lattice._release import published_at
from sfumato.algorithms.lattice._search import LatticeSearch
from sfumato.catalogue import build
from sfumato.contracts.algorithm import Task
from sfumato.contracts.run import Run
from sfumato.data.compressed import Weighed
from sfumato.errors import BadRequest, Infeasible, Unsupported


def weighted_task(problem: WeightedProblem, unit: float = 1) -> Task:
    """Return the task that asks for the same; weights may be counted in a smaller unit."""
    task = task_of(problem)
    table = task.table
    place = [{value: code for code, value in enumerate(table.dictionaries[name].values)} for name in problem.columns]
    rows = {tuple(row): at for at, row in enumerate(np.hstack([table.codes, table.extra_codes]).tolist())}
    sums = np.zeros(len(table), np.int64 if unit == 1 else np.float64)
    for record, weight in zip(problem.records, problem.weights, strict=True):
        sums[rows[tuple(known[value] for known, value in zip(place, record, strict=True))]] += weight * unit
    light, heavy = min(problem.weights) * unit, max(problem.weights) * unit
    return replace(task, weighed=Weighed.of(table, sums, light, heavy, people=True))


@pytest.mark.parametrize("start", range(0, 150, 50))
def test_the_best_node_is_that_of_brute_force_on_repeated_rows(start: int) -> None:
    for seed in range(start, start + 50):
        problem = drawn_with_weights(seed)
        metric = drawn_metric(random.Random(seed + 17), problem.names)
        where = f"seed {seed}, {problem.requirements}, {metric}"
        costs = {node: problem.cost(node, metric) for node in problem.satisfying()}
        search = build({"id": "optimal", "metric": metric}, "algorithm")
        if not costs:
            with pytest.raises(Infeasible):
                search.run(weighted_task(problem), Run.seeded(0))
            continue
        outcome = search.run(weighted_task(problem), Run.seeded(0))
        node = tuple(outcome.facts["levels"].values())
        assert close(outcome.facts["score"], min(costs.values())), where
        assert outcome.facts["left_out"] == problem.left_out(node), where
        gone = {row for row, kept in zip(problem.shown(node), problem.kept(node), strict=True) if not kept}
        assert set(outcome.suppressed) == gone, where


@pytest.mark.parametrize("start", [0, 30, 1050])
def test_weights_that_are_not_whole_cost_what_they_cost_in_a_smaller_unit(start: int) -> None:
    for seed in range(start, start + 30):
        problem = drawn_with_weights(seed)
        problem = replace(problem, requirements=({"id": "k-anonymity", "k": 2},))
        metric = drawn_metric(random.Random(seed + 17), problem.names)
        # A quarter of a person is a number like any other: sums shrink by four, squares by sixteen, shares not at all.
        power = 2 if metric["id"] == "discernibility" else 1
        if metric["id"] in ("loss", "precision", "classification-metric", "kl-divergence") or metric.get("normalized"):
            power = 0
        if metric == {"id": "kl-divergence", "variant": "arx"}:
            power = 1
        searches = [LatticeSearch(weighted_task(problem, unit), build(dict(metric), "metric")) for unit in (1, 0.25)]
        for node in problem.nodes():
            whole, part = (search.score(search.count([node])[0]) for search in searches)
            # Geometric means are taken of sums plus 1, which have no unit.
            if power != 1 or metric.get("aggregate") != "geometric-mean":
                assert close(whole, part * 4**power), f"seed {seed}, {metric}, {node}"
            measured = searches[1].metric.measure(published_at(searches[1], node)).value
            assert close(part, measured), f"seed {seed}, {metric}, {node}"
            assert close(whole, problem.cost(node, metric)), f"seed {seed}, {metric}, {node}"


def test_bounds_hold_where_weights_are_small() -> None:
    for seed in range(60):
        problem = drawn_with_weights(seed)
        metric = drawn_metric(random.Random(seed + 17), problem.names)
        search = LatticeSearch(weighted_task(problem, 0.25), build(dict(metric), "metric"))
        search.run()
        every = LatticeSearch(weighted_task(problem, 0.25), build(dict(metric), "metric")).exhaust()
        assert (search.best is None) == (not every)
        if search.best is not None:
            assert close(search.best.score, every[0].score), f"seed {seed}, {metric}"


# ---- the whole way -------------------------------------------------------------------------------------------------------


def asked(problem: WeightedProblem, metrics: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    policy = problem.policy({"id": "optimal", "metric": "loss"}, metrics=metrics, weights="w", **more)
    policy["columns"]["w"] = {"role": "private"}
    return policy


METRICS = [
    {"id": "loss"},
    {"id": "precision"},
    {"id": "non-uniform-entropy"},
    {"id": "minimal-distortion"},
    {"id": "iloss"},
    {"id": "discernibility"},
    {"id": "average-group-size"},
    {"id": "classification-metric"},
    {"id": "ambiguity"},
    {"id": "entropy-based-information-loss"},
    {"id": "kl-divergence"},
]


def test_certified_metrics_are_those_of_repeated_rows() -> None:
    tried = 0
    for seed in range(40):
        problem = drawn_with_weights(seed)
        rows = [(*record, weight) for record, weight in zip(problem.records, problem.weights, strict=True)]
        raw = sfumato.from_rows([*problem.columns, "w"], rows)
        if not problem.satisfying():
            continue
        policy = asked(problem, METRICS, population="weights")
        release = sfumato.anonymize(raw, policy)
        node = tuple(release.private.facts["levels"].values())
        case = problem.case(node)
        measured = {one.metric: one.value for one in release.certificate.metrics}
        for metric in METRICS:
            where = f"seed {seed}, {metric}, {problem.requirements}"
            assert close(measured[metric["id"]], cost_of(case, metric, problem.names)), where
        again = sfumato.measure(raw, release, METRICS, policy=policy)
        assert all(close(found.value, measured[name]) for name, found in again.items())
        assert "w" not in release.table.columns
        tried += 1
    assert tried > 20


ROWS = [("a", 20, 3.5), ("a", 30, 2.0), ("b", 20, 1.0), ("b", 40, 9.0), ("c", 20, 2.5), ("c", 30, 7.25)]
COLUMNS = {
    "job": {"role": "quasi-identifier"},
    "age": {"role": "quasi-identifier", "hierarchy": {"id": "intervals", "lower": 20, "width": 10, "fan_out": [2, 2]}},
    "w": {"role": "private"},
}


def small(**more: Any) -> dict[str, Any]:
    return {
        "columns": COLUMNS,
        "requirements": [{"id": "k-map", "k": 5}],
        "algorithm": {"id": "optimal"},
        "weights": "w",
        "population": "weights",
        **more,
    }


def test_k_map_counts_the_persons_that_records_stand_for(tmp_path: Path) -> None:
    raw = sfumato.from_rows(["job", "age", "w"], ROWS)
    release = sfumato.anonymize(raw, small())
    assert release.verdict.satisfied
    published = release.table.groups(["job", "age"]).as_dict()
    people: dict[Any, float] = {}
    shown = sfumato.anonymize(raw, small(output={"row_order": "keep"})).table.to_rows()
    for row, (_, _, weight) in zip(shown, ROWS, strict=True):
        people[row] = people.get(row, 0) + weight
    assert set(people) == set(published)
    assert min(people.values()) >= 5
    assert next(iter(release.verdict)).strongest == min(people.values())
    assert min(published.values()) == 1  # records may be alone: who looks for them finds five persons
    assert any("which is an estimate" in text for text in release.warnings)
    assert not any("requirements count records" in text for text in release.warnings)
    sfumato.publish(release, tmp_path / "out")
    assert [entry.name for entry in sfumato.verify(tmp_path / "out").left] == ["k-map"]


def test_weights_that_cannot_be_read_are_refused() -> None:
    raw = sfumato.from_rows(["job", "age", "w"], ROWS)
    with pytest.raises(BadRequest, match="not a column"):
        sfumato.anonymize(raw, small(weights="v"))
    with pytest.raises(BadRequest, match="role quasi-identifier"):
        sfumato.anonymize(raw, small(weights="age"))
    with pytest.raises(BadRequest, match="positive"):
        sfumato.anonymize(sfumato.from_rows(["job", "age", "w"], [*ROWS, ("a", 20, 0.0)]), small())
    with pytest.raises(BadRequest, match="missing"):
        sfumato.anonymize(sfumato.from_rows(["job", "age", "w"], [*ROWS, ("a", 20, None)]), small())
    with pytest.raises(BadRequest, match="more persons than a record can stand for"):
        sfumato.anonymize(sfumato.from_rows(["job", "age", "w"], [*ROWS, ("a", 20, 1e308)]), small())
    with pytest.raises(BadRequest, match=r"weights must be numbers, got 'text'$"):
        sfumato.anonymize(sfumato.from_rows(["job", "age", "w"], [(*row[:2], "three") for row in ROWS]), small())
    with pytest.raises(BadRequest, match="needs weights"):
        sfumato.anonymize(raw, small(weights=None))
    with pytest.raises(Unsupported, match="unread") as caught:
        sfumato.anonymize(raw, small(algorithm={"id": "mondrian"}))
    assert list(caught.value.alternatives) == ["optimal"]
    with pytest.raises(Unsupported, match="local_recoding"):
        sfumato.anonymize(
            raw,
            small(
                requirements=[{"id": "k-anonymity", "k": 2}],
                algorithm={"id": "optimal", "local_recoding": True},
                population=None,
            ),
        )
