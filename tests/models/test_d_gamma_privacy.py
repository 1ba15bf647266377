"""(d, gamma)-privacy of the alpha-beta procedure against Bayes' rule on a grid of priors."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from oracles.naive_mechanisms import posterior
from sfumato.errors import BadRequest, Infeasible
from sfumato.models import DGammaPrivacy
from sfumato.models.d_gamma_privacy import posterior_absent, posterior_present

SHARES = st.integers(1, 19).map(lambda n: Fraction(n, 20))
NOISE = st.tuples(st.integers(0, 20), st.integers(0, 20)).filter(lambda both: 0 < sum(both) < 20)
PAIRS = NOISE.map(lambda both: (Fraction(both[0], 20), Fraction(both[1], 20)))


def smallest_gamma(d: Fraction, alpha: Fraction, beta: Fraction, priors: list[Fraction]) -> Fraction | float:
    """Return the smallest gamma for these priors, event by event."""
    wanted: list[Fraction | float] = [d]
    for prior in priors:
        for if_true, if_false in ((alpha + beta, beta), (1 - alpha - beta, 1 - beta)):
            after = posterior(prior, if_true, if_false)
            if after is not None:
                wanted += [after, d * prior / after if after else math.inf]
    return max(wanted)


@given(prior=SHARES, noise=PAIRS)
def test_posteriors_follow_bayes(prior: Fraction, noise: tuple[Fraction, Fraction]) -> None:
    alpha, beta = noise
    given_present = posterior(prior, alpha + beta, beta)
    given_absent = posterior(prior, 1 - alpha - beta, 1 - beta)
    numbers = float(prior), float(alpha), float(beta)
    assert given_present is not None
    assert given_absent is not None
    assert posterior_present(*numbers) == pytest.approx(float(given_present))
    assert posterior_absent(*numbers) == pytest.approx(float(given_absent))


@given(d=SHARES, gamma=SHARES, noise=PAIRS, steps=st.lists(st.integers(1, 10), min_size=1, max_size=4))
def test_given_priors_are_judged_one_by_one(
    d: Fraction, gamma: Fraction, noise: tuple[Fraction, Fraction], steps: list[int]
) -> None:
    assume(d <= gamma)
    priors = [d * step / 10 for step in steps]
    wanted = smallest_gamma(d, *noise, priors)
    audit = DGammaPrivacy(d=float(d), gamma=float(gamma)).audit(
        float(noise[0]), float(noise[1]), [*map(float, priors), 0.0, 1.0]
    )
    assert audit.measured == pytest.approx(float(wanted))
    assert audit.satisfied == (wanted <= gamma)


@given(d=SHARES, gamma=SHARES, noise=PAIRS)
def test_all_priors_means_a_fine_grid_of_them(d: Fraction, gamma: Fraction, noise: tuple[Fraction, Fraction]) -> None:
    assume(d <= gamma)
    alpha, beta = noise
    grid = [d * Fraction(step, 16) for step in range(1, 17)] + [d / 10**9]
    wanted = smallest_gamma(d, alpha, beta, grid)
    model = DGammaPrivacy(d=float(d), gamma=float(gamma))
    audit = model.audit(float(alpha), float(beta))
    # The grid ends a billionth above 0, where the ratio is smallest.
    assert audit.measured == pytest.approx(float(wanted), rel=1e-8)
    if abs(float(wanted) - float(gamma)) > 1e-7:
        assert audit.satisfied == (wanted < gamma)
    exact = (
        beta * gamma * (1 - d) >= (alpha + beta) * d * (1 - gamma),
        alpha + beta <= 1 - d / gamma,
    )
    assert model.sufficient(float(alpha), float(beta)) == all(exact) == audit.witness["sufficient_test"]
    if all(exact):
        assert audit.satisfied


def test_the_sufficient_test_is_not_necessary() -> None:
    model = DGammaPrivacy(d=0.1, gamma=0.5)
    assert not model.sufficient(0.5, 0.35)
    assert model.audit(0.5, 0.35)


@given(d=SHARES, gamma=SHARES)
def test_calibration_is_as_large_as_the_test_allows(d: Fraction, gamma: Fraction) -> None:
    assume(d < gamma)
    model = DGammaPrivacy(d=float(d), gamma=float(gamma))
    careful, exact = model.calibrate(), model.calibrate(exact=True)
    assert model.sufficient(**careful)
    assert model.audit(**exact)
    assert exact["alpha"] >= careful["alpha"] * (1 - 1e-9)
    for step in range(1, 100):
        beta = step / 100
        if careful["alpha"] * 1.001 + beta <= 1:
            assert not model.sufficient(careful["alpha"] * 1.001, beta)
        if exact["alpha"] * 1.001 + beta <= 1:
            assert not model.audit(exact["alpha"] * 1.001, beta)


def test_no_room_between_d_and_gamma() -> None:
    with pytest.raises(Infeasible, match="gamma equals d"):
        DGammaPrivacy(d=0.2, gamma=0.2).calibrate()


def test_procedures_that_say_nothing_or_everything() -> None:
    model = DGammaPrivacy(d=0.1, gamma=0.5)
    for says_nothing in ((0.0, 0.0), (0.0, 1.0), (0.0, 0.3)):
        audit = model.audit(*says_nothing)
        assert (audit.satisfied, audit.measured) == (True, pytest.approx(0.1))
    assert model.audit(0.0, 0.0).witness["largest_posterior"] is None
    assert model.audit(0.0, 1.0).witness["smallest_ratio"] is None
    truth = model.audit(1.0, 0.0)
    assert (truth.satisfied, truth.measured) == (False, math.inf)
    assert truth.witness["largest_posterior"] == 1


@pytest.mark.parametrize(
    ("call", "says"),
    [
        ({"alpha": -0.1, "beta": 0.2}, "alpha"),
        ({"alpha": 0.1, "beta": 1.2}, "beta"),
        ({"alpha": 0.6, "beta": 0.6}, "exceed"),
        ({"alpha": "x", "beta": 0.6}, "alpha"),
        ({"alpha": 0.6, "beta": 0.2, "priors": [0.2]}, "from 0 to d"),
        ({"alpha": 0.6, "beta": 0.2, "priors": [0, 1]}, "can change"),
    ],
)
def test_bad_procedures_are_refused(call: dict[str, Any], says: str) -> None:
    with pytest.raises(BadRequest, match=says):
        DGammaPrivacy(d=0.1, gamma=0.5).audit(**call)


def test_gamma_below_d_is_refused() -> None:
    with pytest.raises(BadRequest, match=r"gamma: must be at least d"):
        DGammaPrivacy(d=0.5, gamma=0.1)
