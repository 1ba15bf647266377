"""The optimal search that does not come to its end: limits, deadlines, Ctrl-C, and lattices too large to enumerate."""

from __future__ import annotations

import random
import signal
from dataclasses import replace
from math import inf
from typing import Any

import numpy as np
import pytest

import sfumato
from oracles.lattice_tasks import close, run, search_of
from oracles.naive_lattice import Problem, drawn, drawn_metric, lies_below
from sfumato.algorithms.lattice._heuristics import bound_by_parts, least_levels, restart, walk
from sfumato.contracts.algorithm import Outcome
from sfumato.contracts.progress import Silent
from sfumato.contracts.published import Release
from sfumato.errors import BadRequest, Infeasible

from .test_optimal import best_of, solved

Node = tuple[int, ...]


# ---- stopping early ------------------------------------------------------------------------------------------------------


def tried(problem: Problem, refusal: str, **more: Any) -> Outcome | None:
    """Return the outcome of a search that may end without one, if it says so in these words."""
    try:
        return run(problem, {"id": "optimal", **more})
    except Infeasible as error:
        if refusal not in str(error):
            raise
        return None


def test_a_search_that_stops_early_is_valid_and_says_how_far_it_may_be() -> None:
    stopped = 0
    for seed, problem, metric, costs in solved(700, 50, columns=3):
        if not costs:
            continue
        least = min(costs.values())
        for most in (1, 3, 8):
            outcome = tried(problem, "before the search was stopped", metric=metric, max_checks=most)
            if outcome is None:
                continue
            facts, where = outcome.facts, f"seed {seed}, {metric}, {most} checks"
            node = tuple(facts["levels"].values())
            assert node in costs, where
            assert close(facts["score"], costs[node]), where
            if outcome.stopped is None:
                assert node in best_of(costs), where
                continue
            stopped += 1
            assert outcome.stopped == "checks used up", where
            assert facts["bound"] is None or facts["bound"] <= least + 1e-9 * abs(least) + 1e-12, where
            if outcome.optimal:
                assert close(facts["score"], least), where
            elif facts["gap"] is not None:
                assert facts["score"] - facts["gap"] * abs(facts["score"]) <= least + 1e-9 * max(abs(least), 1), where
    assert stopped > 15


def test_a_deadline_that_leaves_no_time_says_so_and_a_long_one_changes_nothing() -> None:
    problem = drawn(3, columns=4)
    problem = replace(problem, requirements=({"id": "k-anonymity", "k": 2},), limit=1.0)
    with pytest.raises(Infeasible, match="deadline"):
        run(problem, {"id": "optimal", "deadline": 1e-9})
    outcome = run(problem, {"id": "optimal", "deadline": 600})
    assert outcome.stopped is None
    assert problem.valid(tuple(outcome.facts["levels"].values()))


# ---- a budget of work ----------------------------------------------------------------------------------------------------


def test_work_that_is_used_up_ends_a_search_alike_each_time() -> None:
    ended = 0
    for seed, problem, metric, costs in solved(740, 12, columns=3):
        if not costs:
            continue
        for budget in (3, 30):
            outcome = tried(problem, "before the search was stopped", metric=metric, budget=budget)
            again = tried(problem, "before the search was stopped", metric=metric, budget=budget)
            if outcome is None or again is None:
                assert outcome is again, f"seed {seed}"
                continue
            assert outcome.facts.document() == again.facts.document(), f"seed {seed}"
            least, bound = min(costs.values()), outcome.facts["bound"]
            assert bound is None or bound <= least + 1e-9 * abs(least) + 1e-12, f"seed {seed}"
            if outcome.stopped is not None:
                assert outcome.stopped == "work budget used up"
                ended += 1
            else:
                assert tuple(outcome.facts["levels"].values()) in best_of(costs), f"seed {seed}"
    assert ended > 3


