"""Entropy l-diversity against the sum over values."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from oracles.naive_diversity import entropy, merges, partitions
from sfumato import GroupStats
from sfumato.models import EntropyLDiversity


def drawn(groups: list[dict[str, int]]) -> GroupStats:
    return GroupStats.from_histograms(groups, column="S")


@given(partitions(200), st.floats(1, 6))
def test_agrees_with_the_sum_over_values(groups: list[dict[str, int]], l: float) -> None:
    wanted = [entropy(group) for group in groups]
    assume(all(abs(found - math.log(l)) > 1e-7 for found in wanted))
    model = EntropyLDiversity(l=l, sensitive="S")
    assert model.entropy(drawn(groups)) == pytest.approx(wanted, abs=1e-12)
    verdict = model.check(drawn(groups))
    assert verdict.satisfied == all(found >= math.log(l) for found in wanted)
    assert verdict.strongest == pytest.approx(math.exp(min(wanted)))


@given(merges(40), st.floats(1, 5))
def test_merging_keeps_it(draw: tuple[list[dict[str, int]], list[int]], l: float) -> None:
    model, before = EntropyLDiversity(l=l, sensitive="S"), drawn(draw[0])
    assert model.check(before.merge(draw[1])) or not model.check(before)


def test_merging_may_add_violating_records() -> None:
    groups, target = EntropyLDiversity.counterexamples["violations_shrink_under_merge"]
    model = EntropyLDiversity(l=2, sensitive="Disease")
    assert (model.check(groups).violating_records, model.check(groups.merge(target)).violating_records) == (30, 40)


@pytest.mark.parametrize("l", [1, 2, 3, 5, 7, 11])
@pytest.mark.parametrize("count", [1, 3, 10, 997])
def test_equally_frequent_values_reach_their_number(l: int, count: int) -> None:
    """Rounding of logarithms must not turn a satisfied whole l into a violation."""
    groups = drawn([dict.fromkeys(range(l), count)])
    assert EntropyLDiversity(l=l, sensitive="S").check(groups)
    assert not EntropyLDiversity(l=l + 0.001, sensitive="S").check(groups)


def test_one_value_has_no_entropy() -> None:
    found = EntropyLDiversity(l=1, sensitive="S").entropy(drawn([{"a": count} for count in range(1, 400)]))
    assert (found >= 0).all()
    assert found == pytest.approx(np.zeros(399), abs=1e-14)


def test_no_groups_at_all() -> None:
    verdict = EntropyLDiversity(l=2, sensitive="S").check(GroupStats.from_histograms([], column="S"))
    assert verdict.satisfied
    assert verdict.strongest is None


def test_witness_shows_the_shares() -> None:
    (violation,) = EntropyLDiversity(l=2, sensitive="S").check(drawn([{"a": 1, "b": 3}])).violations
    assert violation.witness["shares"] == {"a": 0.25, "b": 0.75}
    assert math.exp(violation.witness["entropy"]) == pytest.approx(violation.measured)
