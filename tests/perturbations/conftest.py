"""Limits of the statistical tests: under the stated law each one fails with probability ALPHA, for a fresh seed.

Seeds are fixed, so a test that passes once passes always; the level says how much a passing test means.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist

import numpy as np
import numpy.typing as npt
import pytest

ALPHA = 1e-6
Z = NormalDist().inv_cdf(1 - ALPHA / 2)


@pytest.fixture
def near() -> Callable[[float, float, float], None]:
    """Insist that an average with a known standard error lies near its expectation, at level ALPHA."""

    def check(found: float, expected: float, standard_error: float) -> None:
        z = (found - expected) / standard_error
        assert abs(z) < Z, f"{found} instead of {expected}: {z:.1f} standard errors away"

    return check


@pytest.fixture
def follows() -> Callable[[npt.ArrayLike, Callable[[npt.NDArray[np.float64]], npt.NDArray[np.float64]]], None]:
    """Insist that a sample follows a continuous law, given by its distribution function (Kolmogorov-Smirnov, level ALPHA)."""

    def check(sample: npt.ArrayLike, law: Callable[[npt.NDArray[np.float64]], npt.NDArray[np.float64]]) -> None:
        points = np.sort(np.asarray(sample, np.float64))
        count = len(points)
        expected = law(points)
        apart = max((np.arange(1, count + 1) / count - expected).max(), (expected - np.arange(count) / count).max())
        assert apart < math.sqrt(math.log(2 / ALPHA) / (2 * count)), f"largest distance {apart}"

    return check


@pytest.fixture
def shares() -> Callable[[npt.ArrayLike, npt.ArrayLike], None]:
    """Insist that counts have these expected counts (chi-square, level ALPHA by Wilson and Hilferty)."""

    def check(found: npt.ArrayLike, expected: npt.ArrayLike) -> None:
        counts, wanted = np.asarray(found, np.float64), np.asarray(expected, np.float64)
        assert math.isclose(counts.sum(), wanted.sum(), rel_tol=1e-9)
        freedom = len(counts) - 1
        statistic = float(((counts - wanted) ** 2 / wanted).sum())
        z = NormalDist().inv_cdf(1 - ALPHA)
        limit = freedom * (1 - 2 / (9 * freedom) + z * math.sqrt(2 / (9 * freedom))) ** 3
        assert statistic < limit, f"chi-square {statistic} above {limit}"

    return check
