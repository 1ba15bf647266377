"""Additive noise: its laws, what it does to moments, how well it hides, how it is filtered."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import sfumato
from sfumato.perturbations import AdditiveNoise
from sfumato.perturbations._noise_laws import LAWS, density, distribution, draw, interval_width
from sfumato.perturbations._spectral_filtering import spectral_filtering

N = 40_000


def noisy(data: npt.NDArray[Any], seed: int = 5, **asked: Any) -> tuple[npt.NDArray[np.float64], Any]:
    """Return columns c0, c1, ... after noise, and the result."""
    names = tuple(f"c{i}" for i in range(data.shape[1]))
    table = sfumato.read({name: data[:, at].tolist() for at, name in enumerate(names)})
    made = AdditiveNoise(columns=names, **asked).apply(table, np.random.default_rng(seed))
    return np.column_stack([np.asarray(made.columns[name], np.float64) for name in names]), made


@pytest.mark.parametrize("law", LAWS)
def test_the_noise_follows_its_law(law: str, follows: Callable[..., None], near: Callable[..., None]) -> None:
    data = np.random.default_rng(1).normal(50, 10, (N, 1))
    published, _ = noisy(data, distribution=law, sigma=3.0)
    noise = (published - data)[:, 0]
    follows(noise, lambda x: distribution(law, 3.0, x))
    near(noise.mean(), 0.0, 3.0 / N**0.5)
    kurtosis = {"uniform": 1.8, "gaussian": 3.0, "laplace": 6.0}[law]
    near(noise.var(), 9.0, 9.0 * ((kurtosis - 1) / N) ** 0.5)


@pytest.mark.parametrize("law", LAWS)
def test_density_distribution_and_interval_agree(law: str) -> None:
    grid = np.linspace(-30, 30, 600_001)
    area = np.cumsum(density(law, 2.0, grid)) * (grid[1] - grid[0])
    assert np.abs(area - distribution(law, 2.0, grid)).max() < 1e-4
    for confidence in (0.5, 0.95, 0.999):
        half = interval_width(law, 2.0, confidence) / 2
        held = distribution(law, 2.0, np.array([-half, half]))
        assert held[1] - held[0] == pytest.approx(confidence, abs=1e-9)


def test_interval_widths_of_the_literature() -> None:
    assert AdditiveNoise(columns=("x",), sigma=2.0).interval_widths()["x"] == pytest.approx(3.92 * 2, abs=1e-3)
    uniform = AdditiveNoise(columns=("x",), sigma=10 / 3**0.5, distribution="uniform")
    assert uniform.interval_widths()["x"] == pytest.approx(0.95 * 2 * 10)
    with pytest.raises(sfumato.BadRequest, match="confidence"):
        uniform.interval_widths(1.0)
    with pytest.raises(sfumato.BadRequest, match="follows from the data"):
        AdditiveNoise(columns=("x",), c=0.1).interval_widths()


def test_correlated_noise_keeps_correlations_and_independent_noise_shrinks_them(near: Callable[..., None]) -> None:
    rng = np.random.default_rng(2)
    data = rng.multivariate_normal([0, 0], [[4, 3], [3, 9]], N)
    before = np.corrcoef(data, rowvar=False)[0, 1]
    error = (1 - before**2) / N**0.5
    kept, made = noisy(data, c=0.5, correlated=True)
    near(np.corrcoef(kept, rowvar=False)[0, 1], before, 2 * error)
    for at in (0, 1):
        near(kept[:, at].var(), 1.5 * data[:, at].var(), 3 * data[:, at].var() * (2 / N) ** 0.5)
    shrunk, _ = noisy(data, c=0.5)
    near(np.corrcoef(shrunk, rowvar=False)[0, 1], before / 1.5, 2 / N**0.5)
    assert made.facts["noise_sigma"]["c1"] == pytest.approx((0.5 * data[:, 1].var(ddof=1)) ** 0.5)


def test_correlated_noise_of_dependent_columns(near: Callable[..., None]) -> None:
    """A singular covariance is no obstacle: the published columns depend on each other as the originals do."""
    one = np.random.default_rng(3).normal(0, 2, (N, 1))
    published, _ = noisy(np.hstack([one, 3 * one]), c=0.2, correlated=True)
    assert np.allclose(published[:, 1], 3 * published[:, 0], atol=1e-5)
    near(published[:, 0].var(), 1.2 * one.var(), 3 * one.var() * (2 / N) ** 0.5)


def test_filtering_recovers_correlated_columns_and_not_correlated_noise() -> None:
    rng = np.random.default_rng(4)
    data = rng.normal(size=(4000, 1)) @ np.ones((1, 10)) * 5 + rng.normal(size=(4000, 10)) * 0.01
    _, independent = noisy(data, c=0.1)
    found = independent.private["spectral_filtering"]
    assert found["components"] == 1
    assert found["reduction"] > 0.6
    # One direction of ten keeps its noise: the error falls to about the square root of a tenth.
    assert found["error_filtered"] == pytest.approx(10**-0.5, abs=0.03)
    _, correlated = noisy(data, c=0.1, correlated=True)
    assert abs(correlated.private["spectral_filtering"]["reduction"]) < 1e-6
    assert "spectral_filtering" not in correlated.facts


def test_filtering_against_independent_columns_finds_nothing() -> None:
    data = np.random.default_rng(5).normal(0, 10, (3000, 4))
    found, filtered = spectral_filtering(data, data + np.random.default_rng(6).normal(size=data.shape), np.eye(4))
    assert found.components == 4
    assert found.reduction == pytest.approx(0.0, abs=1e-9)
    assert filtered.shape == data.shape


def test_filtering_refuses_what_does_not_fit() -> None:
    data = np.zeros((5, 2))
    with pytest.raises(sfumato.BadRequest, match="one shape"):
        spectral_filtering(data, data[:3], np.eye(2))
    with pytest.raises(sfumato.BadRequest, match="no variance"):
        spectral_filtering(data, data, np.zeros((2, 2)))


def test_one_sigma_for_each_column() -> None:
    data = np.zeros((N, 2))
    published, _ = noisy(data, sigma=(1.0, 10.0), distribution="uniform")
    assert np.abs(published).max(axis=0) == pytest.approx([3**0.5, 10 * 3**0.5], rel=1e-3)


def test_decimals() -> None:
    whole, made = noisy(np.full((50, 1), 30.0), sigma=2.0, decimals=0)
    assert (whole == np.round(whole)).all()
    assert all(isinstance(value, int) for value in made.values("c0"))
    tenths, _ = noisy(np.full((50, 1), 30.0), sigma=2.0, decimals=1)
    assert np.allclose(tenths * 10, np.round(tenths * 10))


def test_missing_values_stay_missing_when_asked_to() -> None:
    table = sfumato.from_rows(["age"], [(30,), (None,), (50,)])
    with pytest.raises(sfumato.BadRequest, match=r"'age'.*1 missing value;"):
        sfumato.perturb(table, {"id": "additive-noise", "columns": ["age"], "sigma": 1}, seed=1)
    made = sfumato.perturb(table, {"id": "additive-noise", "columns": ["age"], "sigma": 1, "missing": "keep"}, seed=1)
    column = [value for (value,) in made.table.to_rows()]
    assert [value is None for value in column] == [False, True, False]


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"sigma": 0}, "sigma: must be > 0"),
        ({"sigma": -1.0}, "sigma: must be > 0"),
        ({"sigma": float("inf")}, "sigma: must be > 0 and finite"),
        ({"sigma": (1.0, 0.0)}, "sigma: must be > 0"),
        ({"sigma": (1.0, 2.0, 3.0)}, "one number or 2"),
        ({"c": 0.0}, "c: must be > 0"),
        ({}, "either sigma or c"),
        ({"sigma": 1.0, "c": 1.0}, "either sigma or c"),
        ({"sigma": 1.0, "correlated": True}, "needs c and gaussian"),
        ({"c": 1.0, "correlated": True, "distribution": "laplace"}, "needs c and gaussian"),
        ({"sigma": 1.0, "distribution": "cauchy"}, "not one of the choices"),
    ],
)
def test_wrong_parameters(asked: dict[str, Any], words: str) -> None:
    with pytest.raises(sfumato.BadRequest, match=words):
        AdditiveNoise(columns=("a", "b"), **asked)


def test_wrong_columns() -> None:
    rng = np.random.default_rng(1)
    table = sfumato.from_rows(["name", "age", "same"], [("Ann", 30.0, 1), ("Bob", float("inf"), 1)])
    with pytest.raises(sfumato.BadRequest, match="needs numbers") as refused:
        AdditiveNoise(columns=("name",), sigma=1.0).apply(table, rng)
    assert refused.value.column == "name"
    with pytest.raises(sfumato.BadRequest, match="infinite"):
        AdditiveNoise(columns=("age",), sigma=1.0).apply(table, rng)
    with pytest.raises(sfumato.BadRequest, match="constant"):
        AdditiveNoise(columns=("same",), c=1.0).apply(table, rng)
    with pytest.raises(sfumato.BadRequest, match="two records"):
        AdditiveNoise(columns=("x",), c=1.0).apply(sfumato.from_rows(["x"], [(1,)]), rng)
    with pytest.raises(sfumato.BadRequest, match="twice"):
        AdditiveNoise(columns=("age", "age"), sigma=1.0)
    with pytest.raises(sfumato.BadRequest, match="at least one column"):
        AdditiveNoise(columns=(), sigma=1.0)


def test_laws_are_drawn_from_the_generator_alone() -> None:
    for law in LAWS:
        first, second = (draw(law, 1.0, 5, np.random.default_rng(9)) for _ in range(2))
        assert first.tolist() == second.tolist()
