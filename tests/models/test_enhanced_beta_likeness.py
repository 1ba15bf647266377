"""Enhanced β-likeness: gains, caps, and what the cap is for."""

from __future__ import annotations

from math import inf, log
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles import naive_distributions as naive
from sfumato.errors import BadRequest
from sfumato.groups.stats import GroupStats
from sfumato.models import BasicBetaLikeness, EnhancedBetaLikeness

HISTOGRAMS = st.lists(st.dictionaries(st.sampled_from("abcd"), st.integers(1, 6), min_size=1), min_size=1, max_size=5)


@given(groups=HISTOGRAMS, beta=st.sampled_from([0.25, 0.5, 1, 2.5]))
def test_gains_and_caps_like_anybody_would(groups: list[dict[str, int]], beta: float) -> None:
    table = naive.overall(groups)
    stats = GroupStats.from_histograms(groups, column="s")
    wanted = [naive.capped_gain(group, table) for group in groups]
    model = EnhancedBetaLikeness(beta=beta, sensitive="s")
    assert model.measure(stats).tolist() == pytest.approx(wanted, abs=1e-15)
    verdict = model.check(stats, worst=10)
    assert verdict.satisfied == (max(wanted) <= beta)
    assert verdict.strongest == (None if inf in wanted else pytest.approx(max(wanted), abs=1e-15))
    caps = model.caps(stats)
    assert caps == pytest.approx({value: -log(share) for value, share in naive.shares(table).items()}, abs=1e-12)
    for found in verdict.violations:
        gains = naive.gains(groups[found.group[0]], table)
        beyond = {value for value, gain in gains.items() if gain > min(beta, caps[value]) + 1e-12}
        assert set(found.witness["violating_values"]) == beyond
        assert found.witness["value"] in beyond
        assert found.witness["cap"] == caps[found.witness["value"]]


@given(groups=HISTOGRAMS, beta=st.sampled_from([0.5, 1, 100]))
def test_it_is_stricter_than_the_basic_form_and_forbids_homogeneous_groups(
    groups: list[dict[str, int]], beta: float
) -> None:
    stats = GroupStats.from_histograms(groups, column="s")
    if EnhancedBetaLikeness(beta=beta, sensitive="s").check(stats):
        assert BasicBetaLikeness(beta=beta, sensitive="s").check(stats)
        assert len(naive.overall(groups)) == 1 or all(len(group) > 1 for group in groups)


def test_an_exceeded_cap_that_no_beta_mends() -> None:
    stats = GroupStats.from_histograms([{"A": 5}, {"A": 3, "B": 2}], column="s")
    verdict = EnhancedBetaLikeness(beta=10**6, sensitive="s").check(stats)
    assert (verdict.satisfied, verdict.strongest, verdict.violating_records) == (False, None, 5)
    (found,) = verdict.violations
    assert found.measured == inf
    assert found.witness["gain"] == pytest.approx(0.25)
    assert found.witness["cap"] == pytest.approx(0.2231, abs=1e-4)


def test_one_value_only() -> None:
    stats = GroupStats.from_histograms([{"A": 5}, {"A": 3}], column="s")
    model = EnhancedBetaLikeness(beta=0.1, sensitive="s")
    assert (model.check(stats).satisfied, model.check(stats).strongest) == (True, 0.0)
    assert model.witness(stats, 0)["violating_values"] == []


@pytest.mark.parametrize("wrong", [{"beta": 0}, {"beta": -1}, {"qid": ("s",)}])
def test_refusals(wrong: dict[str, Any]) -> None:
    with pytest.raises(BadRequest) as refused:
        EnhancedBetaLikeness(**{"beta": 1, "sensitive": "s", **wrong})
    assert refused.value.parameter == f"enhanced-beta-likeness.{next(iter(wrong))}"
