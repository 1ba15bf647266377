"""Reconstruction: it is expectation maximization, and it finds the distribution behind the noise."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sfumato
from sfumato.perturbations import DistributionReconstruction
from sfumato.perturbations._noise_laws import LAWS, density, draw

GRID = tuple(float(point) for point in range(0, 41, 2))


def hidden(count: int, seed: int = 3) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return values on the grid from a law with two hills, and that law."""
    shape = np.exp(-0.5 * ((np.array(GRID) - 10) / 3) ** 2) + 0.5 * np.exp(-0.5 * ((np.array(GRID) - 30) / 2) ** 2)
    shape /= shape.sum()
    return np.random.default_rng(seed).choice(GRID, count, p=shape), shape


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("count", [900, 20_000])
def test_it_is_expectation_maximization(law: str, count: int) -> None:
    """Every estimate is a distribution and the likelihood never falls, with values as they are and with buckets."""
    originals, _ = hidden(count)
    published = originals + draw(law, 4.0, count, np.random.default_rng(4))
    found = DistributionReconstruction(grid=GRID, distribution=law, sigma=4.0, max_iterations=200).reconstruct(
        published
    )
    assert found.probabilities.min() >= 0
    assert found.probabilities.sum() == pytest.approx(1.0, abs=1e-12)
    assert 2 <= found.iterations <= 200
    rises = np.diff(found.log_likelihoods)
    assert (rises >= -1e-9 * abs(found.log_likelihoods[0])).all()
    assert found.log_likelihoods[-1] > found.log_likelihoods[0] + 1


def test_one_step_by_hand() -> None:
    """The first iterate against the formula, written out."""
    published = [0.3, 1.9, 2.2]
    grid = (0.0, 1.0, 2.0)
    found = DistributionReconstruction(grid=grid, sigma=1.0, max_iterations=1).reconstruct(published)
    wanted = np.zeros(3)
    for w in published:
        likely = [float(density("gaussian", 1.0, np.array(w - a))) / 3 for a in grid]
        wanted += np.array(likely) / sum(likely) / len(published)
    assert found.probabilities == pytest.approx(wanted, abs=1e-12)
    assert found.iterations == 1


def test_it_sees_through_the_noise() -> None:
    """The estimate is much nearer to the law than the noisy values are."""
    originals, law = hidden(50_000)
    published = originals + draw("uniform", 5.0, 50_000, np.random.default_rng(8))
    found = DistributionReconstruction(grid=GRID, distribution="uniform", sigma=5.0).reconstruct(published)
    naive = np.histogram(published, [*(np.array(GRID) - 1), 41])[0] / 50_000
    assert found.converged
    assert np.abs(found.probabilities - law).sum() < 0.1 < 0.4 < np.abs(naive - law).sum()


def test_buckets_and_single_values_agree() -> None:
    """One value too many for single treatment puts all into buckets, which hardly changes the estimate."""
    originals, _ = hidden(1000)
    published = originals + draw("gaussian", 3.0, 1000, np.random.default_rng(8))
    asked: dict[str, Any] = {"grid": GRID, "sigma": 3.0, "max_iterations": 50, "tolerance": 1e-12}
    single = DistributionReconstruction(**asked).reconstruct(published)
    bucketed = DistributionReconstruction(**asked).reconstruct([*published, float(np.mean(published))])
    assert bucketed.probabilities == pytest.approx(single.probabilities, abs=2e-3)


def test_counts_and_values_are_the_same_input() -> None:
    model = DistributionReconstruction(grid=(0, 1), sigma=1.0, max_iterations=5)
    first = model.reconstruct([0.5, 0.5, 2.0])
    assert first.probabilities.tolist() == model.reconstruct({2.0: 1, 0.5: 2, 9.0: 0}).probabilities.tolist()


def test_both_ways_to_stop() -> None:
    counts = {-1: 6, 0: 9, 1: 9, 2: 3}
    third = 1 / 3
    asked: dict[str, Any] = {"grid": (0, 1, 2), "distribution": "discrete", "noise": {-1: third, 0: third, 1: third}}
    early = DistributionReconstruction(**asked, tolerance=0.05).reconstruct(counts)
    late = DistributionReconstruction(**asked, tolerance=1e-9).reconstruct(counts)
    chi2 = DistributionReconstruction(**asked, stop="chi2", tolerance=1e-9).reconstruct(counts)
    assert early.iterations < chi2.iterations
    assert early.iterations < late.iterations
    assert chi2.as_dict()[0] == pytest.approx(2 / 3, abs=0.01)
    cut = DistributionReconstruction(**asked, tolerance=1e-9, max_iterations=3).reconstruct(counts)
    assert (cut.iterations, cut.converged) == (3, False)


def test_texts_are_taken_for_discrete_noise() -> None:
    model = DistributionReconstruction(grid=(0, 1), distribution="discrete", noise={"-0.5": 0.5, "0.5": 0.5})
    assert model.noise == {-0.5: 0.5, 0.5: 0.5}
    assert model.reconstruct({"-0.5": 1, "1.5": 1}).probabilities.tolist() == [0.5, 0.5]


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"grid": (1, 0), "sigma": 1.0}, "must rise"),
        ({"grid": (), "sigma": 1.0}, "must rise"),
        ({"grid": (0, 1)}, "discrete noise needs"),
        ({"grid": (0, 1), "sigma": 1.0, "noise": {0: 1.0}}, "discrete noise needs"),
        ({"grid": (0, 1), "distribution": "discrete"}, "discrete noise needs"),
        ({"grid": (0, 1), "distribution": "discrete", "noise": {0: 0.5}}, "sum to 1"),
        ({"grid": (0, 1), "distribution": "discrete", "noise": {0: 1.5, 1: -0.5}}, "sum to 1"),
        ({"grid": (0, 1), "distribution": "discrete", "noise": {"a": 1.0}}, "a number for each number"),
    ],
)
def test_wrong_parameters(asked: dict[str, Any], words: str) -> None:
    with pytest.raises(sfumato.BadRequest, match=words):
        DistributionReconstruction(**asked)


def test_wrong_observations() -> None:
    model = DistributionReconstruction(grid=(0, 1), distribution="uniform", sigma=0.5)
    with pytest.raises(sfumato.BadRequest, match="2 values cannot come"):
        model.reconstruct([0.1, 50.0, 60.0])
    for wrong in ([], {0.0: -1}, [float("nan")], "text", {"a": 1}):
        with pytest.raises(sfumato.BadRequest, match="observed"):
            model.reconstruct(wrong)


def test_the_verb_refuses_an_estimator() -> None:
    with pytest.raises(sfumato.BadRequest, match="reconstruct"):
        sfumato.perturb({"a": [1]}, DistributionReconstruction(grid=(0, 1), sigma=1.0), seed=1)
