"""Skyline privacy: agreement with all worlds and all pieces of knowledge, its traits, and what it refuses."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato
from oracles.naive_worlds import skyline_confidence
from sfumato import BadRequest, GroupStats, Unsupported
from sfumato.models import SkylinePrivacy

BUCKET = st.lists(st.sampled_from("abc"), min_size=1, max_size=4)
HISTOGRAM = st.dictionaries(st.sampled_from("abcde"), st.integers(1, 5), min_size=1)
TRIPLET = st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 2))
READING = st.sampled_from(["implication", "equality"])


def stats(buckets: list[Any]) -> GroupStats:
    return GroupStats.from_histograms([Counter(bucket) for bucket in buckets], column="S")


def model(*triplet: int, threshold: float = 1.0, reading: str = "implication") -> SkylinePrivacy:
    l, k, m = triplet
    return SkylinePrivacy(sensitive="S", value="a", skyline=((l, k, m, threshold),), reading=reading)


@settings(max_examples=60)
@given(st.lists(BUCKET, min_size=1, max_size=2), TRIPLET, READING)
def test_agrees_with_all_worlds(buckets: list[list[str]], triplet: tuple[int, int, int], reading: str) -> None:
    found = model(*triplet, reading=reading).confidence(stats(buckets), *triplet)
    exact = [float(chance) for chance in skyline_confidence(buckets, "a", *triplet, reading)]
    assert found.tolist() == pytest.approx(exact)


@settings(max_examples=60)
@given(st.lists(HISTOGRAM, min_size=2, max_size=4), TRIPLET, READING, st.data())
def test_merging_never_raises_the_confidence(
    histograms: list[dict[str, int]], triplet: tuple[int, int, int], reading: str, data: st.DataObject
) -> None:
    groups, asked = stats(histograms), model(*triplet, reading=reading)
    at = data.draw(st.integers(1, len(groups) - 1))
    merged = groups.merge([0 if g == at else g - (g > at) for g in range(len(groups))])
    assert asked.check(merged).strongest <= asked.check(groups).strongest + 1e-9


@given(st.lists(HISTOGRAM, min_size=1, max_size=4), TRIPLET, READING)
def test_more_knowledge_tells_more(
    histograms: list[dict[str, int]], triplet: tuple[int, int, int], reading: str
) -> None:
    groups, (l, k, m) = stats(histograms), triplet
    asked = model(l, k, m, reading=reading)
    for more in ((l + 1, k, m), (l, k + 1, m), (l, k, m + 1)):
        assert (asked.confidence(groups, *triplet) <= asked.confidence(groups, *more) + 1e-12).all()


def test_excluding_all_other_values_is_certainty() -> None:
    groups = GroupStats.from_histograms([{"a": 1, "b": 3, "c": 2}, {"b": 2}], column="S")
    assert model(2, 0, 0).confidence(groups, 2, 0, 0).tolist() == [1.0, 0.0]
    assert model(1, 0, 0).confidence(groups, 1, 0, 0).tolist() == [pytest.approx(1 / 3), 0.0]


def test_merging_may_add_violating_records() -> None:
    """The stored counter-example to violations_shrink_under_merge."""
    groups = GroupStats.from_histograms([{"a": 1}, {"a": 5, "b": 5}], column="S")
    asked = model(0, 0, 0, threshold=0.51)
    assert asked.check(groups).violating_records == 1
    assert asked.check(groups.merge([0, 0])).violating_records == 11
    assert not SkylinePrivacy.traits.violations_shrink_under_merge


def test_every_triplet_counts_and_reaching_a_threshold_is_too_much() -> None:
    groups = GroupStats.from_histograms([{"a": 2, "b": 1, "c": 1}], column="S")
    asked = SkylinePrivacy(sensitive="S", value="a", skyline=((1, 0, 0, 0.7), (0, 0, 1, 0.75)))
    verdict = asked.check(groups)
    (violation,) = verdict.violations
    assert violation.witness == {"value": "a", "knowledge": (0, 0, 1), "threshold": 0.75}
    assert (verdict.satisfied, verdict.strongest) == (False, pytest.approx(0.75))
    assert SkylinePrivacy(sensitive="S", value="a", skyline=((1, 0, 0, 0.7), (0, 0, 1, 0.76))).check(groups)


def test_too_many_families_are_refused() -> None:
    histograms = [{"a": 8 + i, "b": 1 + i % 7, "c": 1 + i % 11} for i in range(60)]
    with pytest.raises(Unsupported, match="implication"):
        model(0, 0, 6, reading="equality").check(stats(histograms))
    assert model(0, 0, 6).check(stats(histograms)).strongest > 0


def test_empty_tables_and_json() -> None:
    verdict = model(1, 1, 1).check(GroupStats.from_histograms([], column="S"))
    assert (verdict.satisfied, verdict.strongest) == (True, None)
    asked = SkylinePrivacy(sensitive="S", value=3, skyline=((1, 0, 0, 0.5), (0, 1, 0, 0.5)), reading="equality")
    assert SkylinePrivacy.from_spec(asked.spec()) == asked


@pytest.mark.parametrize(
    "skyline, rule",
    [
        ([], "at least one triplet"),
        ([[-1, 0, 0, 0.5]], "l, k and m"),
        ([[1, 0, 0, 0.0]], "thresholds"),
        ([[1, 0, 0, 1.5]], "thresholds"),
        ([[1, 0, 0, 0.5], [1, 1, 0, 0.5]], "contains the other"),
        ([[1, 0, 0, 0.5], [1, 0, 0, 0.6]], "contains the other"),
        ([[1, 0, 0.5]], "list of 4"),
    ],
)
def test_bad_skylines(skyline: Any, rule: str) -> None:
    with pytest.raises(BadRequest, match=rule) as caught:
        SkylinePrivacy.from_spec({"sensitive": "S", "value": "a", "skyline": skyline})
    assert caught.value.parameter == "skyline-privacy.skyline"


def test_tables_that_do_not_fit() -> None:
    table = sfumato.from_rows(["A", "S"], [("a", "a"), ("a", None)])
    with pytest.raises(BadRequest, match="missing"):
        sfumato.check(table, model(1, 0, 0), qid=["A"])
    with pytest.raises(BadRequest, match="protects"):
        sfumato.check(table, model(1, 0, 0), qid=["A", "S"])
