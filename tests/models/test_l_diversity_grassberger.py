"""Grassberger's l-diversity against the sum of its definition: values, merging, the least size, weights."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato
from oracles.naive_diversity import partitions
from sfumato import GroupStats
from sfumato.errors import BadRequest, Unsupported
from sfumato.models import EntropyLDiversity, GrassbergerLDiversity

GAMMA = 0.5772156649015329


def g(number: int) -> float:
    return -GAMMA - math.log(2) + sum(2 / (2 * i - 1) for i in range(1, number // 2 + 1))


def drawn(groups: list[dict[str, int]]) -> GroupStats:
    return GroupStats.from_histograms(groups, column="S")


@given(partitions(200), st.floats(1, 6))
def test_holds_where_the_published_inequality_does(groups: list[dict[str, int]], l: float) -> None:
    verdict = GrassbergerLDiversity(l=l, sensitive="S").check(drawn(groups))
    sides = [
        (sum(f * g(f) for f in group.values()), sum(group.values()) * (g(sum(group.values())) - math.log(l)))
        for group in groups
    ]
    if all(abs(left - right) > 1e-6 for left, right in sides):
        assert verdict.satisfied == all(left <= right for left, right in sides)


def test_merging_two_groups_that_hold_may_fail() -> None:
    model = GrassbergerLDiversity(l=3, sensitive="Disease")
    groups, target = GrassbergerLDiversity.counterexamples["closed_under_merge"]
    assert model.check(groups)
    assert not model.check(groups.merge(target))


def test_comes_to_shannons_where_records_are_many() -> None:
    groups = drawn([{"a": 40_000, "b": 30_000, "c": 30_000}])
    shannon = EntropyLDiversity(l=1, sensitive="S").measure(groups)
    assert GrassbergerLDiversity(l=1, sensitive="S").measure(groups) == pytest.approx(shannon, rel=1e-4)


@given(st.floats(1, 60))
def test_no_smaller_group_can_hold(l: float) -> None:
    model = GrassbergerLDiversity(l=l, sensitive="S")
    least = model.least_size()
    assert model.check(drawn([dict.fromkeys(map(str, range(least)), 1)]))
    if least > 1:
        assert not model.check(drawn([dict.fromkeys(map(str, range(least - 1)), 1)]))


def table() -> Any:
    rows = [("cook", "a"), ("cook", "b"), ("nurse", "a"), ("nurse", "b")]
    return sfumato.from_rows(["Job", "S"], rows)


def test_weights_have_no_place_in_it() -> None:
    rows = [("cook", "a", 1.5), ("cook", "b", 2.5)]
    with pytest.raises(BadRequest, match="whole records"):
        sfumato.check(
            sfumato.from_rows(["Job", "S", "w"], rows),
            {"id": "l-diversity-grassberger", "l": 2, "sensitive": "S"},
            qid=["Job"],
            weights="w",
        )


def test_searches_that_rely_on_merging_refuse_it() -> None:
    policy: dict[str, Any] = {
        "columns": {"Job": {"role": "quasi-identifier"}, "S": {"role": "sensitive"}},
        "requirements": [{"id": "l-diversity-grassberger", "l": 3, "sensitive": "S"}],
        "algorithm": {"id": "tdr"},
    }
    with pytest.raises(Unsupported, match="closed under merge"):
        sfumato.anonymize(table(), policy)
    release = sfumato.anonymize(table(), {**policy, "algorithm": {"id": "optimal"}})
    assert sorted(release.table.to_rows()) == sorted(table().to_rows())
