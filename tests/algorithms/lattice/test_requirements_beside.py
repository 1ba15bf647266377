"""Requirements on people, payouts, all sizes together or few values at a time: the best node is that of brute force."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from oracles.lattice_tasks import close, task_of
from oracles.naive_lattice import drawn_metric
from oracles.naive_population import drawn_among_people
from sfumato.catalogue import build
from sfumato.contracts.run import Run
from sfumato.engines import from_rows
from sfumato.errors import BadRequest, Infeasible


@pytest.mark.parametrize("start", range(0, 120, 40))
def test_the_best_node_is_that_of_brute_force(start: int) -> None:
    for seed in range(start, start + 40):
        problem = drawn_among_people(seed)
        metric = drawn_metric(random.Random(seed + 17), problem.names)
        where = f"seed {seed}, {problem.requirements}, {metric}"
        costs = {node: problem.cost(node, metric) for node in problem.satisfying()}
        task = replace(task_of(problem), external=from_rows(list(problem.names), [*problem.rows, *problem.others]))
        search = build({"id": "optimal", "metric": metric}, "algorithm")
        if not costs:
            with pytest.raises(Infeasible):
                search.run(task, Run.seeded(0))
            continue
        outcome = search.run(task, Run.seeded(0))
        facts, node = outcome.facts, tuple(outcome.facts["levels"].values())
        assert close(facts["score"], min(costs.values())), where
        assert facts["left_out"] == problem.left_out(node), where
        assert (facts["groups"], facts["groups_kept"]) == problem.groups(node), where
        gone = {row for row, kept in zip(problem.shown(node), problem.kept(node), strict=True) if not kept}
        assert set(outcome.suppressed) == gone, where


def test_a_population_that_is_missing_or_too_small_is_refused() -> None:
    problem = replace(drawn_among_people(3), requirements=({"id": "k-map", "k": 2},))
    search, task = build("optimal", "algorithm"), task_of(problem)
    with pytest.raises(BadRequest, match="table of the population"):
        search.run(task, Run.seeded(0))
    with pytest.raises(BadRequest, match="not in the external table"):
        search.run(replace(task, external=from_rows(list(problem.names), problem.rows[1:])), Run.seeded(0))
