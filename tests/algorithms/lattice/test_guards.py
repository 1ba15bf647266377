"""Owners who guard nodes: the best levels are those of brute force, and what is published keeps every owner's wish."""

from __future__ import annotations

import random

import pytest

import sfumato
from oracles.lattice_tasks import close
from oracles.naive_guards import drawn_with_guards
from oracles.naive_lattice import drawn_metric
from sfumato.contracts.run import Run
from sfumato.errors import Infeasible, Unsupported
from sfumato.tables.prepare import prepare


@pytest.mark.parametrize("start", range(0, 120, 40))
def test_the_best_node_is_that_of_brute_force(start: int) -> None:
    for seed in range(start, start + 40):
        problem = drawn_with_guards(seed)
        metric = drawn_metric(random.Random(seed + 17), problem.names)
        where = f"seed {seed}, {problem.requirements}, {metric}"
        costs = {node: problem.cost(node, metric) for node in problem.satisfying()}
        policy = sfumato.Policy.of(problem.policy({"id": "optimal", "metric": metric}))
        task = prepare(sfumato.from_rows(list(problem.columns), problem.records), policy).task()
        if not costs:
            with pytest.raises(Infeasible):
                policy.search().run(task, Run.seeded(0))
            continue
        outcome = policy.search().run(task, Run.seeded(0))
        node = tuple(outcome.facts["levels"].values())
        assert close(outcome.facts["score"], min(costs.values())), where
        assert outcome.facts["left_out"] == problem.left_out(node), where
        gone = {row for row, kept in zip(problem.shown(node), problem.kept(node), strict=True) if not kept}
        assert set(outcome.suppressed) == gone, where


@pytest.mark.parametrize("algorithm", ["optimal", "mondrian"])
def test_what_is_published_keeps_every_wish(algorithm: str) -> None:
    published = 0
    for seed in range(40):
        problem = drawn_with_guards(seed)
        raw = sfumato.from_rows(list(problem.columns), problem.records)
        asked = {"limits": {"suppress_at_most": 1.0 if algorithm == "optimal" else 0.0}}
        try:
            release = sfumato.anonymize(raw, {**problem.policy({"id": algorithm}), **asked})
        except Infeasible:
            continue
        published += 1
        assert release.verdict.satisfied
        assert "guard" not in release.table.columns
    assert published > 5


def test_a_search_that_relies_on_merging_names_one_that_does_not() -> None:
    problem = drawn_with_guards(1)
    raw = sfumato.from_rows(list(problem.columns), problem.records)
    with pytest.raises(Unsupported) as caught:
        sfumato.anonymize(raw, {**problem.policy({"id": "tdr"}), "limits": {"suppress_at_most": 0.0}})
    assert "optimal" in caught.value.alternatives
