"""(alpha,k)-anonymity as k-anonymity and bounded confidence together."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.naive_diversity import largest_share, merges, partitions
from sfumato import BadRequest, GroupStats
from sfumato.models import AlphaKAnonymity, ConfidenceBounding, KAnonymity

ALPHAS = st.fractions(0, 1, max_denominator=12)
VALUES = st.one_of(st.none(), st.sets(st.sampled_from("abcdef"), min_size=1).map(lambda some: tuple(sorted(some))))


def drawn(groups: list[dict[str, int]]) -> GroupStats:
    return GroupStats.from_histograms(groups, column="S")


@given(partitions(), ALPHAS, st.integers(1, 12), VALUES)
def test_agrees_with_exact_shares(groups: Any, alpha: Fraction, k: int, values: Any) -> None:
    verdict = AlphaKAnonymity(alpha=float(alpha), k=k, values=values, sensitive="S").check(drawn(groups))
    large = all(sum(group.values()) >= k for group in groups)
    most = max(largest_share(group, values) for group in groups)
    assert verdict.satisfied == (large and most <= alpha)
    assert verdict.strongest == (pytest.approx(float(most)) if large else None)


@given(partitions(), ALPHAS, st.integers(1, 12))
def test_is_the_conjunction_of_two_models(groups: Any, alpha: Fraction, k: int) -> None:
    stats = drawn(groups)
    parts = [KAnonymity(k=k), *(ConfidenceBounding(value=v, h=float(alpha), sensitive="S") for v in "abcde")]
    mine = AlphaKAnonymity(alpha=float(alpha), k=k, sensitive="S").check(stats)
    assert mine.satisfied == all(part.check(stats).satisfied for part in parts)


@given(merges(20), ALPHAS, st.integers(1, 12), VALUES)
def test_merging_keeps_it(draw: Any, alpha: Fraction, k: int, values: Any) -> None:
    model, before = AlphaKAnonymity(alpha=float(alpha), k=k, values=values, sensitive="S"), drawn(draw[0])
    assert model.check(before.merge(draw[1])) or not model.check(before)


def test_merging_may_add_violating_records() -> None:
    groups, target = AlphaKAnonymity.counterexamples["violations_shrink_under_merge"]
    model = AlphaKAnonymity(alpha=0.7, k=3, sensitive="Disease")
    assert (model.check(groups).violating_records, model.check(groups.merge(target)).violating_records) == (30, 40)


def test_small_groups_come_first_and_say_so() -> None:
    verdict = AlphaKAnonymity(alpha=0.5, k=4, sensitive="S").check(
        drawn([{"a": 3, "b": 1}, {"a": 1, "b": 1}, {"a": 1}, {"a": 2, "b": 2}])
    )
    assert verdict.bound == "share <= 0.5 and >= 4 records"
    assert verdict.strongest is None
    assert [(found.size, found.measured) for found in verdict.violations] == [(1, 1.75), (2, 1.5), (4, 0.75)]
    assert verdict.violations[-1].witness == {"records": 4, "value": "a", "share": 0.75}


def test_a_small_group_violates_even_with_alpha_1() -> None:
    assert not AlphaKAnonymity(alpha=1, k=10**6, sensitive="S").check(drawn([{"a": 10**6 - 1}]))


def test_a_small_group_without_a_bounded_value_has_a_witness() -> None:
    (violation,) = AlphaKAnonymity(alpha=0.5, k=2, values=("z",), sensitive="S").check(drawn([{"a": 1}])).violations
    assert violation.witness == {"records": 1, "value": None, "share": 0.0}


def test_what_no_masking_can_reach() -> None:
    assert AlphaKAnonymity(alpha=0.25, k=2, sensitive="S").least_size() == 4
    assert AlphaKAnonymity(alpha=0.25, k=2, values=("a",), sensitive="S").least_size() == 2
    assert AlphaKAnonymity(alpha=0, k=2, sensitive="S").necessary(100) == "alpha=0 on all values allows no record"
    assert AlphaKAnonymity(alpha=0.25, k=2, sensitive="S").necessary(3) is not None


@pytest.mark.parametrize(
    ("given_", "rule"),
    [
        ({"values": ()}, "at least one value"),
    ],
)
def test_bad_parameters(given_: dict[str, Any], rule: str) -> None:
    with pytest.raises(BadRequest, match=rule):
        AlphaKAnonymity(**{"alpha": 0.5, "k": 2, "sensitive": "S", **given_})


def test_saved_and_rebuilt() -> None:
    model = AlphaKAnonymity(alpha=0.5, k=2, sensitive="S", values=("a", "b"))
    assert AlphaKAnonymity.from_spec(model.spec()) == model
