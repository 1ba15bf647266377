"""Basic β-likeness against gains counted one by one."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato
from oracles import naive_distributions as naive
from sfumato.errors import BadRequest
from sfumato.groups.stats import GroupStats
from sfumato.models import BasicBetaLikeness

HISTOGRAMS = st.lists(st.dictionaries(st.sampled_from("abcd"), st.integers(1, 6), min_size=1), min_size=1, max_size=5)


@given(groups=HISTOGRAMS, beta=st.sampled_from([0.25, 0.5, 1, 2.5]))
def test_gains_like_anybody_would(groups: list[dict[str, int]], beta: float) -> None:
    table = naive.overall(groups)
    stats = GroupStats.from_histograms(groups, column="s")
    wanted = [max(naive.gains(group, table).values()) for group in groups]
    model = BasicBetaLikeness(beta=beta, sensitive="s")
    assert model.measure(stats).tolist() == pytest.approx([float(gain) for gain in wanted], abs=1e-15)
    verdict = model.check(stats, worst=10)
    assert verdict.satisfied == (max(wanted) <= Fraction(beta))
    for found in verdict.violations:
        gains = naive.gains(groups[found.group[0]], table)
        witness = found.witness
        assert gains[witness["value"]] == max(gains.values())
        assert witness["gain"] == found.measured
        assert set(witness["violating_values"]) == {value for value, gain in gains.items() if gain > Fraction(beta)}
        posterior, prior = naive.shares(groups[found.group[0]])[witness["value"]], naive.shares(table)[witness["value"]]
        assert (witness["posterior"], witness["prior"]) == (float(posterior), float(prior))
        assert witness["ratio"] == pytest.approx(1 + witness["gain"])


@given(groups=HISTOGRAMS)
def test_no_share_exceeds_its_multiple(groups: list[dict[str, int]]) -> None:
    stats = GroupStats.from_histograms(groups, column="s")
    beta = BasicBetaLikeness(beta=1, sensitive="s").check(stats).strongest
    assert beta is not None
    table = naive.shares(naive.overall(groups))
    for group in groups:
        for value, share in naive.shares(group).items():
            assert share <= (1 + beta) * table[value] * (1 + 1e-12)


def test_a_value_that_vanishes_is_no_gain() -> None:
    rows = [("x", "a"), ("x", "b"), ("y", "a"), ("y", "a"), ("y", "b"), ("y", "b"), ("y", "c")]
    (verdict,) = sfumato.check(
        sfumato.from_rows(["q", "s"], rows), BasicBetaLikeness(beta=10, sensitive="s"), qid=["q"]
    )
    assert verdict.satisfied
    assert verdict.strongest == pytest.approx(0.4)  # c in y: 1/5 over 1/7


@pytest.mark.parametrize("wrong", [{"beta": 0}, {"beta": -1}, {"beta": "much"}, {"sensitive": 3}, {"qid": ("s",)}])
def test_refusals(wrong: dict[str, Any]) -> None:
    with pytest.raises(BadRequest) as refused:
        BasicBetaLikeness(**{"beta": 1, "sensitive": "s", **wrong})
    assert refused.value.parameter == f"basic-beta-likeness.{next(iter(wrong))}"
