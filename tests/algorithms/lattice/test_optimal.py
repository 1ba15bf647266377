"""The optimal search against brute force: every choice of levels applied to the rows and counted one by one."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sfumato
import sfumato.algorithms.lattice._search as lattice_search
import sfumato.searches.lattice as lattice
from oracles.lattice_tasks import close, run, search_of, task_of
from oracles.naive_lattice import Problem, Spec, drawn, drawn_metric, lies_below
from sfumato.algorithms.lattice._heuristics import begin
from sfumato.algorithms.lattice._release import groups_left_out, published_at
from sfumato.algorithms.lattice._search import LatticeSearch, ordered
from sfumato.catalogue import build
from sfumato.contracts.run import Run
from sfumato.errors import BadRequest, Infeasible, Unsupported

Node = tuple[int, ...]
Solved = tuple[int, Problem, Spec, dict[Node, float]]


METRICS: list[Spec] = [
    *({"id": "loss", "aggregate": how, "gs_factor": x} for how in ("mean", "geometric-mean") for x in (0.0, 0.5, 0.8)),
    {"id": "loss", "aggregate": "maximum", "weights": {"a0": 3}},
    *({"id": "precision", "variant": v, "gs_factor": x} for v in ("literature", "monotone") for x in (0.1, 0.5)),
    *({"id": "non-uniform-entropy", "variant": v} for v in ("literature", "arx", "monotone")),
    {"id": "non-uniform-entropy", "normalized": True, "aggregate": "maximum"},
    {"id": "minimal-distortion"},
    {"id": "iloss"},
    {"id": "normalized-certainty-penalty"},
    *({"id": "discernibility", "variant": v} for v in ("literature", "monotone")),
    {"id": "average-group-size"},
    *({"id": "average-group-size", "variant": "arx", "gs_factor": x} for x in (0.2, 0.5, 0.9)),
    *({"id": "classification-metric", "variant": v} for v in ("literature", "arx")),
    {"id": "ambiguity"},
    *({"id": "kl-divergence", "variant": v} for v in ("literature", "arx")),
]


def solved(start: int, count: int, **more: Any) -> Iterator[Solved]:
    """Yield problems with a metric and the cost of every valid node."""
    for seed in range(start, start + count):
        problem = drawn(seed, **more)
        metric = drawn_metric(random.Random(seed + 17), problem.names)
        yield seed, problem, metric, {node: problem.cost(node, metric) for node in problem.satisfying()}


def best_of(costs: dict[Node, float]) -> list[Node]:
    """Return the nodes of least cost, up to rounding, in order of the tie rule."""
    least = min(costs.values())
    return sorted((node for node, cost in costs.items() if close(cost, least)), key=lambda node: (sum(node), node))


# ---- against brute force -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("start", range(0, 320, 20))
def test_the_best_node_is_that_of_brute_force(start: int) -> None:
    for seed, problem, metric, costs in solved(start, 20):
        where = f"seed {seed}, {metric}"
        if not costs:
            with pytest.raises(Infeasible):
                run(problem, {"id": "optimal", "metric": metric})
            continue
        outcome = run(problem, {"id": "optimal", "metric": metric, "solutions": 1000})
        facts = outcome.facts
        node, best = tuple(facts["levels"].values()), best_of(costs)
        assert close(facts["score"], min(costs.values())), where
        assert node in best, where
        assert facts["left_out"] == problem.left_out(node), where
        assert (facts["groups"], facts["groups_kept"]) == problem.groups(node), where
        assert facts["bound"] == facts["score"], where
        assert outcome.optimal, where
        assert facts["gap"] == 0.0, where
        assert facts["checks"] <= facts["lattice"] == len(list(problem.nodes())), where
        # Ties go by cost in steps of 2^-40, then to the lower node, then to the one that masks later columns.
        every = search_of(problem, metric)
        scores = {found.node: found.score for found in every.exhaust()}
        assert sorted(scores) == sorted(costs), where
        assert node == min(scores, key=lambda other: ordered(scores[other], other)), where
        if len({ordered(scores[other], other)[0] for other in best}) == 1:
            assert node == best[0], where
        for one in facts["solutions"]:
            assert close(one["score"], costs[tuple(one["levels"].values())]), where
        # What is left out are the groups that fail, and no others.
        gone = {row for row, kept in zip(problem.shown(node), problem.kept(node), strict=True) if not kept}
        assert set(outcome.suppressed) == gone, where


@pytest.mark.parametrize("start", range(5000, 5120, 20))
def test_what_is_counted_at_every_node_is_what_is_published_there(start: int) -> None:
    """Groups, records left out and the cost of every node: in the search, by hand, and by the metric itself."""
    for seed in range(start, start + 20):
        problem = drawn(seed)
        metric = METRICS[seed % len(METRICS)] if seed % 3 else drawn_metric(random.Random(seed), problem.names)
        search = search_of(problem, metric)
        nodes = list(problem.nodes())
        assert list(search.lattice.nodes()) == nodes
        # From whatever table is at hand: some orders make groups of a node from far below, some from just below.
        random.Random(seed).shuffle(nodes)
        for node in nodes:
            tally = search.count([node])[0]
            where = f"seed {seed}, {metric}, node {node}"
            assert tally.left_out == problem.left_out(node), where
            assert (tally.groups, tally.kept) == problem.groups(node), where
            assert search.valid(tally) == problem.valid(node), where
            if tally.kept:
                assert close(search.score(tally), problem.cost(node, metric)), where
        for node in nodes[:3]:
            if search.tallies[node].kept:
                published = published_at(search, node)
                assert close(search.scores[node], search.metric.measure(published).value), f"seed {seed}, {metric}"


@pytest.mark.parametrize("start", range(9000, 9040, 8))
def test_the_release_is_the_best_one_and_measures_what_the_search_said(start: int) -> None:
    for seed, problem, metric, costs in solved(start, 8):
        if any("qid" in spec for spec in problem.requirements) or not costs:
            continue
        where = f"seed {seed}, {metric}"
        raw = sfumato.from_rows(problem.columns, problem.records)
        policy = problem.policy({"id": "optimal", "metric": metric}, metrics=[metric], output={"row_order": "keep"})
        release = sfumato.anonymize(raw, policy)
        facts = release.private.facts
        node = tuple(facts["levels"].values())
        kept = problem.kept(node)
        assert node in best_of(costs), where
        assert release.counts["records_suppressed"] == kept.count(False), where
        assert release.counts["groups_on_all_quasi_identifiers"] == problem.groups(node)[1], where
        wide = len(problem.names)
        assert [row[:wide] for row in release.table.to_rows()] == [
            row for row, stays in zip(problem.shown(node), kept, strict=True) if stays
        ], where
        measured = sfumato.measure(raw, release, metric)
        assert close(measured.value, facts["score"]), where
        assert close(release.measured[metric["id"]].value, facts["score"]), where
        assert release.certificate["algorithm"]["optimal"], where


@pytest.mark.parametrize("start", [20_000, 21_000])
def test_levels_stay_within_bounds_and_ranks_decide_one_after_the_other(start: int) -> None:
    told = 0
    for seed in range(start, start + 30):
        problem, rng = drawn(seed), random.Random(seed)
        low = tuple(rng.randint(0, top) if rng.random() < 0.4 else 0 for top in problem.top)
        high = tuple(
            rng.randint(a, top) if rng.random() < 0.4 else top for a, top in zip(low, problem.top, strict=True)
        )
        task = task_of(problem)
        bounds = [(a, None if b == top else b) for a, b, top in zip(low, high, problem.top, strict=True)]
        attributes = [replace(one, levels=pair) for one, pair in zip(task.attributes, bounds, strict=True)]
        metric = {"id": "loss", "aggregate": "rank"}
        parts = {
            node: sorted((problem.case(node).loss(i, 0.5) for i in range(len(problem.names))), reverse=True)
            for node in problem.satisfying()
            if lies_below(low, node) and lies_below(node, high)
        }
        search = build({"id": "optimal", "metric": metric}, "algorithm")
        if not parts:
            with pytest.raises(Infeasible):
                search.run(replace(task, attributes=attributes), Run.seeded(0))
            continue
        facts = search.run(replace(task, attributes=attributes), Run.seeded(0)).facts
        best = min(parts.values(), key=lambda costs: [round(cost, 9) for cost in costs])
        assert parts[tuple(facts["levels"].values())] == pytest.approx(best, abs=1e-9), f"seed {seed}"
        explored = search.explore(
            replace(task, attributes=attributes), Run.seeded(0), top=1, every=seed % 2 == 0, ks=()
        )
        assert explored.solutions[0].levels == facts["levels"], f"seed {seed}"
        assert seed % 2 or len(explored.solutions) == len(parts), f"seed {seed}"
        told += 1
    assert told > 10


def test_larger_lattices_are_searched_as_if_every_node_were_counted() -> None:
    saved = total = 0
    for seed in range(300, 345):
        rng = random.Random(seed)
        problem = drawn(seed, rows=rng.choice([40, 120]), columns=rng.choice([3, 4, 5]), most_nodes=400)
        metric = drawn_metric(rng, problem.names)
        every, quick = search_of(problem, metric), search_of(problem, metric)
        found = every.exhaust()
        assert quick.run() is None
        assert quick.best == (found[0] if found else None), f"seed {seed}, {metric}"
        saved, total = saved + every.checks - quick.checks, total + every.checks
    assert saved > 0.2 * total  # the rules rule something out


def test_a_sweep_from_the_top_finds_what_counting_every_node_finds() -> None:
    """Groups that merging may drag along: what fails a node need not fail below it, though a part of it must."""
    saved = total = found_best = 0
    for seed in range(700, 730):
        rng = random.Random(seed)
        problem = drawn(seed, rows=rng.choice([60, 150]), columns=rng.choice([3, 4]), most_nodes=400)
        close = {"id": "t-closeness", "t": rng.choice([0.1, 0.3, 0.5]), "sensitive": "s", "ground_distance": "equal"}
        small = {"id": "k-anonymity", "k": rng.choice([1, 2, 4])}
        problem = replace(problem, requirements=(small, close), limit=rng.choice([0.1, 0.5, 1.0]))
        metric = {"id": "loss", "aggregate": rng.choice(["mean", "geometric-mean", "maximum", "sum"])}
        every, quick = search_of(problem, metric), search_of(problem, metric)
        assert quick.sweeps == (every.lattice.size > 12)
        found = every.exhaust()
        begin(quick, lambda: None)
        assert quick.run() is None
        assert quick.best == (found[0] if found else None), f"seed {seed}, {metric}"
        saved, total, found_best = saved + every.checks - quick.checks, total + every.checks, found_best + bool(found)
    assert found_best > 20
    assert saved > 0.2 * total


# ---- floors --------------------------------------------------------------------------------------------------------------


class Watched(lattice_search.Space):
    """A space that compares every floor with the truth, whenever a node was counted."""

    truth: dict[Node, float]
    compared = 0

    def _settle(self, tally: Any) -> None:
        super()._settle(tally)
        for place in np.flatnonzero((self.floors < inf) & (self.floors > -inf)).tolist():
            node = self._node(place)
            if node in self.truth:
                cost = self.truth[node]
                assert self.floors[place] <= cost + 1e-9 * abs(cost) + 1e-12, (node, tally.node)
                Watched.compared += 1


def test_no_floor_is_above_the_cost_of_a_valid_node(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lattice_search, "Space", Watched)
    for number, metric in enumerate(METRICS):
        for seed in range(600 + 10 * number, 608 + 10 * number):
            rng = random.Random(seed)
            problem = replace(drawn(seed, rows=rng.choice([None, 30])), limit=rng.choice([0.0, 0.3, 0.5, 1.0]))
            truth, search = search_of(problem, metric), search_of(problem, metric)
            Watched.truth = {found.node: found.score for found in truth.exhaust()}
            search.run()
            for node, cost in Watched.truth.items():
                assert search.cost.at_least(node) <= cost + 1e-9 * abs(cost) + 1e-12, f"seed {seed}, {metric}"
            check_rules(truth, f"seed {seed}, {metric}")
    assert Watched.compared > 500


@pytest.mark.parametrize("metric", METRICS, ids=str)
def test_a_large_group_that_is_left_out_lowers_the_cost_and_no_floor_forgets_it(metric: Spec) -> None:
    """Six of nine records go at the only valid node; where that is cheaper than masking them, floors must allow for it."""
    children = [{"value": "A", "children": [{"value": "a1"}, {"value": "a2"}]}]
    children += [{"value": upper, "children": [{"value": upper.lower()}]} for upper in "BC"]
    problem = Problem(
        rows=(("a1",), ("a2",), ("b",), *[("c",)] * 6),
        trees=({"value": "r", "children": children},),
        bare=(False,),
        sensitive=("x", "y", "y", *"xxxxxx"),
        classes=tuple("YNYYYNNYN"),
        requirements=({"id": "confidence-bounding", "value": "x", "h": 0.5, "sensitive": "s"},),
        limit=0.67,
    )
    assert problem.satisfying() == [(1,)]
    assert problem.left_out((1,)) == 6
    search = search_of(problem, metric)
    cost = search.exhaust()[0].score
    assert close(cost, problem.cost((1,), metric))
    assert search.cost.at_least((1,)) <= cost + 1e-12
    assert search.cost.floors(search.lattice)[1] <= cost + 1e-12
    check_rules(search, str(metric))


def check_rules(search: LatticeSearch, where: str) -> None:
    """Compare what a counted node says of the nodes above and below it with what was counted there."""
    for tally in search.tallies.values():
        rising, below = search.cost.rising(tally), search.cost.below(tally)
        for other in search.tallies.values():
            if not search.valid(other):
                continue
            cost = search.score(other) + 1e-9 * abs(search.score(other)) + 1e-12
            if lies_below(tally.node, other.node):
                assert rising <= cost, f"{where}, {other.node} above {tally.node}"
            if lies_below(other.node, tally.node):
                assert below <= cost, f"{where}, {other.node} below {tally.node}"


def test_a_node_that_fails_does_not_raise_the_floor_above_it() -> None:
    """Records that a failing node leaves out are charged there, and a node above it may keep them all."""
    problem = drawn(4677)
    problem = replace(problem, requirements=({"id": "k-anonymity", "k": 2},), limit=0.0)
    costs = {node: problem.cost(node, {"id": "ambiguity"}) for node in problem.satisfying()}
    assert len(costs) > 2
    facts = run(problem, {"id": "optimal", "metric": "ambiguity"}).facts
    assert tuple(facts["levels"].values()) == best_of(costs)[0]


def test_variants_that_merging_can_lower_are_searched_without_that_rule() -> None:
    """A tie costs ARX the whole group; one more record of the group above settles it."""
    problem = Problem(
        rows=(("a0.v0",), ("a0.v0",), ("a0.v1",)),
        trees=({"value": "*", "children": [{"value": "a0.v0"}, {"value": "a0.v1"}]},),
        bare=(True,),
        sensitive=("x", "x", "x"),
        classes=("Y", "N", "Y"),
        requirements=({"id": "k-anonymity", "k": 1},),
        limit=0.0,
    )
    metric = {"id": "classification-metric", "variant": "arx"}
    assert problem.cost((1,), metric) < problem.cost((0,), metric)
    for algorithm in ("optimal", "incognito", "mingen"):
        assert run(problem, {"id": algorithm, "metric": metric}).facts["levels"] == {"a0": 1}, algorithm


# ---- levels that the policy chooses --------------------------------------------------------------------------------------


def test_chosen_levels_are_published_if_they_hold() -> None:
    for seed in range(60, 80):
        problem = drawn(seed)
        for node in random.Random(seed).sample(list(problem.nodes()), 2):
            asked = {"id": "optimal", "levels": dict(zip(problem.names, node, strict=True))}
            if problem.valid(node):
                outcome = run(problem, asked)
                assert tuple(outcome.facts["levels"].values()) == node
                assert close(outcome.facts["score"], problem.cost(node, {"id": "loss"}))
                assert not outcome.optimal
                assert not outcome.warnings
                assert outcome.stopped is None
            else:
                with pytest.raises(Infeasible) as refusal:
                    run(problem, asked)
                assert refusal.value.measured == problem.left_out(node)
                assert refusal.value.bound == problem.budget


@pytest.mark.parametrize(
    ("levels", "named"),
    [
        ({"a0": 1}, "levels"),
        ({"a0": 1, "a1": 0, "a2": 0}, "levels"),
        ({"a0": 9, "a1": 0}, "a0"),
        ({"a0": -1, "a1": 0}, "levels"),
        ({"a0": True, "a1": 0}, "levels"),
        ({"a0": 1.0, "a1": 0}, "levels"),
        ("a0", "levels"),
    ],
)
def test_levels_that_are_none_are_refused(levels: Any, named: str) -> None:
    problem = replace(drawn(1, columns=2), requirements=({"id": "k-anonymity", "k": 1},))
    with pytest.raises(BadRequest) as refusal:
        run(problem, {"id": "optimal", "levels": levels})
    assert named in str(refusal.value)


# ---- refusals ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "wrong",
    [
        {"metric": "no-such-metric"},
        {"metric": "infogain"},
        {"metric": 3},
        {"metric": {"id": "loss", "aggregate": "no"}},
        {"heuristic": "luck"},
        {"deadline": 0},
        {"max_checks": 0},
        {"solutions": 0},
    ],
)
def test_parameters_that_are_wrong_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(BadRequest):
        build({"id": "optimal", **wrong}, "algorithm")


def test_what_the_search_cannot_promise_is_refused() -> None:
    problem = replace(drawn(1, columns=2), requirements=({"id": "k-anonymity", "k": 2},))
    task = task_of(problem)
    with pytest.raises(BadRequest, match="target"):
        build({"id": "optimal", "metric": "classification-metric"}, "algorithm").run(
            replace(task, target=None), Run.seeded(0)
        )
    pairs = build({"id": "k-combinations", "size": 2, "k": 2}, "model")
    with pytest.raises(Unsupported, match="k-combinations"):
        build("optimal", "algorithm").run(replace(task, models=[pairs]), Run.seeded(0))
    number = replace(task.attributes[0], kind="interval", tree=None)
    with pytest.raises(BadRequest, match="hierarchy"):
        build("optimal", "algorithm").run(replace(task, attributes=[number, task.attributes[1]]), Run.seeded(0))


def test_nothing_can_be_published_if_everything_would_have_to_be_left_out() -> None:
    problem = replace(
        drawn(1, columns=2),
        requirements=({"id": "confidence-bounding", "sensitive": "s", "value": "x", "h": 0.0},),
        limit=1.0,
    )
    problem = replace(problem, sensitive=("x",) * len(problem.rows))
    with pytest.raises(Infeasible) as refusal:
        run(problem, {"id": "optimal"})
    assert refusal.value.measured in (1.0, len(problem.rows))


def test_an_infeasible_task_says_how_near_a_node_came() -> None:
    told = 0
    for _, problem, metric, costs in solved(2000, 80):
        if costs:
            continue
        with pytest.raises(Infeasible) as refusal:
            run(problem, {"id": "optimal", "metric": metric})
        if "nearest" in str(refusal.value):
            told += 1
            assert refusal.value.measured in {problem.left_out(node) for node in problem.nodes()}
            assert refusal.value.measured > refusal.value.bound == problem.budget
        elif refusal.value.requirement is not None:
            assert refusal.value.requirement in {spec["id"] for spec in problem.requirements}
    assert told > 0


# ---- why here and no finer -----------------------------------------------------------------------------------------------


def test_the_reasons_name_what_would_fail_one_level_down() -> None:
    for seed, problem, metric, costs in solved(1200, 40):
        if not costs:
            continue
        facts = run(problem, {"id": "optimal", "metric": metric}).facts
        node = tuple(facts["levels"].values())
        ids = {spec["id"] for spec in problem.requirements}
        for at, entry in enumerate(facts["why"]):
            where = f"seed {seed}, {entry}"
            assert (entry["attribute"], entry["level"]) == (problem.names[at], node[at])
            if node[at] == 0:
                assert entry["binds"] is None, where
                continue
            finer = (*node[:at], node[at] - 1, *node[at + 1 :])
            assert entry["records"] == problem.left_out(finer), where
            if problem.valid(finer):
                assert entry["binds"] is None, where
                continue
            assert entry["binds"].split(" on ")[0] in ids, where
            shown, kept = problem.shown(finer), problem.kept(finer)
            example = tuple(entry["example"].values())
            assert example in {row for row, stays in zip(shown, kept, strict=True) if not stays}, where
            assert entry["example_size"] == Counter(shown)[example], where


# ---- many columns, many threads ------------------------------------------------------------------------------------------


def test_keys_of_several_words_give_the_same_groups_as_keys_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    several = 0
    for seed in range(40, 70):
        problem = drawn(seed, columns=4, rows=40)
        metric = drawn_metric(random.Random(seed), problem.names)
        one, every = search_of(problem, metric), search_of(problem, metric)
        assert one.lattice.words == 1
        with monkeypatch.context() as patched:
            patched.setattr(lattice, "_WORD", 4)
            other = search_of(problem, metric)
        several += other.lattice.words > 1
        one.run()
        other.run()
        assert one.best == other.best, f"seed {seed}, {metric}"
        for node in every.lattice.nodes():
            a, b = every.count([node])[0], other.count([node])[0]
            assert (a.left_out, a.groups, a.kept, a.lasting) == (b.left_out, b.groups, b.kept, b.lasting)
            assert a.price.all_squares == b.price.all_squares
            assert every.score(a) == other.score(b), f"seed {seed}, {metric}"
        if one.best is not None:
            assert groups_left_out(one, one.best.node) == groups_left_out(other, one.best.node)
    assert several > 20


def test_five_and_twenty_columns_are_searched_by_heuristics() -> None:
    rng = random.Random(5)
    names = [f"q{i}" for i in range(25)]
    trees = {
        name: {"*": [{f"{name}.a": [f"{name}.{i}" for i in range(4)]}, {f"{name}.b": [f"{name}.{i}" for i in (4, 5)]}]}
        for name in names
    }
    distinct = [tuple(f"{name}.{rng.randrange(6)}" for name in names) for _ in range(40)]
    rows = [rng.choice(distinct) for _ in range(400)]
    policy = {
        "columns": {
            name: {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": trees[name]}} for name in names
        },
        "requirements": [{"id": "k-anonymity", "k": 5}],
        "limits": {"suppress_at_most": 0.1},
        "algorithm": {"id": "optimal", "max_checks": 150},
    }
    release = sfumato.anonymize(sfumato.from_rows(names, rows), policy)
    facts = release.private.facts
    assert facts["lattice"] == 3**25
    assert sfumato.check(release.table, {"id": "k-anonymity", "k": 5}, qid=names)
    assert release.counts["records_suppressed"] <= 40
    assert facts["bound"] <= facts["score"]
    again = sfumato.anonymize(sfumato.from_rows(names, rows), policy)
    assert again.private.facts["levels"] == facts["levels"]


def test_threads_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(1)
    trees = tuple(
        {
            "value": f"{i}",
            "children": [
                {"value": f"{i}{half}", "children": [{"value": f"{i}{half}{leaf}"} for leaf in "123"]} for half in "ab"
            ],
        }
        for i in range(4)
    )
    rows = tuple(tuple(f"{i}{rng.choice('ab')}{rng.choice('123')}" for i in range(4)) for _ in range(900))
    problem = Problem(
        rows=rows,
        trees=trees,
        bare=(False,) * 4,
        sensitive=tuple(rng.choice("xyz") for _ in rows),
        classes=("Y",) * 900,
        requirements=({"id": "l-diversity-entropy", "l": 1.5, "sensitive": "s"},),
        limit=0.3,
    )
    outcomes, used = [], []
    made = lattice_search.ThreadPoolExecutor

    def counted(threads: int) -> Any:
        used.append(threads)
        return made(threads)

    monkeypatch.setattr(lattice_search, "ThreadPoolExecutor", counted)
    for cores in (1, 2):
        monkeypatch.setattr(lattice_search.os, "cpu_count", lambda cores=cores: cores)
        outcome = run(problem, {"id": "optimal", "metric": "loss"})
        every = search_of(problem, "loss").exhaust()
        outcomes.append((outcome.facts, outcome.suppressed, every))
        assert bool(used) == (cores > 1)
    assert outcomes[0] == outcomes[1]


def test_the_order_of_the_records_makes_no_difference() -> None:
    for seed in range(20, 30):
        problem = drawn(seed)
        order = random.Random(seed).sample(range(len(problem.rows)), len(problem.rows))
        turned = replace(
            problem,
            rows=tuple(problem.rows[i] for i in order),
            sensitive=tuple(problem.sensitive[i] for i in order),
            classes=tuple(problem.classes[i] for i in order),
        )
        if problem.satisfying():
            assert run(problem, {"id": "optimal"}).facts == run(turned, {"id": "optimal"}).facts


def test_little_room_for_group_tables_changes_nothing() -> None:
    for seed in range(30, 40):
        problem = drawn(seed, columns=3, rows=60)
        roomy, tight = search_of(problem, "loss"), search_of(problem, "loss")
        tight.rollup.room = 2000
        roomy.run()
        tight.run()
        assert roomy.best == tight.best
        assert {node: tally.left_out for node, tally in roomy.tallies.items()} == {
            node: tally.left_out for node, tally in tight.tallies.items()
        }
        assert tight.rollup.held <= 2000


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
@pytest.mark.parametrize("local", [False, True])
def test_numbers_and_dates_are_left_out_and_published_as_they_are(engine: str, local: bool, tmp_path: Path) -> None:
    """Groups are left out by the texts of their values, which need not be texts."""
    pytest.importorskip("duckdb")
    days = [date(2020, 1, 1), date(2020, 2, 2)]
    rows = [*[(30, days[0])] * 3, *[(41, days[1])] * 3, (52, days[0])]
    raw = sfumato.from_rows(["age", "day"], rows)
    policy = {
        "columns": {
            "age": {
                "role": "quasi-identifier",
                "hierarchy": {"id": "taxonomy", "tree": {"*": [{"young": ["30"]}, {"old": ["41", "52"]}]}},
            },
            "day": {"role": "quasi-identifier", "hierarchy": {"id": "dates", "levels": ["year"]}},
        },
        "requirements": [{"id": "k-anonymity", "k": 2}],
        "limits": {"suppress_at_most": 0.2},
        "algorithm": {"id": "optimal", "local_recoding": local},
        "metrics": ["loss"],
        "engine": engine,
    }
    path = tmp_path / "raw.csv"
    raw.write(path, "csv")
    release = sfumato.anonymize(str(path), policy)
    assert release.private.facts["levels"] == {"age": 0, "day": 0}
    assert release.counts["records_suppressed"] == 1
    assert Counter(tuple(map(str, row)) for row in release.table.to_rows()) == {
        ("30", "2020-01-01"): 3,
        ("41", "2020-02-02"): 3,
    }
    assert release.measured["loss"].value == pytest.approx(1 / 7)
    out = sfumato.publish(release, tmp_path / "out", input_path=path)
    assert sfumato.verify(out)
    again = sfumato.apply(out, str(path))
    assert again.table.rows == 6
    assert sfumato.measure(str(path), str(out), "loss").value == pytest.approx(1 / 7)
