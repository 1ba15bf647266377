"""Classification by quasi-identifiers: predicted from the others as counted row by row, at every node and at the best one."""

from __future__ import annotations

import random

import pytest

from oracles.lattice_tasks import close, search_of
from oracles.naive_lattice import drawn
from sfumato.algorithms.lattice._release import published_at
from sfumato.catalogue import build
from sfumato.errors import BadRequest


@pytest.mark.parametrize("start", range(0, 90, 30))
def test_a_quasi_identifier_is_predicted_from_the_others_as_counted_row_by_row(start: int) -> None:
    """At every node of a random lattice; and the best node is that of brute force."""
    for seed in range(start, start + 30):
        problem, rng = drawn(seed), random.Random(seed)
        named = rng.sample(problem.names, rng.randint(1, len(problem.names)))
        variant, x = rng.choice(["literature", "arx"]), rng.choice([0.0, 0.2, 0.5, 0.7, 1.0])
        asked = {"id": "classification-metric", "variant": variant, "gs_factor": x, "response": named}
        search = search_of(problem, asked)
        costs = {}
        for node in problem.nodes():
            case = problem.case(node)
            parts = [case.predicted(problem.names.index(name), variant, x) for name in named]
            found = search.score(search.count([node])[0])
            assert close(found, sum(parts)), f"seed {seed}, {asked}, {node}"
            if problem.valid(node):
                costs[node] = sum(parts)
        other = search_of(problem, asked)
        other.run()
        assert (other.best is None) == (not costs)
        if other.best is not None:
            assert close(other.best.score, min(costs.values())), f"seed {seed}, {asked}"


def test_a_response_that_is_no_column_is_said() -> None:
    problem = drawn(3)
    search = search_of(problem, {"id": "classification-metric", "response": ["a0"]})
    (node, *_) = problem.nodes()
    metric = build({"id": "classification-metric", "response": ["b"]}, "metric")
    assert "predicts b" in metric.applies(published_at(search, node))
    with pytest.raises(BadRequest, match="different columns"):
        build({"id": "classification-metric", "response": ["a", "a"]}, "metric")
