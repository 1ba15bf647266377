"""p-sensitive k-anonymity: both parts, and where it is distinct diversity."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.naive_diversity import merges, partitions
from sfumato import BadRequest, GroupStats
from sfumato.models import DistinctLDiversity, PSensitiveKAnonymity


def drawn(groups: list[dict[str, int]]) -> GroupStats:
    return GroupStats.from_histograms(groups, column="S")


def level(group: dict[str, int], k: int) -> int:
    return len(group) if sum(group.values()) >= k else 0


@given(partitions(), st.integers(1, 4), st.integers(0, 8))
def test_both_parts_must_hold(groups: list[dict[str, int]], p: int, more: int) -> None:
    k = p + more
    verdict = PSensitiveKAnonymity(p=p, k=k, sensitive="S").check(drawn(groups))
    assert verdict.satisfied == all(len(group) >= p and sum(group.values()) >= k for group in groups)
    assert verdict.strongest == min(level(group, k) for group in groups)


@given(merges(), st.integers(1, 4), st.integers(0, 8))
def test_merging_never_hurts(draw: tuple[list[dict[str, int]], list[int]], p: int, more: int) -> None:
    model, before = PSensitiveKAnonymity(p=p, k=p + more, sensitive="S"), drawn(draw[0])
    after = before.merge(draw[1])
    assert model.check(after) or not model.check(before)
    assert model.check(after).violating_records <= model.check(before).violating_records


@given(partitions(), st.integers(1, 5))
def test_with_k_equal_p_it_is_distinct_diversity(groups: list[dict[str, int]], p: int) -> None:
    mine = PSensitiveKAnonymity(p=p, k=p, sensitive="S").check(drawn(groups))
    assert mine.satisfied == DistinctLDiversity(l=p, sensitive="S").check(drawn(groups)).satisfied


def test_witness_and_bound_tell_both_parts() -> None:
    verdict = PSensitiveKAnonymity(p=2, k=3, sensitive="S").check(drawn([{"a": 1, "b": 1}, {"a": 4}, {"a": 2, "b": 2}]))
    assert verdict.bound == ">= 2 different values and >= 3 records"
    assert [violation.witness for violation in verdict.violations] == [
        {"records": 2, "distinct": 2, "shares": {"a": 0.5, "b": 0.5}},
        {"records": 4, "distinct": 1, "shares": {"a": 1.0}},
    ]


@pytest.mark.parametrize(
    ("given_", "parameter", "rule"),
    [
        ({"p": 4}, "p", "must be at most k = 3"),
    ],
)
def test_bad_parameters(given_: dict[str, Any], parameter: str, rule: str) -> None:
    with pytest.raises(BadRequest, match=rule) as refused:
        PSensitiveKAnonymity(**{"p": 2, "k": 3, "sensitive": "S", **given_})
    assert refused.value.parameter == f"p-sensitive-k-anonymity.{parameter}"