def test_no_budget_proves_and_others_are_refused() -> None:
    problem = replace(drawn(3, columns=3), requirements=({"id": "k-anonymity", "k": 2},), limit=0.3)
    assert run(problem, {"id": "optimal", "budget": "none"}).optimal
    for wrong in ("some", 0, -1, 2.5, True):
        with pytest.raises(BadRequest, match="budget"):
            run(problem, {"id": "optimal", "budget": wrong})


@pytest.mark.parametrize("aggregate", ["mean", "sum", "maximum", "geometric-mean"])
def test_parts_of_the_columns_never_cost_more_than_they_do_in_the_whole(aggregate: str, monkeypatch: Any) -> None:
    monkeypatch.setattr("sfumato.algorithms.lattice._heuristics._PARTS", (2, 16))
    useful = 0
    for seed in range(1100, 1125):
        problem = drawn(seed, columns=random.Random(seed).choice([2, 3, 4]), rows=30)
        search = search_of(problem, {"id": "loss", "aggregate": aggregate})
        costs = [problem.cost(node, {"id": "loss", "aggregate": aggregate}) for node in problem.satisfying()]
        assert bound_by_parts(search, lambda: None) is None
        assert all(search.bound <= cost + 1e-9 for cost in costs), f"seed {seed}"
        useful += bool(costs) and search.bound > 0.5 * min(costs) > 0
    assert useful > 3


def test_walks_end_where_no_exchange_is_better_and_restarts_find_the_best() -> None:
    reached = asked = 0
    for seed, problem, metric, costs in solved(1200, 30, columns=4, rows=30):
        if not costs:
            continue
        where = f"seed {seed}, {metric}"
        search = search_of(problem, metric)
        start = random.Random(seed).choice(list(problem.nodes()))
        end, reason = walk(search, start, lambda: None)
        assert reason is None
        assert search.tallies[end.node] is end
        if search.best is not None:
            found, lattice = search.best.node, search.lattice
            assert close(search.best.score, costs[found]), where
            near = {other for node in (found, *lattice.below(found)) for other in (node, *lattice.above(node))}
            assert all(costs.get(node, inf) >= costs[found] - 1e-9 for node in near), where
        search.offer(search.count([max(costs, key=lambda node: (costs[node], node))])[0])
        assert restart(search, np.random.default_rng(seed), lambda: None) is None
        assert search.best is not None
        asked += 1
        reached += close(search.best.score, min(costs.values()))
        assert restart(search, np.random.default_rng(seed), lambda: "enough") == "enough"
    assert reached == asked > 15


# ---- Ctrl-C --------------------------------------------------------------------------------------------------------------


class _Pressing(Silent):
    """Presses Ctrl-C when the search first says something that begins with given words."""

    def __init__(self, words: str, times: int = 1) -> None:
        self.words, self.times = words, times
        self.heard = False

    def stage(self, name: str, total: float | None = None) -> None:
        self.tick(0, name)

    def tick(self, done: float, note: str = "") -> None:
        if note.startswith(self.words) and not self.heard:
            self.heard = True
            for _ in range(self.times):
                signal.raise_signal(signal.SIGINT)


INTERRUPTED = replace(drawn(4, columns=4, rows=40), requirements=({"id": "k-anonymity", "k": 3},), limit=0.0)


def _anonymized(progress: Silent, keep: bool | None = None) -> Release:
    return sfumato.anonymize(
        sfumato.from_rows(INTERRUPTED.columns, INTERRUPTED.records),
        INTERRUPTED.policy({"id": "optimal"}),
        progress=progress,
        accept_interrupted=None if keep is None else lambda outcome: keep,
    )


