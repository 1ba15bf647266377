"""Select-a-size against full enumeration: what may come out of a basket, how likely, and what can be estimated from it."""

from __future__ import annotations

from itertools import combinations
from math import inf, isclose

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import BadRequest, Infeasible
from sfumato.transactions.models.rho1_to_rho2 import Rho1ToRho2, amplification
from sfumato.transactions.perturbations.select_a_size import (
    SelectASize,
    best_operator,
    randomized,
    recovered_support,
)

UNIVERSE = "abcde"
Output = frozenset[str]


def outputs(operator: SelectASize, basket: frozenset[str]) -> dict[Output, float]:
    """Return the probability of every output, by trying all that can happen."""
    out: dict[Output, float] = {}
    others = [name for name in UNIVERSE if name not in basket]
    for kept in range(len(basket) + 1):
        ways = list(combinations(sorted(basket), kept))
        for way in ways:
            for added in range(len(others) + 1):
                for more in combinations(others, added):
                    chance = operator.p[kept] / len(ways) * operator.rho**added
                    chance *= (1 - operator.rho) ** (len(others) - added)
                    out[frozenset(way + more)] = out.get(frozenset(way + more), 0) + chance
    return out


chances = st.lists(st.integers(1, 20), min_size=4, max_size=4).map(
    lambda parts: tuple(one / sum(parts) for one in parts)
)


@given(p=chances, rho=st.floats(0.05, 0.95), items=st.integers(1, 3))
def test_transitions_are_those_of_full_enumeration(p: tuple[float, ...], rho: float, items: int) -> None:
    operator = SelectASize(p=p, rho=rho)
    asked = frozenset(UNIVERSE[:items])
    matrix = operator.transition(items)
    assert np.allclose(matrix.sum(1), 1)
    for true in range(items + 1):
        basket = frozenset(UNIVERSE[:true] + UNIVERSE[items : items + 3 - true])
        if len(basket) != 3:
            continue
        found = np.zeros(items + 1)
        for output, chance in outputs(operator, basket).items():
            found[len(output & asked)] += chance
        assert np.allclose(found, matrix[true])


@given(p=chances, rho=st.floats(0.05, 0.95))
def test_amplification_is_that_of_all_outputs(p: tuple[float, ...], rho: float) -> None:
    operator = SelectASize(p=p, rho=rho)
    mechanism = {basket: outputs(operator, frozenset(basket)) for basket in combinations(UNIVERSE, 3)}
    # A universe of 5 items has no two baskets of 3 that share nothing, but an output may share 0 with one and 3 with another.
    assert amplification(mechanism) <= operator.amplification * (1 + 1e-9)


def test_amplification_is_reached_in_a_larger_universe() -> None:
    operator = SelectASize(p=(0.1, 0.2, 0.7), rho=0.3)
    mechanism = {basket: outputs(operator, frozenset(basket)) for basket in combinations(UNIVERSE, 2)}
    assert isclose(amplification(mechanism), operator.amplification)


@given(
    rho=st.floats(0.05, 0.6),
    gamma=st.floats(1, 50),
    size=st.integers(1, 5),
    others=st.lists(st.floats(0, 1), min_size=6),
)
def test_no_operator_within_the_bound_keeps_more(rho: float, gamma: float, size: int, others: list[float]) -> None:
    best = best_operator(size, rho, gamma)
    assert best.operator.amplification <= gamma * (1 + 1e-9)
    # Any weights between 1 and gamma times the even ones give an operator within the bound.
    odds = rho / (1 - rho)
    even = best_operator(size, rho, 1.0).operator.p
    weights = [chance * (1 + (gamma - 1) * others[j]) for j, chance in enumerate(even)]
    rival = SelectASize(p=tuple(one / sum(weights) for one in weights), rho=rho)
    assert odds > 0
    assert rival.kept <= best.objective + 1e-9


def test_supports_are_recovered_without_bias() -> None:
    rng = np.random.default_rng(3)
    operators = {3: SelectASize(p=(0.1, 0.1, 0.2, 0.6), rho=0.2), 2: SelectASize(p=(0.1, 0.3, 0.6), rho=0.2)}
    baskets = [frozenset("abc")] * 1500 + [frozenset("abd")] * 1500 + [frozenset("cd")] * 3000
    outputs = randomized(baskets, UNIVERSE, operators, rng)
    found = recovered_support(outputs, [len(one) for one in baskets], operators, {"a", "b"})
    assert abs(found.support - 0.5) < 5 * found.variance**0.5
    assert 0 < found.variance**0.5 < 0.05


