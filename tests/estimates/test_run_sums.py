"""Sums over runs against adding up, and against gamma functions where runs are long or not whole."""

from __future__ import annotations

from math import fsum, log
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.estimates.run_sums import inverse_square_sum, inverse_sum, log_sum

STARTS = st.floats(1e-4, 1e4)


@given(x=STARTS, m=st.integers(0, 200))
def test_against_adding_up(x: float, m: int) -> None:
    terms = [x + i for i in range(m)]
    assert float(inverse_sum(x, m)) == pytest.approx(fsum(1 / t for t in terms), rel=1e-12)
    assert float(inverse_square_sum(x, m)) == pytest.approx(fsum(1 / t**2 for t in terms), rel=2e-12)
    size = fsum(abs(log(t)) for t in terms)
    assert float(log_sum(x, m)) == pytest.approx(fsum(log(t) for t in terms), rel=1e-12, abs=1e-12 + 1e-13 * size)


@given(x=STARTS, first=st.floats(0, 50), second=st.floats(0, 50))
def test_runs_that_are_not_whole_add_up(x: float, first: float, second: float) -> None:
    for of_run in (inverse_sum, inverse_square_sum, log_sum):
        parts = float(of_run(x, first)) + float(of_run(x + first, second))
        assert float(of_run(x, first + second)) == pytest.approx(parts, rel=1e-10, abs=1e-11)


@pytest.mark.parametrize("length", [10**3, 10**6, 10**9])
def test_long_runs_against_gamma_functions(length: int) -> None:
    special: Any = pytest.importorskip("scipy.special")
    for x in (0.01, 0.7, 3.0, 123.4):
        assert float(inverse_sum(x, length)) == pytest.approx(
            special.digamma(x + length) - special.digamma(x), rel=1e-11
        )
        wanted = special.polygamma(1, x) - special.polygamma(1, x + length)
        assert float(inverse_square_sum(x, length)) == pytest.approx(wanted, rel=1e-11)
        assert float(log_sum(x, length)) == pytest.approx(special.gammaln(x + length) - special.gammaln(x), rel=1e-11)


def test_a_short_run_far_out_loses_nothing() -> None:
    # Two gamma functions at 10^15 are 3 * 10^16 each and would cancel.
    assert float(log_sum(1e15, 2)) == pytest.approx(2 * log(1e15), rel=1e-15)
    assert float(inverse_sum(1e15, 2)) == pytest.approx(2e-15, rel=1e-14)
    assert float(inverse_square_sum(1e15, 2)) == pytest.approx(2e-30, rel=1e-14)


def test_arrays_are_worked_on_entry_by_entry() -> None:
    x, m = np.array([[0.5], [20.0]]), np.array([0.0, 3.0, 1000.0])
    both = inverse_sum(x, m)
    assert both.shape == (2, 3)
    assert both[1, 2] == pytest.approx(float(inverse_sum(20.0, 1000.0)), rel=1e-15)
    assert (both[:, 0] == 0).all()