@pytest.mark.parametrize("enumerable", [True, False])
def test_ctrl_c_keeps_the_best_node_so_far_or_nothing(enumerable: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not enumerable:
        monkeypatch.setattr("sfumato.algorithms.lattice.optimal.ENUMERABLE", 1)
    before = signal.getsignal(signal.SIGINT)
    for keep in (None, False):
        with pytest.raises(KeyboardInterrupt):
            _anonymized(_Pressing("best"), keep)
        assert signal.getsignal(signal.SIGINT) is before
    whole = _anonymized(Silent())
    release = _anonymized(_Pressing("best"), True)
    facts = release.private.facts
    assert release.private.stopped == release.certificate["algorithm"]["stopped"] == "interrupted"
    assert release.verdict.satisfied
    assert INTERRUPTED.valid(tuple(facts["levels"].values()))
    assert facts["checks"] < whole.private.facts["checks"], "the search ended early"
    assert facts["bound"] <= whole.private.facts["score"] <= facts["score"]
    assert release.certificate["algorithm"]["optimal"] is False
    assert any("not proven optimal (interrupted)" in warning for warning in release.warnings)


def test_ctrl_c_before_any_valid_node_publishes_nothing() -> None:
    progress = _Pressing("searching 24 nodes")
    with pytest.raises(Infeasible, match="interrupted"):
        _anonymized(progress, True)
    assert progress.heard


def test_a_second_ctrl_c_is_obeyed_at_once() -> None:
    progress = _Pressing("best", times=2)
    with pytest.raises(KeyboardInterrupt):
        _anonymized(progress, True)
    assert progress.heard


@pytest.mark.parametrize("heuristic", ["top-down", "bottom-up", "genetic"])
def test_heuristics_find_valid_nodes_and_never_claim_too_much(heuristic: str) -> None:
    best = looked = 0
    for seed, problem, metric, costs in solved(800, 30):
        if not costs:
            continue
        outcome = tried(problem, "though one may exist", metric=metric, heuristic=heuristic)
        if outcome is None:
            continue
        facts, where = outcome.facts, f"seed {seed}, {metric}"
        node, least = tuple(facts["levels"].values()), min(costs.values())
        assert node in costs, where
        assert close(facts["score"], costs[node]), where
        assert facts["score"] >= least or close(facts["score"], least), where
        assert facts["bound"] is None or facts["bound"] <= least + 1e-9 * abs(least) + 1e-12, where
        assert not outcome.optimal or close(facts["score"], least), where
        assert outcome.optimal or outcome.warnings, where
        looked, best = looked + 1, best + close(facts["score"], least)
    assert best > 0.5 * looked


def test_the_least_levels_are_needed_everywhere() -> None:
    needed = free = 0
    for seed in range(900, 1020):
        problem = drawn(seed)
        metric = drawn_metric(random.Random(seed), problem.names)
        search = search_of(problem, metric)
        least, bound = least_levels(search)
        for node in problem.satisfying():
            cost = search.score(search.count([node])[0])
            assert lies_below(least, node), f"seed {seed}"
            assert bound <= cost + 1e-9 * abs(cost) + 1e-12, f"seed {seed}, {metric}"
            needed += any(least)
        # Where merging can break what holds, an attribute that fails alone says nothing of the nodes below.
        alone = [
            (*problem.top[:i], level, *problem.top[i + 1 :]) for i, level in enumerate(least) if level < problem.top[i]
        ]
        free += any(not problem.valid(node) for node in alone) and bool(problem.satisfying())
    assert needed > 20
    assert free > 3


def test_a_lattice_that_is_too_large_is_searched_by_all_heuristics(monkeypatch: pytest.MonkeyPatch) -> None:
    import sfumato.algorithms.lattice.optimal as optimal

    problem = replace(drawn(12, columns=4), requirements=({"id": "k-anonymity", "k": 2},), limit=0.3)
    exact = run(problem, {"id": "optimal"})
    monkeypatch.setattr(optimal, "ENUMERABLE", 3)
    guessed = run(problem, {"id": "optimal"})
    assert problem.valid(tuple(guessed.facts["levels"].values()))
    assert guessed.facts["score"] >= exact.facts["score"]
    assert guessed.facts["bound"] <= exact.facts["score"]
    assert guessed.stopped is None
    assert guessed.optimal == (guessed.facts["score"] <= guessed.facts["bound"])
