"""(X,Y)-privacy as the conjunction of its parts, in both readings."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.naive_diversity import merges, partitions
from sfumato import BadRequest, GroupStats
from sfumato.models import KAnonymity, XYAnonymity, XYLinkability, XYPrivacy

HS = st.fractions(Fraction(1, 12), 1, max_denominator=12)
READINGS = st.sampled_from(["records", "distinct_y"])


def drawn(groups: list[dict[str, int]]) -> GroupStats:
    return GroupStats.from_histograms(groups, column="Y")


@given(partitions(), st.integers(1, 8), HS, READINGS, st.sampled_from([None, ("a", "b")]))
def test_is_the_conjunction_of_its_parts(groups: Any, k: int, h: Fraction, counts: str, values: Any) -> None:
    stats = drawn(groups)
    counted = KAnonymity(k=k) if counts == "records" else XYAnonymity(y=("Y",), k=k)
    linked = XYLinkability(y=("Y",), h=float(h), values=values).check(stats)
    both = XYPrivacy(y=("Y",), k=k, h=float(h), anonymity_counts=counts, values=values).check(stats)
    assert both.satisfied == (counted.check(stats).satisfied and linked.satisfied)
    assert both.strongest == (linked.strongest if counted.check(stats) else None)
    alone = XYPrivacy(y=("Y",), k=k, anonymity_counts=counts).check(stats)
    assert (alone.satisfied, alone.strongest) == (counted.check(stats).satisfied, counted.check(stats).strongest)
    only = XYPrivacy(y=("Y",), h=float(h), values=values).check(stats)
    assert (only.satisfied, only.strongest) == (linked.satisfied, linked.strongest)


@given(merges(20), st.integers(1, 8), HS, READINGS)
def test_merging_keeps_it(draw: Any, k: int, h: Fraction, counts: str) -> None:
    model = XYPrivacy(y=("Y",), k=k, h=float(h), anonymity_counts=counts)
    before = drawn(draw[0])
    assert model.check(before.merge(draw[1])) or not model.check(before)


def test_merging_may_add_violating_records() -> None:
    groups, target = XYPrivacy.counterexamples["violations_shrink_under_merge"]
    model = XYPrivacy(y=("Disease",), k=3, h=0.75)
    assert (model.check(groups).violating_records, model.check(groups.merge(target)).violating_records) == (90, 100)


def test_witness_and_bound_tell_both_parts() -> None:
    verdict = XYPrivacy(y=("Y",), k=3, h=0.6, anonymity_counts="distinct_y").check(drawn([{"a": 3, "b": 1}]))
    assert verdict.bound == "share <= 0.6 and >= 3 values on Y"
    assert verdict.violations[0].witness == {"records": 4, "distinct": 2, "value": "a", "confidence": 0.75}
    (violation,) = XYPrivacy(y=("Y",), k=5).check(drawn([{"a": 3, "b": 1}])).violations
    assert violation.witness == {"records": 4, "distinct": 2}


@pytest.mark.parametrize(
    ("given_", "rule"),
    [
        ({"k": None, "h": None}, "needs k, h or both"),
        ({"h": None, "values": ("a",)}, "protected by h"),
        ({"qid": ("A", "Y")}, "X and Y must not share"),
        ({"values": ()}, "at least one value"),
    ],
)
def test_bad_parameters(given_: dict[str, Any], rule: str) -> None:
    with pytest.raises(BadRequest, match=rule):
        XYPrivacy(**{"y": ("Y",), "k": 2, "h": 0.5, **given_})


def test_saved_and_rebuilt() -> None:
    for model in (XYPrivacy(y=("Y",), k=2), XYPrivacy(y=("Y",), h=0.5, values=("a",), anonymity_counts="distinct_y")):
        assert XYPrivacy.from_spec(model.spec()) == model
