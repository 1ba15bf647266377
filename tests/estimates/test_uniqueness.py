"""Estimates of population uniqueness against their definitions, at the edges, and on samples too large to add up."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles import naive_uniqueness as naive
from sfumato.errors import BadRequest
from sfumato.estimates.uniqueness import ESTIMATORS, _slide_law, class_sizes, dankar, estimate, pitman, snb, zayatz

SIZES = st.dictionaries(st.integers(2, 9), st.integers(1, 12), max_size=5)
ALONE = st.integers(1, 30)


def records(sizes: Mapping[int, int]) -> int:
    return sum(size * count for size, count in sizes.items())


@given(sizes=SIZES, alone=ALONE, factor=st.floats(1, 200))
def test_zayatz_in_exact_fractions(sizes: dict[int, int], alone: int, factor: float) -> None:
    sizes = {1: alone, **sizes}
    population = int(records(sizes) * factor)
    chance, uniques = naive.zayatz(sizes, population)
    found = zayatz(sizes, population)
    assert found.conditional_uniqueness == pytest.approx(float(chance), rel=1e-11)
    assert found.population_uniques == pytest.approx(float(uniques), rel=1e-11)
    assert found.chance == pytest.approx(float(chance), rel=1e-11)
    assert (found.n, found.classes, found.sample_uniques) == (records(sizes), sum(sizes.values()), alone)


def drawn(seed: int) -> dict[int, int]:
    rng = np.random.default_rng(seed)
    sizes = rng.zipf(rng.uniform(1.4, 3), int(rng.integers(4, 30))) if seed % 2 else rng.geometric(0.3, 20)
    return {1: 3, 2: 1, **class_sizes(sizes[sizes < 12])}


@pytest.mark.parametrize("seed", range(8))
def test_pitman_against_a_grid(seed: int) -> None:
    sizes = drawn(seed)
    found = pitman(sizes, 10 * records(sizes))
    best, theta, alpha = naive.pitman(sizes)
    if found.alpha is None or found.theta is None:
        assert found.population_uniques is None
        assert alpha < 1e-5
        return
    assert naive.log_likelihood(sizes, found.theta, found.alpha) >= best - 1e-9
    assert (found.theta, found.alpha) == (pytest.approx(theta, rel=1e-4, abs=1e-4), pytest.approx(alpha, abs=1e-4))


def test_the_grid_sees_both_kinds_of_samples() -> None:
    assert {pitman(drawn(seed), 1000).alpha is None for seed in range(8)} == {True, False}


@pytest.mark.parametrize("seed", range(40))
def test_slide_law_added_up(seed: int) -> None:
    rng = np.random.default_rng(seed)
    population = 1 + rng.negative_binomial(rng.uniform(0.2, 2), rng.uniform(0.1, 0.7), int(rng.integers(50, 400)))
    sampled = rng.binomial(population, rng.uniform(0.15, 0.9))
    sizes, total = class_sizes(sampled[sampled > 0]), int(population.sum())
    found = snb(sizes, total)
    assert found.population_classes == pytest.approx(float(naive.shlosser(sizes, total)), rel=1e-11)
    if found.alpha is None or found.beta is None:
        assert found.population_uniques is None
        return
    assert 0 < found.beta < 1
    assert found.alpha > 0
    alone, ones, twos = naive.slide_expectations(
        found.population_classes, found.alpha, found.beta, found.sampling_fraction
    )
    assert found.population_uniques == pytest.approx(alone, rel=1e-9)
    assert ones == pytest.approx(sizes[1], rel=1e-7)
    assert twos == pytest.approx(sizes[2], rel=1e-7)


def test_slide_law_is_found_wherever_there_is_one() -> None:
    """Expected counts of known laws, so that a solution exists, lead back to the law."""
    for alpha in (0.3, 1.0, 4.0):
        for beta in (0.1, 0.5, 0.9):
            for f in (0.15, 0.4, 0.8):
                _, ones, twos = naive.slide_expectations(1e6, alpha, beta, f)
                sample: Any = SimpleNamespace(uniques=ones, pairs=twos, fraction=f)
                found = _slide_law(sample, 1e6)
                assert found == (pytest.approx(alpha, rel=1e-6), pytest.approx(beta, rel=1e-6))


@settings(max_examples=40)
@given(sizes=SIZES, alone=ALONE, factor=st.floats(1, 50))
def test_the_rule_follows_the_sampling_fraction(sizes: dict[int, int], alone: int, factor: float) -> None:
    sizes = {1: alone, **sizes}
    population = int(records(sizes) * factor)
    found = dankar(sizes, population)
    by_zayatz = zayatz(sizes, population).population_uniques
    assert by_zayatz is not None
    if records(sizes) <= 0.1 * population:
        wanted, name = pitman(sizes, population).population_uniques, "pitman"
    else:
        slide = snb(sizes, population).population_uniques
        smaller = slide is not None and slide < by_zayatz
        wanted, name = (slide, "snb") if smaller else (None, "zayatz")
    assert found.population_uniques == (by_zayatz if wanted is None else wanted)
    assert found.chosen == ("zayatz" if wanted is None else name)


@settings(max_examples=60)
@given(sizes=SIZES, alone=st.integers(0, 30), factor=st.floats(1, 1000), name=st.sampled_from(list(ESTIMATORS)))
def test_every_answer_makes_sense(sizes: dict[int, int], alone: int, factor: float, name: str) -> None:
    sizes = {1: alone, **sizes}
    population = max(int(records(sizes) * factor), 1)
    found = estimate(name, sizes, population)
    assert found.population == population
    if found.population_uniques is None:
        assert name in ("pitman", "snb")
        assert found.share is None
        assert found.chance is None
        return
    assert 0 <= found.population_uniques <= population
    assert found.share == found.population_uniques / population
    assert found.chance is not None
    assert 0 <= found.chance <= 1


@pytest.mark.parametrize("name", list(ESTIMATORS))
def test_edges(name: str) -> None:
    assert estimate(name, {}, 5).population_uniques == 0
    assert estimate(name, {2: 3, 7: 1}, 500).population_uniques == 0
    assert estimate(name, {1: 4, 2: 3}, 10).population_uniques == 4  # the sample is the population
    assert estimate(name, {1: 4}, 4).population_uniques == 4
    assert estimate(name, {1: 3, 2: 2, 5: 0}, 50) == estimate(name, {1: 3, 2: 2}, 50)


def test_without_an_answer() -> None:
    assert pitman({1: 40}, 4000).population_uniques is None
    assert snb({1: 40, 3: 2}, 400).population_uniques is None  # no class of two
    assert dankar({1: 40}, 4000).chosen == "zayatz"
    assert dankar({1: 40}, 4000).share == 1
    assert pitman({1: 3, 2: 10**6}, 10**8).alpha is None


@pytest.mark.parametrize("name", list(ESTIMATORS))
def test_a_hundred_million_records_cost_no_more(name: str) -> None:
    """Scaling class counts scales the answer nearly, so a small sample tells what a large one must give."""
    base = {1: 3000, 2: 800, 3: 400, 4: 200, 5: 100, 9: 100, 40: 10}
    large = {size: count * 20_000 for size, count in base.items()}
    small, big = (estimate(name, sizes, 8 * records(sizes)).share for sizes in (base, large))
    assert records(large) > 10**8
    assert small is not None
    assert big == pytest.approx(small, rel=0.02)


def test_exact_expectation_of_pitman() -> None:
    """The expectation for N persons is a product over persons, one after the other."""
    found = pitman({1: 30, 2: 8, 3: 4, 4: 2, 5: 1, 9: 1}, 1500)
    assert found.theta is not None
    assert found.alpha is not None
    alone = 1500.0
    for i in range(1499):
        alone *= (found.theta + found.alpha + i) / (found.theta + 1 + i)
    assert found.exact_expectation == pytest.approx(alone, rel=1e-11)


@given(sizes=st.lists(st.integers(1, 40), max_size=60))
def test_class_sizes_are_counted(sizes: list[int]) -> None:
    assert class_sizes(np.array(sizes, np.int64)) == {size: sizes.count(size) for size in sorted(set(sizes))}


def test_class_sizes_of_one_huge_group() -> None:
    assert class_sizes(np.array([1, 10**9, 1])) == {1: 2, 10**9: 1}


@pytest.mark.parametrize(
    ("sizes", "population", "parameter"),
    [
        ({0: 1}, 5, "sizes"),
        ({1: -1}, 5, "sizes"),
        ({1.5: 1}, 5, "sizes"),
        ({True: 1}, 5, "sizes"),
        ({1: 2.0}, 5, "sizes"),
        ({1: 2, 2: 2}, 5, "population"),
        ({}, 0, "population"),
        ({1: 1}, 7.5, "population"),
        ({1: 1}, inf, "population"),
    ],
)
def test_bad_requests(sizes: Any, population: Any, parameter: str) -> None:
    for name in ESTIMATORS:
        with pytest.raises(BadRequest) as caught:
            estimate(name, sizes, population)
        assert caught.value.parameter == parameter
