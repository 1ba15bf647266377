"""k-map from the size of the population alone: tails with sixty digits, and k' as the only thing that counts."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato
from oracles import naive_distributions as naive
from sfumato.engines import from_rows
from sfumato.errors import BadRequest, Infeasible
from sfumato.groups.stats import GroupStats
from sfumato.models import KMapEstimated

LAWS = ("zero-truncated-poisson", "poisson")


@given(
    k=st.integers(1, 60),
    sample=st.integers(1, 400),
    more=st.integers(0, 2000),
    significance=st.sampled_from([0.3, 0.05, 0.01, 1e-6]),
    law=st.sampled_from(LAWS),
)
def test_smallest_size_with_a_small_tail(k: int, sample: int, more: int, significance: float, law: str) -> None:
    population = sample + more
    model = KMapEstimated(k=k, population=population, sample=sample, significance=significance, law=law)
    found = model.required()
    rate = Fraction(k * sample, population)
    truncated = law == LAWS[0]
    assert found.rate == pytest.approx(float(rate))
    assert found.tail == pytest.approx(naive.poisson_tail(rate, found.size, truncated=truncated), rel=1e-9, abs=1e-14)
    assert naive.poisson_tail(rate, found.size, truncated=truncated) <= significance
    assert found.size == 1 or naive.poisson_tail(rate, found.size - 1, truncated=truncated) > significance
    assert found.required == min(found.size, k, sample) == model.least_size() == model.bound().threshold
    as_arx = KMapEstimated.from_spec({**model.spec(), "as_arx": True}).required()
    assert as_arx.required == min(found.size + (not truncated), k, sample)


def test_large_rates_do_not_underflow() -> None:
    found = KMapEstimated(k=20_000, population=20_000, sample=10_000, law="poisson").required()
    assert found.size == pytest.approx(10_000 + 1.645 * 100, abs=3)


@given(sizes=st.lists(st.integers(1, 9), min_size=1, max_size=6), k=st.integers(1, 12))
def test_it_is_k_prime_anonymity(sizes: list[int], k: int) -> None:
    model = KMapEstimated(k=k, population=20 * sum(sizes))
    verdict = model.check(GroupStats.from_sizes(sizes), worst=10)
    told = KMapEstimated(k=k, population=20 * sum(sizes), sample=sum(sizes))
    assert verdict == told.check(GroupStats.from_sizes(sizes), worst=10)
    assert verdict.satisfied == (min(sizes) >= told.least_size())
    assert verdict.strongest == min(sizes)
    for found in verdict.violations:
        assert found.witness["expected_population"] == pytest.approx(20 * found.size)


def test_the_sample_is_the_checked_table() -> None:
    table = from_rows(["q"], [("a",)] * 2 + [("b",)] * 98)
    (verdict,) = sfumato.check(table, KMapEstimated(k=5, population=1000), qid=["q"])
    assert (verdict.satisfied, verdict.bound, verdict.parameters["sample"]) == (False, ">= 3", 100)
    nobody = table.drop_groups(["q"], [("a",), ("b",)])
    (verdict,) = sfumato.check(nobody, KMapEstimated(k=5, population=1000), qid=["q"])
    assert (verdict.satisfied, verdict.strongest) == (True, None)
    with pytest.raises(BadRequest, match="population"):
        sfumato.check(table, KMapEstimated(k=5, population=99), qid=["q"])


def test_a_search_must_be_told_the_sample() -> None:
    model = KMapEstimated(k=5, population=1000)
    for ask in (model.bound, model.least_size, model.required):
        with pytest.raises(BadRequest, match="must be given") as refused:
            ask()
        assert refused.value.parameter == "k-map-estimated.sample"
    assert model.necessary(1) is None
    assert KMapEstimated(k=5, population=1000, sample=100).necessary(2) is not None
    assert "101 records" in str(KMapEstimated(k=5, population=1000, sample=100).necessary(101))


def test_a_sample_smaller_than_the_table_is_not_published_by() -> None:
    """It would ask for smaller groups than the records need: of one sampled record in 10,000 any group would do."""
    table = from_rows(["q"], [("a",)] * 4 + [("b",)] * 6)
    asked = {
        "columns": {"q": {"role": "quasi-identifier"}},
        "requirements": [{"id": "k-map-estimated", "k": 5, "population": 10_000, "sample": 1}],
        "algorithm": {"id": "optimal"},
    }
    with pytest.raises(Infeasible, match="only 1 are said to be sampled"):
        sfumato.anonymize(table, asked)


@pytest.mark.parametrize(
    ("wrong", "parameter"),
    [
        ({"k": 0}, "k"),
        ({"population": 0}, "population"),
        ({"significance": 0}, "significance"),
        ({"significance": 1}, "significance"),
        ({"law": "binomial"}, "law"),
        ({"sample": 0}, "sample"),
        ({"sample": 101}, "sample"),
        ({"as_arx": 1}, "as_arx"),
    ],
)
def test_refusals(wrong: dict[str, Any], parameter: str) -> None:
    with pytest.raises(BadRequest) as refused:
        KMapEstimated(**{"k": 2, "population": 100, "sample": 10, **wrong})
    assert refused.value.parameter == f"k-map-estimated.{parameter}"
