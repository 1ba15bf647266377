"""Versions of different trust: each looks like plain perturbation, and together they tell no more than the best one."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest

from sfumato.errors import BadRequest
from sfumato.perturbations import TrustVersions, transition_matrix

DOMAIN = ("a", "b", "c", "d")
LEVELS = ("4/5", "1/2", "1/5")
COUNT = 60_000


@pytest.mark.parametrize("order", list(permutations(LEVELS)))
def test_any_order_of_requests_gives_the_same_law(order: tuple[str, ...]) -> None:
    rng = np.random.default_rng([LEVELS.index(one) for one in order])
    versions = TrustVersions.of(["a"] * COUNT, DOMAIN)
    for level in order:
        versions.version(level, rng)
    assert versions.levels == tuple(Fraction(one) for one in LEVELS)
    joint = np.stack([versions.held[one] for one in versions.levels])
    for at, level in enumerate(LEVELS):
        row = [float(one) for one in transition_matrix(4, level)[0]]
        _chi_square(np.bincount(joint[at], minlength=4), row)
    # Given the version above, the one below does not depend on anything further up: that is all collusion needs.
    for high, middle, low in ((None, 0, 1), (0, 1, 2)):
        ratio = Fraction(LEVELS[low]) / Fraction(LEVELS[middle])
        law = transition_matrix(4, ratio)
        for top in range(4) if high is not None else [None]:
            for value in range(4):
                chosen = joint[middle] == value
                if top is not None and high is not None:
                    chosen &= joint[high] == top
                if chosen.sum() > 500:
                    _chi_square(np.bincount(joint[low][chosen], minlength=4), [float(one) for one in law[value]])


def _chi_square(found: np.ndarray, law: list[float]) -> None:
    expected = np.array(law) * found.sum()
    assert ((found - expected) ** 2 / expected).sum() < 27.9  # 3 degrees of freedom: one in 250,000


def test_counts_are_estimated_without_bias() -> None:
    rng = np.random.default_rng(5)
    values = ["a"] * 3000 + ["b"] * 1000
    found = []
    for _ in range(60):
        versions = TrustVersions.of(values, DOMAIN)
        versions.version("1/2", rng)
        versions.version("1/4", rng)
        found.append(versions.estimate("1/4", "a"))
    deviation = np.std(found) / np.sqrt(len(found))
    assert abs(np.mean(found) - 3000) < 5 * deviation


def test_a_level_is_made_once_and_bad_ones_are_refused() -> None:
    rng = np.random.default_rng(1)
    versions = TrustVersions.of(["a", "b"] * 50, DOMAIN)
    assert versions.version(0.5, rng) == versions.version("1/2", rng)
    for bad in ("0", "2", "x", -0.5):
        with pytest.raises(BadRequest, match="above 0"):
            versions.version(bad, rng)
    with pytest.raises(BadRequest, match="outside"):
        TrustVersions.of(["z"], DOMAIN)
