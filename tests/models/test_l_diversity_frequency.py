"""Frequency l-diversity against exact shares, and as bounded confidence."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.naive_diversity import frequency_l, largest_share, merges, partitions
from sfumato import GroupStats
from sfumato.models import ConfidenceBounding, FrequencyLDiversity, XYLinkability

LEVELS = st.fractions(1, 6, max_denominator=12)


def drawn(groups: list[dict[str, int]]) -> GroupStats:
    return GroupStats.from_histograms(groups, column="S")


@given(partitions(), LEVELS)
def test_shares_are_compared_exactly(groups: list[dict[str, int]], l: Fraction) -> None:
    verdict = FrequencyLDiversity(l=float(l), sensitive="S").check(drawn(groups))
    assert verdict.satisfied == all(largest_share(group) <= 1 / l for group in groups)
    assert verdict.strongest == pytest.approx(float(min(map(frequency_l, groups))))


@given(merges(30), LEVELS)
def test_merging_keeps_it(draw: tuple[list[dict[str, int]], list[int]], l: Fraction) -> None:
    model, before = FrequencyLDiversity(l=float(l), sensitive="S"), drawn(draw[0])
    assert model.check(before.merge(draw[1])) or not model.check(before)


def test_merging_may_add_violating_records() -> None:
    groups, target = FrequencyLDiversity.counterexamples["violations_shrink_under_merge"]
    model = FrequencyLDiversity(l=2, sensitive="Disease")
    assert (model.check(groups).violating_records, model.check(groups.merge(target)).violating_records) == (9, 19)


@given(partitions(), LEVELS)
def test_is_bounded_confidence_in_every_value(groups: list[dict[str, int]], l: Fraction) -> None:
    stats, h = drawn(groups), float(1 / l)
    mine = FrequencyLDiversity(l=float(l), sensitive="S").check(stats).satisfied
    assert mine == all(ConfidenceBounding(value=value, h=h, sensitive="S").check(stats).satisfied for value in "abcde")
    assert mine == XYLinkability(y=("S",), h=h).check(stats).satisfied


@pytest.mark.parametrize(("size", "count"), [(100, 29), (10, 3), (49, 7), (1000, 333)])
def test_a_real_level_on_the_boundary_holds(size: int, count: int) -> None:
    groups = drawn([{"a": count, **{f"b{i}": 1 for i in range(size - count)}}])
    assert FrequencyLDiversity(l=size / count, sensitive="S").check(groups)
    assert not FrequencyLDiversity(l=size / count * (1 + 1e-6), sensitive="S").check(groups)


def test_witness_names_the_guess() -> None:
    verdict = FrequencyLDiversity(l=2, sensitive="S").check(drawn([{"a": 1, "b": 3}]))
    assert verdict.violations[0].witness == {"value": "b", "share": 0.75}


def test_too_few_records_are_hopeless() -> None:
    model = FrequencyLDiversity(l=2.5, sensitive="S")
    assert model.least_size() == 3
    assert model.necessary(2) == "l=2.5 is larger than the number of records, 2"
    assert model.necessary(3) is None
