"""MinGen, Samarati's binary search, Incognito, Datafly and SPALM against brute force, and what they refuse."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any

import pytest

import sfumato
from oracles.lattice_tasks import close, run, search_of
from oracles.naive_groups import paths
from oracles.naive_lattice import Problem, Row, drawn, drawn_metric, lies_below
from sfumato.errors import BadRequest, Infeasible, Unsupported

Node = tuple[int, ...]


def problems(start: int, count: int, *, whole: bool = True, tagged: bool = False) -> Iterator[tuple[int, Problem]]:
    """Yield problems: with requirements on all columns, and such that nodes above a valid one are valid."""
    for seed in range(start, start + count):
        problem = drawn(seed)
        if whole and any("qid" in spec for spec in problem.requirements):
            continue
        if tagged and not search_of(problem, "loss").judge.upward:
            continue
        yield seed, problem


# ---- MinGen --------------------------------------------------------------------------------------------------------------


def test_mingen_lists_every_satisfying_node_and_takes_the_best() -> None:
    for seed, problem in problems(0, 40, whole=False):
        metric = drawn_metric(random.Random(seed), problem.names)
        valid = problem.satisfying()
        if not valid:
            with pytest.raises(Infeasible):
                run(problem, {"id": "mingen", "metric": metric})
            continue
        facts = run(problem, {"id": "mingen", "metric": metric}).facts
        assert facts["satisfying"] == valid, f"seed {seed}"
        assert facts["minimal"] == problem.minimal(), f"seed {seed}"
        assert facts["lattice"] == facts["checks"] == len(list(problem.nodes()))
        costs = {node: problem.cost(node, metric) for node in valid}
        assert close(facts["score"], min(costs.values())), f"seed {seed}, {metric}"
        assert all(close(costs[node], facts["score"]) for node in facts["best_nodes"]), f"seed {seed}, {metric}"
        best = min(facts["best_nodes"], key=lambda node: (sum(node), node))
        assert tuple(facts["levels"].values()) == best, f"seed {seed}, {metric}"


def test_mingen_refuses_a_lattice_that_is_too_large() -> None:
    with pytest.raises(BadRequest, match="node_limit"):
        run(drawn(1, columns=3), {"id": "mingen", "node_limit": 2})


def test_optimal_costs_are_ordered_as_they_must_be() -> None:
    """MinGen, Incognito and optimal agree, Datafly is never better, and a larger k never costs less."""
    for seed, problem in problems(40, 25):
        costs = []
        for k in (1, 2, 3):
            asked = replace(problem, requirements=({"id": "k-anonymity", "k": k},))
            if not asked.satisfying():
                break
            found = {
                name: run(asked, {"id": name, "metric": "minimal-distortion"}).facts["score"]
                for name in ("mingen", "incognito", "optimal", "datafly")
            }
            assert found["mingen"] == found["incognito"] == found["optimal"] <= found["datafly"], f"seed {seed}, k {k}"
            costs.append(found["optimal"])
        assert costs == sorted(costs), f"seed {seed}"
        assert costs[0] == 0.0


# ---- Incognito -----------------------------------------------------------------------------------------------------------


def test_incognito_finds_what_mingen_finds() -> None:
    found = 0
    for seed, problem in problems(100, 150, tagged=True):
        metric = drawn_metric(random.Random(seed), problem.names)
        if not problem.satisfying():
            with pytest.raises(Infeasible):
                run(problem, {"id": "incognito", "metric": metric})
            continue
        one = run(problem, {"id": "incognito", "metric": metric}).facts
        other = run(problem, {"id": "mingen", "metric": metric}).facts
        for fact in ("satisfying", "minimal", "levels", "score", "left_out"):
            assert one[fact] == other[fact], f"seed {seed}, {metric}, {fact}"
        for subset, nodes in one["by_subset"].items():
            at = [problem.names.index(name) for name in subset.split("+")]
            wanted = [
                node
                for node in product(*(range(problem.top[i] + 1) for i in at))
                if problem.valid(tuple(node[at.index(i)] if i in at else top for i, top in enumerate(problem.top)))
            ]
            assert nodes == wanted, f"seed {seed}, {subset}"
        found += 1
    assert found > 30


def test_variants_of_incognito_want_a_requirement_of_their_family() -> None:
    problem = replace(
        drawn(3, columns=2),
        requirements=({"id": "k-anonymity", "k": 1},),
        limit=0.0,
    )
    for algorithm in ("l-diversity-incognito", "t-closeness-incognito"):
        with pytest.raises(Unsupported, match=algorithm):
            run(problem, {"id": algorithm})
    diverse = replace(problem, requirements=({"id": "l-diversity-distinct", "l": 1, "sensitive": "s"},))
    assert run(diverse, {"id": "l-diversity-incognito"}).facts["levels"] == {"a0": 0, "a1": 0}
    near = replace(
        problem, requirements=({"id": "t-closeness", "t": 0.3, "ground_distance": "equal", "sensitive": "s"},)
    )
    facts = run(near, {"id": "t-closeness-incognito"}).facts
    assert facts["metric"] == {"id": "discernibility"}
    assert facts["satisfying"] == near.satisfying()


# ---- Samarati ------------------------------------------------------------------------------------------------------------


def test_samaratis_height_is_the_least_and_its_nodes_are_all() -> None:
    found = 0
    for seed, problem in problems(300, 150, whole=False, tagged=True):
        valid = problem.satisfying()
        if not valid:
            with pytest.raises(Infeasible):
                run(problem, {"id": "samarati-binary-search"})
            continue
        facts = run(problem, {"id": "samarati-binary-search"}).facts
        least = min(sum(node) for node in valid)
        lowest = [node for node in valid if sum(node) == least]
        assert facts["height"] == least, f"seed {seed}"
        assert facts["nodes"] == [(node, problem.left_out(node)) for node in lowest], f"seed {seed}"
        costs = {node: problem.cost(node, {"id": "minimal-distortion"}) for node in lowest}
        assert close(facts["score"], min(costs.values())), f"seed {seed}"
        assert tuple(facts["levels"].values()) in lowest, f"seed {seed}"
        found += 1
    assert found > 30


@pytest.mark.parametrize("algorithm", ["samarati-binary-search", "incognito"])
@pytest.mark.parametrize(
    ("requirement", "limit", "words"),
    [
        ({"id": "l-diversity-entropy", "l": 1.5, "sensitive": "s"}, 0.2, "leave records out"),
        ({"id": "l-diversity-recursive", "c": 1.5, "l": 2, "sensitive": "s"}, 0.2, "leave records out"),
        ({"id": "t-closeness", "t": 0.5, "ground_distance": "equal", "sensitive": "s"}, 0.2, "leave records out"),
        ({"id": "confidence-bounding", "value": "x", "h": 0.5, "sensitive": "s"}, 0.2, "leave records out"),
        ({"id": "alpha-k-anonymity", "alpha": 0.9, "k": 2, "sensitive": "s"}, 0.2, "leave records out"),
        ({"id": "delta-disclosure", "delta": 1.5, "sensitive": "s"}, 0.0, "kept under merging"),
        ({"id": "delta-disclosure", "delta": 1.5, "sensitive": "s"}, 0.2, "kept under merging"),
    ],
)
def test_requirements_that_allow_no_tags_are_refused(
    algorithm: str, requirement: dict[str, Any], limit: float, words: str
) -> None:
    problem = replace(drawn(2, columns=2), requirements=({"id": "k-anonymity", "k": 2}, requirement), limit=limit)
    with pytest.raises(Unsupported, match=words) as refusal:
        run(problem, {"id": algorithm})
    assert refusal.value.thing == requirement["id"]
    assert set(refusal.value.alternatives) == {"optimal", "mingen"}
    # Those it names take them.
    for other in refusal.value.alternatives:
        if problem.satisfying():
            run(problem, {"id": other})
        else:
            with pytest.raises(Infeasible):
                run(problem, {"id": other})


def test_incognito_refuses_requirements_on_part_of_the_columns() -> None:
    problem = replace(drawn(2, columns=2), requirements=({"id": "k-anonymity", "k": 2, "qid": ["a0"]},), limit=0.0)
    with pytest.raises(Unsupported, match="all quasi-identifiers"):
        run(problem, {"id": "incognito"})
    facts = run(problem, {"id": "samarati-binary-search"}).facts
    assert facts["height"] == min(sum(node) for node in problem.satisfying())


# ---- Datafly -------------------------------------------------------------------------------------------------------------


def climbed(problem: Problem) -> tuple[Node | None, list[tuple[str, int]]]:
    """Go up by the column that shows most different values, as the paper says."""
    node, trace = (0,) * len(problem.names), []
    while not problem.valid(node):
        shown = problem.shown(node)
        counts = [len({row[i] for row in shown}) if node[i] < top else 0 for i, top in enumerate(problem.top)]
        if not any(counts):
            return None, trace
        at = counts.index(max(counts))
        trace.append((problem.names[at], counts[at]))
        node = (*node[:at], node[at] + 1, *node[at + 1 :])
    return node, trace


def test_datafly_takes_the_steps_of_the_paper() -> None:
    steps = 0
    for seed, problem in problems(500, 80, whole=False):
        node, trace = climbed(problem)
        if node is None:
            with pytest.raises(Infeasible):
                run(problem, {"id": "datafly"})
            continue
        facts = run(problem, {"id": "datafly"}).facts
        assert facts["trace"] == trace, f"seed {seed}"
        assert tuple(facts["levels"].values()) == node, f"seed {seed}"
        assert facts["left_out"] == problem.left_out(node), f"seed {seed}"
        steps += len(trace)
    assert steps > 40


def test_datafly_does_not_deny_a_solution_that_it_passed_by() -> None:
    """Beside the way of Datafly a node may hold, if merging can break what holds."""
    denied = 0
    for _, problem in problems(2000, 400):
        if problem.satisfying() and climbed(problem)[0] is None:
            denied += 1
            with pytest.raises(Infeasible, match="though one may exist"):
                run(problem, {"id": "datafly"})
    assert denied > 0


def test_datafly_can_be_worse_than_mingen() -> None:
    worse = 0
    for _, problem in problems(600, 60):
        asked = replace(problem, requirements=({"id": "k-anonymity", "k": 2},))
        if asked.satisfying():
            greedy, best = (run(asked, {"id": name, "metric": "loss"}).facts["score"] for name in ("datafly", "mingen"))
            assert greedy >= best or close(greedy, best)
            worse += greedy > best + 1e-9
    assert worse > 0


def test_datafly_refuses_a_choice_that_is_none() -> None:
    with pytest.raises(BadRequest, match="attribute metric"):
        run(drawn(1, columns=2), {"id": "datafly", "choice": "loss"})


# ---- SPALM ---------------------------------------------------------------------------------------------------------------


def with_external(seed: int) -> tuple[Problem, list[Row]]:
    """Return a problem and a population that holds its rows, with values that its rows may lack."""
    rng = random.Random(seed)
    problem = replace(drawn(seed, columns=rng.choice([2, 3])), limit=0.0)
    domains = [[path[-1] for path in paths(tree)] for tree in problem.trees]
    others = [tuple(rng.choice(domain) for domain in domains) for _ in range(rng.randint(0, 12))]
    population = [*problem.rows, *others]
    rng.shuffle(population)
    return problem, population


def presence(problem: Problem, population: list[Row], node: Node) -> dict[Row, float]:
    """Return the share of the table in each group of the population."""
    inside = Counter(problem.shown(node))
    around = Counter(replace(problem, rows=tuple(population)).shown(node))
    return {key: inside[key] / count for key, count in around.items()}


def spalm(problem: Problem, population: list[Row], low: float, high: float, **more: Any) -> sfumato.Release:
    policy = problem.policy({"id": "spalm", **more}, metrics=["discernibility"])
    policy["requirements"] = [
        *more_requirements(problem),
        {"id": "delta-presence", "delta_min": low, "delta_max": high},
    ]
    table = sfumato.from_rows(problem.columns, problem.records)
    return sfumato.anonymize(table, policy, external=sfumato.from_rows(problem.names, population))


def more_requirements(problem: Problem) -> list[dict[str, Any]]:
    return [dict(spec) for spec in problem.requirements if spec["id"] == "k-anonymity" and "qid" not in spec]


def test_spalm_finds_the_nodes_that_hide_presence() -> None:
    found = 0
    for seed in range(40):
        problem, population = with_external(seed)
        low, high = random.Random(seed).choice([(0.0, 0.9), (0.2, 0.8), (0.4, 1.0), (0.0, 0.6)])
        asked = replace(problem, requirements=tuple(more_requirements(problem)))
        passing = [
            node
            for node in problem.nodes()
            if all(
                low * (1 - 1e-9) <= share <= high * (1 + 1e-9) for share in presence(problem, population, node).values()
            )
        ]
        for node in passing:  # the property is kept under generalization
            assert all(other in passing for other in problem.nodes() if lies_below(node, other)), f"seed {seed}"
        valid = [node for node in passing if asked.valid(node)]
        if not valid:
            with pytest.raises(Infeasible):
                spalm(problem, population, low, high)
            continue
        release = spalm(problem, population, low, high)
        facts = release.private.facts
        costs = {node: asked.cost(node, {"id": "discernibility"}) for node in valid}
        assert facts["satisfying"] == valid, f"seed {seed}"
        assert facts["score"] == min(costs.values()) == release.measured["discernibility"].value, f"seed {seed}"
        assert facts["best_nodes"] == [node for node in valid if costs[node] == facts["score"]], f"seed {seed}"
        node = min(facts["best_nodes"], key=lambda one: (sum(one), one))
        assert tuple(facts["levels"].values()) == node, f"seed {seed}"
        assert dict(facts["presence"]) == pytest.approx(presence(problem, population, node)), f"seed {seed}"
        found += 1
    assert found > 10


@pytest.fixture
def inside() -> tuple[Problem, list[Row]]:
    tree = {"value": "r", "children": [{"value": "a"}, {"value": "b"}]}
    rows = (("a",), ("a",), ("b",))
    problem = Problem(rows, (tree,), (False,), ("x",) * 3, ("Y",) * 3, (), 0.0)
    return problem, [*rows, ("b",)]


def test_spalm_needs_the_population(inside: tuple[Problem, list[Row]]) -> None:
    problem, population = inside
    policy = problem.policy({"id": "spalm"})
    policy["requirements"] = [{"id": "delta-presence", "delta_min": 0.0, "delta_max": 0.8}]
    with pytest.raises(BadRequest, match="external"):
        sfumato.anonymize(sfumato.from_rows(problem.columns, problem.records), policy)
    with pytest.raises(BadRequest, match="quasi-identifier"):
        sfumato.anonymize(
            sfumato.from_rows(problem.columns, problem.records), policy, external=sfumato.from_rows(["b"], population)
        )


@pytest.mark.parametrize("population", [[("a",), ("a",)], [("a",), ("b",), ("b",), ("b",)]])
def test_spalm_refuses_a_population_that_lacks_somebody(
    inside: tuple[Problem, list[Row]], population: list[Row]
) -> None:
    with pytest.raises(BadRequest, match="1 records of the table are not in the external table"):
        spalm(inside[0], population, 0.0, 0.9)


def test_spalm_says_which_share_is_out_of_reach(inside: tuple[Problem, list[Row]]) -> None:
    for low, high in ((0.0, 0.5), (0.8, 1.0)):
        with pytest.raises(Infeasible) as refusal:
            spalm(*inside, low, high)
        assert refusal.value.measured == 0.75
        assert refusal.value.bound == f"{low:g} to {high:g}"
        assert refusal.value.requirement == "delta-presence"


def test_spalm_refuses_what_it_does_not_promise(inside: tuple[Problem, list[Row]]) -> None:
    problem, population = inside
    table, external = (
        sfumato.from_rows(problem.columns, problem.records),
        sfumato.from_rows(problem.names, population),
    )
    presence = {"id": "delta-presence", "delta_min": 0.0, "delta_max": 0.9}
    for requirements, limit in (
        ([{"id": "k-anonymity", "k": 2}], 0.0),
        ([presence, {**presence, "delta_max": 0.8}], 0.0),
        ([presence], 0.1),
    ):
        policy = {**problem.policy({"id": "spalm"}), "requirements": requirements}
        policy["limits"] = {"suppress_at_most": limit}
        with pytest.raises(Unsupported):
            sfumato.anonymize(table, policy, external=external)
    both = {**problem.policy({"id": "spalm"}), "requirements": [presence, {"id": "k-anonymity", "k": 4}]}
    with pytest.raises(Infeasible):
        sfumato.anonymize(table, both, external=external)


def test_spalm_takes_values_of_the_population_that_the_table_lacks() -> None:
    """A bare column has the values of both tables; those of the population alone are groups without a record."""
    problem = Problem(
        (("a",), ("b",)),
        ({"value": "*", "children": [{"value": "a"}, {"value": "b"}]},),
        (True,),
        ("x", "y"),
        ("Y", "N"),
        (),
        0.0,
    )
    population = [("a",), ("a",), ("b",), ("b",), ("c",)]
    assert spalm(problem, population, 0.0, 0.5).private.facts["satisfying"] == [(0,), (1,)]
    assert spalm(problem, population, 0.3, 0.5).private.facts["satisfying"] == [(1,)]
