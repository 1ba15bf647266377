"""The alpha-beta algorithm: its law against every possible outcome, its estimator, its calibration, its release."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato
from oracles.naive_sanitization import alpha_beta_sets
from sfumato.algorithms import AlphaBeta
from sfumato.algorithms.mechanisms.alpha_beta import _counterfeits
from sfumato.errors import BadRequest, Infeasible
from sfumato.models import DGammaPrivacy

DOMAINS: dict[str, Any] = {"age": {"low": 1, "high": 3}, "sex": ["f", "m"]}
ROWS = [(1, "f"), (3, "m")]


def policy(requirement: dict[str, Any] | None = None, **parameters: Any) -> dict[str, Any]:
    return {
        "columns": {"age": {"role": "quasi-identifier"}, "sex": {"role": "quasi-identifier"}},
        "requirements": [requirement or {"id": "d-gamma-privacy", "d": 0.1, "gamma": 0.6}],
        "algorithm": {"id": "alpha-beta", "domains": DOMAINS, **parameters},
    }


def table(rows: Any = ROWS) -> Any:
    return sfumato.from_rows(["age", "sex"], rows)


def test_every_set_comes_as_often_as_it_should() -> None:
    """2,000 seeded runs against all 64 outcomes by chi-squared, at the level 1e-6 (df 63: 138.6)."""
    alpha, beta = Fraction(2, 5), Fraction(1, 5)
    domain = [(age, sex) for age in (1, 2, 3) for sex in "fm"]
    law = alpha_beta_sets(domain, ROWS, alpha, beta)
    asked = policy(alpha=float(alpha), beta=float(beta))
    algorithm = AlphaBeta(domains=DOMAINS, alpha=0.4, beta=0.2)
    rng, runs = np.random.default_rng(5), 2000
    places = np.array([0, 5])
    seen: Counter[frozenset[Any]] = Counter()
    for _ in range(runs):
        kept = places[rng.random(2) < algorithm.keep_probability]
        drawn = np.concatenate([kept, _counterfeits(places, 6, algorithm.counterfeit_probability, rng)])
        seen[frozenset(domain[at] for at in drawn.tolist())] += 1
    squares = sum((seen[out] - runs * float(p)) ** 2 / (runs * float(p)) for out, p in law.items())
    assert squares < 138.6
    # The release draws in the same way.
    release = sfumato.anonymize(table(), {**asked, "seed": 3})
    rows = release.table.to_rows()
    assert set(rows) <= set(domain)
    assert len(rows) == release.private.facts["kept"] + release.private.facts["counterfeits"]


@settings(max_examples=60)
@given(
    others=st.integers(0, 40),
    true=st.sets(st.integers(0, 60), min_size=1, max_size=20),
    beta=st.sampled_from([0.0, 0.1, 0.5, 1.0]),
    seed=st.integers(0, 99),
)
def test_counterfeits_are_never_true_and_never_twice(others: int, true: set[int], beta: float, seed: int) -> None:
    size = max(true) + 1 + others
    drawn = _counterfeits(np.array(sorted(true, reverse=True)), size, beta, np.random.default_rng(seed)).tolist()
    assert len(set(drawn)) == len(drawn)
    assert set(drawn) <= set(range(size)) - true
    if beta == 1.0:
        assert set(drawn) == set(range(size)) - true


def test_the_estimate_is_unbiased_exactly() -> None:
    alpha, beta = Fraction(2, 5), Fraction(1, 5)
    domain = [(age, sex) for age in (1, 2, 3) for sex in "fm"]
    algorithm = AlphaBeta(domains=DOMAINS, alpha=0.4, beta=0.2)
    wanted = [record for record in domain if record[1] == "f"]
    mean = sum(
        float(p) * algorithm.estimate(sum(record in wanted for record in out), len(wanted))
        for out, p in alpha_beta_sets(domain, ROWS, alpha, beta).items()
    )
    assert mean == pytest.approx(sum(record in wanted for record in ROWS))


def test_estimates_from_the_published_table() -> None:
    algorithm = AlphaBeta(domains=DOMAINS, alpha=0.4, beta=0.2)
    published = table([(1, "f"), (2, "f"), (3, "m")])
    assert algorithm.estimate_where(published, {"sex": "f"}) == pytest.approx((2 - 0.2 * 3) / 0.4)
    assert algorithm.estimate_where(published, {"age": {"low": 1, "high": 2}}) == pytest.approx((2 - 0.2 * 4) / 0.4)
    assert algorithm.estimate_where(published, {"sex": ["f"], "age": 2}) == pytest.approx((1 - 0.2) / 0.4)
    assert algorithm.estimate_where(published, {}) == pytest.approx((3 - 0.2 * 6) / 0.4)


def test_a_large_domain_is_not_walked() -> None:
    """10^12 possible records; the expected 50,000 false ones lie within 7 standard deviations (1e-11)."""
    names = [f"c{i}" for i in range(4)]
    domains = {name: {"low": 1, "high": 1000} for name in names}
    rows = [(i + 1, 1, 1, 1) for i in range(200)]
    asked = {
        "columns": {name: {"role": "quasi-identifier"} for name in names},
        "requirements": [{"id": "d-gamma-privacy", "d": 1e-9, "gamma": 0.5}],
        "algorithm": {"id": "alpha-beta", "domains": domains, "alpha": 0.5, "beta": 5e-8},
        "seed": 1,
    }
    release = sfumato.anonymize(sfumato.from_rows(names, rows), asked)
    facts = release.private.facts
    assert facts["domain_size"] == 10**12
    assert abs(facts["counterfeits"] - 50_000) < 7 * 50_000**0.5
    assert release.table.distinct(names) == release.table.rows


def test_given_probabilities_are_checked() -> None:
    strict = {"id": "d-gamma-privacy", "d": 0.1, "gamma": 0.2}
    with pytest.raises(Infeasible) as refused:
        sfumato.anonymize(table(), policy(strict, alpha=0.8, beta=0.05))
    assert refused.value.measured > 0.2  # type: ignore[operator]
    with pytest.raises(Infeasible):
        sfumato.anonymize(table(), policy({"id": "d-gamma-privacy", "d": 0.2, "gamma": 0.2}))


@settings(max_examples=100)
@given(d=st.floats(0.001, 0.4), more=st.floats(1.05, 2.0))
def test_calibration_is_on_the_edge(d: float, more: float) -> None:
    model = DGammaPrivacy(d=d, gamma=min(d * more, 0.99))
    alpha, beta = AlphaBeta(domains=DOMAINS).settled(model).probabilities
    assert model.audit(alpha, beta).satisfied
    assert not model.audit(min(alpha * 1.001, 1 - beta), beta).satisfied
    # The formula of the docstring.
    k, u = model.gamma * (1 - d) / (d * (1 - model.gamma)), 1 - d / model.gamma
    assert (alpha, beta) == pytest.approx(((k - 1) * u / (k - 1 + u), u / (k - 1 + u)))


@pytest.mark.parametrize(
    "wrong",
    [
        {"domains": {}},
        {"domains": {"age": {"low": 0, "high": 1.5}}},
        {"domains": {"age": {"low": 3, "high": 1}}},
        {"domains": {"age": {"low": 0, "high": 9, "bins": 3}}},
        {"domains": {"sex": []}},
        {"domains": {"sex": ["f", "f"]}},
        {"domains": DOMAINS, "alpha": 0.3},
        {"domains": DOMAINS, "alpha": 0.8, "beta": 0.3},
        {"domains": DOMAINS, "alpha": -0.1, "beta": 0.3},
    ],
)
def test_parameters_that_make_no_procedure(wrong: Any) -> None:
    with pytest.raises(BadRequest):
        AlphaBeta(**wrong)


def test_tables_that_are_no_set_of_possible_records() -> None:
    with pytest.raises(BadRequest, match="1 records repeat"):
        sfumato.anonymize(table([*ROWS, ROWS[0]]), policy())
    with pytest.raises(BadRequest, match="outside") as refused:
        sfumato.anonymize(table([(9, "f")]), policy())
    assert refused.value.column == "age"
    wide = {f"c{i}": {"low": 1, "high": 10**6} for i in range(3)}
    asked = policy(alpha=0.1, beta=0.5, domains=wide)
    asked["columns"] = {name: {"role": "quasi-identifier"} for name in wide}
    with pytest.raises(BadRequest, match="more than"):
        sfumato.anonymize(sfumato.from_rows(list(wide), [(1, 1, 1)]), asked)
    with pytest.raises(BadRequest):
        AlphaBeta(domains=DOMAINS, alpha=0, beta=0.5).estimate(1, 2)
    with pytest.raises(BadRequest, match="settled"):
        AlphaBeta(domains=DOMAINS).keep_probability  # noqa: B018


def test_through_the_commands(commands: Callable[..., Path]) -> None:
    out = commands(["age", "sex"], ROWS, policy())
    certificate = json.loads((out / "public" / "certificate.json").read_text())
    assert (
        certificate["procedures"][0]["procedure"]["alpha"] == certificate["release"]["parameters"]["settings"]["alpha"]
    )
    assert certificate["release"]["truthful"] is False
    assert "records_read" not in certificate["counts"]
