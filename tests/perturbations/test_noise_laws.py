"""The statistical limits themselves can fail: a wrong law does not pass."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sfumato.perturbations._noise_laws import distribution, draw


def test_a_wrong_average_fails(near: Callable[..., None]) -> None:
    near(0.04, 0.0, 0.01)
    with pytest.raises(AssertionError):
        near(0.06, 0.0, 0.01)


def test_a_wrong_law_fails(follows: Callable[..., None]) -> None:
    sample = draw("laplace", 1.0, 20_000, np.random.default_rng(1))
    follows(sample, lambda x: distribution("laplace", 1.0, x))
    with pytest.raises(AssertionError):
        follows(sample, lambda x: distribution("gaussian", 1.0, x))


def test_wrong_shares_fail(shares: Callable[..., None]) -> None:
    drawn: Any = np.random.default_rng(1).multinomial(10_000, [0.5, 0.3, 0.2])
    shares(drawn, [5000, 3000, 2000])
    with pytest.raises(AssertionError):
        shares(drawn, [4500, 3300, 2200])
