"""What attacks reach beyond a control group: intervals that solve their equations and hold as often as they say."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from oracles import naive_three_questions as naive
from sfumato.estimates.excess import Excess, Rate


@pytest.mark.parametrize("attempts", [1, 7, 60, 500])
@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.999])
def test_wilson_intervals_solve_their_equation(attempts: int, confidence: float) -> None:
    for successes in {0, 1, attempts // 3, attempts}:
        found, expected = Rate(successes, attempts).interval(confidence), naive.wilson(successes, attempts, confidence)
        assert found == pytest.approx(expected, abs=1e-9)
        assert found[0] <= successes / attempts <= found[1]


def test_without_attempts_nothing_is_known() -> None:
    assert Rate(0, 0).share == 0
    assert Rate(0, 0).interval(0.95) == (0.0, 1.0)
    empty = Excess(Rate(0, 0), Rate(3, 10))
    assert (empty.risk, empty.interval, empty.answer) == (0.0, (0.0, 1.0), "undecided")


@pytest.mark.parametrize("seed", range(40))
def test_the_interval_of_the_risk_solves_its_equation(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(5, 400, 2)
    release = (int(rng.integers(0, sizes[0] + 1)), int(sizes[0]))
    control = (int(rng.integers(0, sizes[1])), int(sizes[1]))
    found = Excess(Rate(*release), Rate(*control), 0.9)
    assert found.interval == pytest.approx(naive.risk_interval(release, control, 0.9), abs=1e-6)
    assert found.interval[0] <= found.risk <= found.interval[1]


def test_the_interval_holds_the_true_risk_as_often_as_it_says() -> None:
    rng = np.random.default_rng(11)
    for release, control in ((0.3, 0.3), (0.5, 0.2), (0.95, 0.05), (0.02, 0.01)):
        true, held = (release - control) / (1 - control), 0
        for _ in range(1000):
            one = Excess(Rate(int(rng.binomial(300, release)), 300), Rate(int(rng.binomial(300, control)), 300))
            held += one.interval[0] <= true <= one.interval[1]
        assert held >= 930


def test_a_control_group_that_always_succeeds_leaves_no_room() -> None:
    full = Excess(Rate(100, 100), Rate(100, 100))
    assert (full.risk, full.interval, full.answer) == (0.0, (0.0, 1.0), "undecided")


def test_answers_depend_on_what_is_negligible() -> None:
    clear = Excess(Rate(60, 200), Rate(0, 200))
    assert clear.answer == "yes"
    assert replace(clear, negligible=0.25).answer == "undecided"
    assert replace(clear, negligible=0.5).answer == "no"
    assert Excess(Rate(0, 200), Rate(0, 200)).answer == "no"
    assert Excess(Rate(0, 20), Rate(0, 20)).answer == "undecided"
    both = Excess.pooled([clear, Excess(Rate(40, 100), Rate(1, 100))])
    assert (both.release, both.control) == (Rate(100, 300), Rate(1, 300))
