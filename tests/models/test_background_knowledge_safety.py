"""(c,k)-safety: agreement with all worlds and all implications, its traits, and what it refuses."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato
from oracles.naive_worlds import max_disclosure, worlds
from sfumato import BadRequest, GroupStats
from sfumato.models import BackgroundKnowledgeSafety, SkylinePrivacy
from sfumato.models._knowledge_allocation import least_products

BUCKET = st.lists(st.sampled_from("abc"), min_size=1, max_size=4)
HISTOGRAM = st.dictionaries(st.sampled_from("abcde"), st.integers(1, 6), min_size=1)


def stats(buckets: list[Any]) -> GroupStats:
    return GroupStats.from_histograms([Counter(bucket) for bucket in buckets], column="S")


def model(k: int, c: float = 1.0) -> BackgroundKnowledgeSafety:
    return BackgroundKnowledgeSafety(c=c, k=k, sensitive="S")


@settings(max_examples=40)
@given(st.lists(BUCKET, min_size=1, max_size=2), st.integers(0, 2))
def test_agrees_with_all_worlds_and_implications(buckets: list[list[str]], k: int) -> None:
    if k == 2 and len(worlds(buckets)) > 30:
        k = 1
    assert model(k).check(stats(buckets)).strongest == pytest.approx(float(max_disclosure(buckets, k)))


@settings(max_examples=60)
@given(st.lists(HISTOGRAM, min_size=2, max_size=5), st.integers(0, 4), st.data())
def test_merging_never_raises_the_disclosure(histograms: list[dict[str, int]], k: int, data: st.DataObject) -> None:
    groups = stats(histograms)
    at = data.draw(st.integers(1, len(groups) - 1))
    target = [0 if g == at else g - (g > at) for g in range(len(groups))]
    assert model(k).check(groups.merge(target)).strongest <= model(k).check(groups).strongest + 1e-9


@given(st.lists(HISTOGRAM, min_size=1, max_size=4), st.integers(0, 4))
def test_more_knowledge_tells_more_until_all_is_told(histograms: list[dict[str, int]], k: int) -> None:
    groups = stats(histograms)
    assert model(k).check(groups).strongest <= model(k + 1).check(groups).strongest + 1e-12
    assert model(groups.histograms["S"].distinct().min() - 1).check(groups).strongest == pytest.approx(1.0)
    assert model(10**6).check(groups).strongest == pytest.approx(1.0)


@given(st.lists(HISTOGRAM, min_size=1, max_size=4))
def test_without_knowledge_it_is_the_largest_share(histograms: list[dict[str, int]]) -> None:
    groups = stats(histograms)
    shares = [max(h.values()) / sum(h.values()) for h in histograms]
    assert model(0).disclosure(groups).tolist() == pytest.approx(shares)
    by_value = [
        SkylinePrivacy(sensitive="S", value=value, skyline=((0, 0, 0, 1.0),)).check(groups).strongest
        for value in groups.histograms["S"].values
    ]
    assert max(by_value) == pytest.approx(max(shares))


def test_merging_may_add_violating_records() -> None:
    """The stored counter-example to violations_shrink_under_merge."""
    groups = GroupStats.from_histograms([{"a": 1}, {"a": 5, "b": 5}], column="S")
    asked = model(0, c=0.51)
    assert asked.check(groups).violating_records == 1
    assert asked.check(groups.merge([0, 0])).violating_records == 11
    assert not BackgroundKnowledgeSafety.traits.violations_shrink_under_merge


def test_knowledge_about_another_group_helps() -> None:
    """In the second group one atom is almost sure; denying it says a lot about the first."""
    alone = GroupStats.from_histograms([{"a": 1, "b": 1, "c": 1, "d": 1}], column="S")
    both = GroupStats.from_histograms([{"a": 1, "b": 1, "c": 1, "d": 1}, {"x": 9, "y": 1}], column="S")
    assert model(1).disclosure(alone)[0] == pytest.approx(1 / 3)
    assert model(1).disclosure(both)[0] == pytest.approx(0.25 / (0.25 + 0.75 * 0.1))


def test_reaching_c_is_too_much() -> None:
    groups = GroupStats.from_histograms([{"Flu": 2, "Cold": 1, "HIV": 1, "Gout": 1}], column="S")
    assert not model(2, c=0.8).check(groups)
    assert model(2, c=0.8001).check(groups)
    verdict = model(2, c=0.5).check(groups)
    (violation,) = verdict.violations
    assert violation.witness == {"value": "Flu", "share": 0.4, "implications": 2}
    assert violation.measured == pytest.approx(0.8)
    assert (verdict.bound, verdict.violating_records) == ("< 0.5", 5)


@settings(max_examples=50)
@given(st.integers(1, 6), st.integers(1, 3), st.integers(1, 3), st.integers(0, 2**32 - 1))
def test_least_products_tries_every_allocation(groups: int, first: int, second: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    factors = rng.random((groups, first, second))
    factors[:, 0, 0] = 1.0
    factors = np.minimum.accumulate(np.minimum.accumulate(factors, axis=1), axis=2)
    found = least_products(factors)

    def best(left: list[int], i: int, j: int) -> float:
        if not left:
            return 1.0
        return min(factors[left[0], a, b] * best(left[1:], i - a, j - b) for a in range(i + 1) for b in range(j + 1))

    for out in range(groups):
        others = [group for group in range(groups) if group != out]
        assert found[out, first - 1, second - 1] == pytest.approx(best(others, first - 1, second - 1))


def test_empty_tables_and_json() -> None:
    verdict = model(3, c=0.1).check(GroupStats.from_histograms([], column="S"))
    assert (verdict.satisfied, verdict.strongest) == (True, None)
    asked = model(3, c=0.25)
    assert BackgroundKnowledgeSafety.from_spec(asked.spec()) == asked


@pytest.mark.parametrize(
    "asked, name",
    [
        ({"c": 0.5, "k": 1, "sensitive": "S", "qid": ["S"]}, "qid"),
    ],
)
def test_bad_parameters(asked: dict[str, Any], name: str) -> None:
    with pytest.raises(BadRequest) as caught:
        BackgroundKnowledgeSafety.from_spec(asked)
    assert caught.value.parameter == f"background-knowledge-safety.{name}"


def test_tables_that_do_not_fit() -> None:
    table = sfumato.from_rows(["A", "S", "w"], [("a", "s", 1.5), ("a", None, 2.0)])
    with pytest.raises(BadRequest, match="protects"):
        sfumato.check(table, model(1), qid=["A", "S"])
    with pytest.raises(BadRequest, match="missing"):
        sfumato.check(table, model(1), qid=["A"])
    with pytest.raises(BadRequest, match="whole"):
        sfumato.check(table.drop_missing(["S"]), model(1), qid=["A"], weights="w")
