"""Distributional privacy of finite procedures, against all ordered pairs of draws."""

from __future__ import annotations

import math
from collections.abc import Hashable
from fractions import Fraction
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.naive_mechanisms import quantile_of_pairs
from sfumato.errors import BadRequest, Unsupported
from sfumato.models import DifferentialPrivacy, DistributionalPrivacy


def noisy_sum(table: tuple[Any, ...]) -> dict[Hashable, Fraction]:
    """A steady answer: the odds of yes rise with the sum of the records."""
    yes = Fraction(1 + sum(table), 2 + 4 * len(table))
    return {"yes": yes, "no": 1 - yes}


def floats(table: tuple[Any, ...]) -> dict[Hashable, float]:
    return {output: float(share) for output, share in noisy_sum(table).items()}


POPULATIONS = st.lists(st.integers(0, 3), min_size=2, max_size=6)


@given(population=POPULATIONS, size=st.integers(1, 3), tenths=st.integers(0, 9))
def test_like_comparing_all_pairs_of_draws(population: list[int], size: int, tenths: int) -> None:
    size = min(size, len(population))
    beta = Fraction(tenths, 10)
    wanted = quantile_of_pairs(noisy_sum, population, size, beta)
    audit = DistributionalPrivacy(alpha=0.5, beta=float(beta)).audit(floats, population=population, size=size)
    assert audit.measured == pytest.approx(wanted, abs=1e-12)
    assert audit.satisfied == (wanted <= 0.5 * (1 + 1e-9))
    assert audit.satisfied == (audit.witness["share_beyond_alpha"] <= float(beta) * (1 + 1e-9) + 1e-9)
    assert audit.witness["pairs"] == math.comb(len(population), size) ** 2


@given(population=POPULATIONS, size=st.integers(1, 3))
def test_without_exceptions_it_is_at_least_differential_privacy(population: list[int], size: int) -> None:
    size = min(size, len(population))
    audit = DistributionalPrivacy(alpha=1, beta=0).audit(floats, population=population, size=size)
    tables = {table: floats(table) for table in combinations(sorted(population), size)}
    if len(tables) < 2:
        assert audit.measured == 0
        return
    single = DifferentialPrivacy(epsilon=1, adjacency="substitute").audit(tables)
    assert single.measured <= audit.measured + 1e-12


def test_rare_pairs_may_be_far_apart() -> None:
    """One record in five is special and gives itself away: pairs of draws differ in it with probability 2 · 1/5 · 4/5."""

    def tells(table: tuple[Any, ...]) -> dict[Hashable, float]:
        return {"special" if "x" in table else "plain": 1.0}

    population = ["a", "b", "c", "d", "x"]
    for beta, satisfied in ((0.32, True), (0.31, False)):
        audit = DistributionalPrivacy(alpha=0.1, beta=beta).audit(tells, population=population, size=1)
        assert audit.satisfied is satisfied
        assert audit.measured == (0 if satisfied else math.inf)
        assert audit.witness["share_beyond_alpha"] == pytest.approx(0.32)
        assert set(audit.witness["tables"][0] + audit.witness["tables"][1]) >= {"x"}


def test_a_procedure_may_be_a_mapping_of_tables() -> None:
    mechanism = {("a",): {"y": 0.5, "n": 0.5}, ("b",): {"y": 0.25, "n": 0.75}}
    audit = DistributionalPrivacy(alpha=1, beta=0).audit(mechanism, population=["a", "b", "b"], size=1)
    assert audit.measured == pytest.approx(math.log(2))
    with pytest.raises(BadRequest, match="no outputs"):
        DistributionalPrivacy(alpha=1, beta=0).audit(mechanism, population=["a", "c"], size=1)


def test_bad_requests_are_refused() -> None:
    model = DistributionalPrivacy(alpha=1, beta=0)
    for size in (0, 4, 1.5, True):
        with pytest.raises(BadRequest, match="size"):
            model.audit(floats, population=[1, 2, 3], size=size)  # type: ignore[arg-type]
    with pytest.raises(BadRequest, match="add up"):
        model.audit(lambda table: {"y": 0.5}, population=[1, 2], size=1)
    for population, size in ((list(range(60)), 30), (list(range(20)), 4)):
        with pytest.raises(Unsupported, match="too many tables"):
            model.audit(floats, population=population, size=size)
    with pytest.raises(Unsupported, match="calibrate"):
        model.calibrate(1.0)
    with pytest.raises(BadRequest, match="beta"):
        DistributionalPrivacy(alpha=1, beta=1)
