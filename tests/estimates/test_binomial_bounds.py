"""Clopper-Pearson bounds against exact binomial tails."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.naive_mechanisms import binomial_at_least
from sfumato.estimates.binomial_bounds import lower, upper

TRIALS = st.integers(1, 40).flatmap(lambda trials: st.tuples(st.integers(0, trials), st.just(trials)))


@given(both=TRIALS, level=st.sampled_from([0.01, 0.025, 0.1]))
def test_the_tail_at_the_bound_has_the_level(both: tuple[int, int], level: float) -> None:
    successes, trials = both
    low, high = lower(successes, trials, level), upper(successes, trials, level)
    assert 0 <= low <= successes / trials <= high <= 1
    if successes:
        assert float(binomial_at_least(successes, trials, Fraction(low))) == pytest.approx(level, rel=1e-6)
    if successes < trials:
        at_most = 1 - binomial_at_least(successes + 1, trials, Fraction(high))
        assert float(at_most) == pytest.approx(level, rel=1e-6)


def test_many_trials() -> None:
    assert lower(50_000, 100_000, 0.025) == pytest.approx(0.5 - 1.96 * 0.5 / np.sqrt(100_000), abs=1e-4)
    assert upper(0, 100_000, 0.05) == pytest.approx(3.0e-5, rel=0.01)
