"""Distinct l-diversity against counting, its kin, and the largest number of groups."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato
from oracles.naive_diversity import can_be_cut, merges, partitions
from sfumato import BadRequest, GroupStats
from sfumato.models import DistinctLDiversity, EntropyLDiversity, FrequencyLDiversity, KAnonymity, XYAnonymity
from sfumato.models.l_diversity_distinct import most_groups

TABLE = sfumato.from_rows(
    ["Job", "Disease"], [("Artist", "Flu"), ("Artist", "HIV"), ("Lawyer", "Flu"), ("Lawyer", "Flu")]
)


def drawn(groups: list[dict[str, int]]) -> GroupStats:
    return GroupStats.from_histograms(groups, column="S")


@given(partitions(), st.integers(1, 6))
def test_counts_values(groups: list[dict[str, int]], l: int) -> None:
    verdict = DistinctLDiversity(l=l, sensitive="S").check(drawn(groups))
    assert verdict.strongest == min(map(len, groups))
    assert verdict.satisfied == all(len(group) >= l for group in groups)
    assert verdict.violating_records == sum(sum(group.values()) for group in groups if len(group) < l)


@given(merges(), st.integers(1, 5))
def test_merging_never_hurts(draw: tuple[list[dict[str, int]], list[int]], l: int) -> None:
    model, before = DistinctLDiversity(l=l, sensitive="S"), drawn(draw[0])
    after = before.merge(draw[1])
    assert model.check(after) or not model.check(before)
    assert model.check(after).violating_records <= model.check(before).violating_records


@given(partitions(), st.sampled_from([1, 1.3, 1.5, 2, 2.5, 3, 4]))
def test_chain_of_variants(groups: list[dict[str, int]], l: float) -> None:
    """Frequency implies entropy implies distinct implies anonymity, at the same l rounded up."""
    stats, whole = drawn(groups), math.ceil(l)
    chain = [
        FrequencyLDiversity(l=l, sensitive="S").check(stats),
        EntropyLDiversity(l=l, sensitive="S").check(stats),
        DistinctLDiversity(l=whole, sensitive="S").check(stats),
        KAnonymity(k=whole).check(stats),
    ]
    held = [verdict.satisfied for verdict in chain]
    assert held == sorted(held)
    levels = [verdict.strongest for verdict in chain if verdict.strongest is not None]
    assert all(low <= high + 1e-9 for low, high in pairwise(levels))


@given(partitions(), st.integers(1, 5))
def test_equals_anonymity_with_the_sensitive_column_as_y(groups: list[dict[str, int]], l: int) -> None:
    stats = drawn(groups)
    mine, other = DistinctLDiversity(l=l, sensitive="S").check(stats), XYAnonymity(y=("S",), k=l).check(stats)
    assert (mine.satisfied, mine.strongest) == (other.satisfied, other.strongest)


def test_witness_shows_what_is_left_to_choose_from() -> None:
    (verdict,) = sfumato.check(TABLE, DistinctLDiversity(l=2, sensitive="Disease"), qid=["Job"])
    (violation,) = verdict.violations
    assert violation.group == ("Lawyer",)
    assert violation.witness == {"shares": {"Flu": 1.0}}


def test_an_empty_table_has_no_level() -> None:
    nothing = sfumato.from_rows(["Job", "Disease"], [("Artist", "Flu")]).drop_groups(["Job"], [["Artist"]])
    (verdict,) = sfumato.check(nothing, DistinctLDiversity(l=2, sensitive="Disease"), qid=["Job"])
    assert verdict.satisfied
    assert verdict.strongest is None


@pytest.mark.parametrize(
    ("given_", "rule"),
    [
        ({"qid": ("Job", "Disease")}, "holds a column that the model protects"),
    ],
)
def test_bad_parameters(given_: dict[str, Any], rule: str) -> None:
    with pytest.raises(BadRequest, match=rule):
        DistinctLDiversity(**{"l": 2, "sensitive": "Disease", **given_})


def test_the_sensitive_column_cannot_be_known() -> None:
    with pytest.raises(BadRequest, match="cannot be part of the quasi-identifier") as refused:
        sfumato.check(TABLE, DistinctLDiversity(l=2, sensitive="Disease"), qid=["Job", "Disease"])
    assert refused.value.parameter == "l-diversity-distinct.sensitive"


def test_an_unknown_sensitive_column_is_named() -> None:
    with pytest.raises(BadRequest, match="Ilness"):
        sfumato.check(TABLE, DistinctLDiversity(l=2, sensitive="Ilness"), qid=["Job"])
    with pytest.raises(BadRequest, match="lack the histogram"):
        DistinctLDiversity(l=2, sensitive="Ilness").check(drawn([{"a": 1}]))


def test_missing_sensitive_values_are_refused_unless_they_count() -> None:
    table = sfumato.from_rows(["Job", "Disease"], [("Artist", "Flu"), ("Artist", None)])
    with pytest.raises(BadRequest, match="has missing values") as refused:
        sfumato.check(table, DistinctLDiversity(l=2, sensitive="Disease"), qid=["Job"])
    assert refused.value.column == "Disease"
    assert sfumato.check(table, DistinctLDiversity(l=2, sensitive="Disease", missing="count"), qid=["Job"])


@given(st.lists(st.integers(0, 4), min_size=1, max_size=4), st.integers(1, 3))
def test_most_groups_is_reached_and_not_exceeded(counts: list[int], l: int) -> None:
    most = most_groups(counts, l)
    assert can_be_cut(counts, l, most)
    assert not can_be_cut(counts, l, most + 1)


def test_most_groups_reads_the_whole_table() -> None:
    groups = drawn([{"a": 2, "b": 3}, {"a": 1, "b": 4, "c": 1}])
    assert DistinctLDiversity(l=2, sensitive="S").most_groups(groups) == most_groups({"a": 3, "b": 7, "c": 1}, 2) == 4
    assert most_groups([], 2) == 0


@pytest.mark.parametrize(("counts", "l"), [([3], 0), ([3], 1.5), ([3], True), ([-1], 1)])
def test_most_groups_refuses(counts: list[int], l: Any) -> None:
    with pytest.raises(BadRequest):
        most_groups(counts, l)


def test_saved_and_rebuilt() -> None:
    model = DistinctLDiversity(l=3, sensitive="S", qid=("A", "B"), missing="count")
    assert DistinctLDiversity.from_spec(model.spec()) == model
    assert model.spec() == {
        "id": "l-diversity-distinct",
        "qid": ["A", "B"],
        "sensitive": "S",
        "missing": "count",
        "l": 3,
    }


def test_measure_is_one_whole_number_per_group() -> None:
    assert DistinctLDiversity(l=1, sensitive="S").measure(drawn([{"a": 1}, {"a": 1, "b": 5}])).dtype == np.int64