def test_an_item_stays_and_comes_as_often_as_promised() -> None:
    operator = SelectASize(p=(0.1, 0.2, 0.3, 0.4), rho=0.25)
    made = operator.apply([frozenset("abc")] * 20_000, UNIVERSE, np.random.default_rng(1))
    assert abs(sum("a" in one for one in made) / 20_000 - operator.retention) < 0.02
    assert abs(sum("e" in one for one in made) / 20_000 - 0.25) < 0.02


def test_variance_is_that_of_the_draws() -> None:
    operator = SelectASize(p=(0.1, 0.3, 0.6), rho=0.2)
    baskets = [frozenset("ab")] * 60 + [frozenset("cd")] * 40
    rng, estimates, variances = np.random.default_rng(5), [], []
    for _ in range(400):
        seen = [0, 0, 0]
        for output in operator.apply(baskets, UNIVERSE, rng):
            seen[len(output & {"a", "b"})] += 1
        found = operator.recover(seen)
        estimates.append(found.support)
        variances.append(found.variance)
    assert abs(np.mean(estimates) - 0.6) < 0.02
    # The formula also counts how baskets vary, which is fixed here: it can only be larger.
    assert np.var(estimates) < 1.2 * np.mean(variances)


@pytest.mark.parametrize(
    ("p", "rho", "says"),
    [((1.0,), 0.5, "add up"), ((0.5, 0.4), 0.5, "add up"), ((1.5, -0.5), 0.5, "add up"), ((0.5, 0.5), 1.5, "<= 1")],
)
def test_wrong_probabilities_are_refused(p: tuple[float, ...], rho: float, says: str) -> None:
    with pytest.raises(BadRequest, match=says):
        SelectASize(p=p, rho=rho)


def test_what_is_asked_wrongly_is_refused() -> None:
    operator = SelectASize(p=(0.2, 0.3, 0.5), rho=0.1)
    rng = np.random.default_rng(0)
    with pytest.raises(BadRequest, match="baskets of 2 items"):
        operator.apply([{"a"}], UNIVERSE, rng)
    with pytest.raises(BadRequest, match="every item"):
        operator.apply([{"a", "z"}], UNIVERSE, rng)
    with pytest.raises(BadRequest, match="1 to 2"):
        operator.transition(3)
    with pytest.raises(BadRequest, match="no operator"):
        randomized([{"a"}], UNIVERSE, {2: operator}, rng)
    with pytest.raises(Infeasible, match="beyond recovery"):
        SelectASize(p=(0.25, 0.5, 0.25), rho=0.5).recover([1, 1])
    for wrong in (
        {"size": 0, "rho": 0.5, "gamma": 2},
        {"size": 1, "rho": 0, "gamma": 2},
        {"size": 1, "rho": 0.5, "gamma": 0},
    ):
        with pytest.raises(BadRequest):
            best_operator(**wrong)  # type: ignore[arg-type]


def test_an_operator_without_a_doubt_amplifies_without_bound() -> None:
    assert SelectASize(p=(0.0, 1.0), rho=0.5).amplification == inf
    assert not Rho1ToRho2(rho1=0.1, rho2=0.9).audit(inf).satisfied


def test_the_strict_reading_stays_below_the_limit() -> None:
    loose, strict = Rho1ToRho2(rho1=0.05, rho2=0.5), Rho1ToRho2(rho1=0.05, rho2=0.5, strict=True)
    at_limit = best_operator(3, 0.25, loose.calibrate()["gamma"]).operator.amplification
    below = best_operator(3, 0.25, strict.calibrate()["gamma"]).operator.amplification
    assert loose.audit(at_limit).satisfied
    assert not strict.audit(strict.gamma_limit).satisfied
    assert strict.audit(below).satisfied
    with pytest.raises(BadRequest, match="above rho1"):
        Rho1ToRho2(rho1=0.5, rho2=0.5)
