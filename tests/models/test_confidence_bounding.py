"""Confidence bounding: one value, its own quasi-identifier, its own bound."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato
from oracles.naive_diversity import merges, partitions, share
from sfumato import BadRequest, GroupStats
from sfumato.models import ConfidenceBounding
from sfumato.models.confidence_bounding import templates

HS = st.fractions(0, 1, max_denominator=12)


def drawn(groups: list[dict[str, int]]) -> GroupStats:
    return GroupStats.from_histograms(groups, column="S")


@given(partitions(), st.sampled_from("abcdef"), HS)
def test_agrees_with_exact_shares(groups: list[dict[str, int]], value: str, h: Fraction) -> None:
    verdict = ConfidenceBounding(sensitive="S", value=value, h=float(h)).check(drawn(groups))
    confidence = max(share(group, value) for group in groups)
    assert verdict.satisfied == (confidence <= h)
    assert verdict.strongest == pytest.approx(float(confidence))


@given(merges(20), st.sampled_from("abcde"), HS)
def test_merging_keeps_it(draw: tuple[list[dict[str, int]], list[int]], value: str, h: Fraction) -> None:
    model, before = ConfidenceBounding(sensitive="S", value=value, h=float(h)), drawn(draw[0])
    assert model.check(before.merge(draw[1])) or not model.check(before)


def test_merging_may_add_violating_records() -> None:
    groups, target = ConfidenceBounding.counterexamples["violations_shrink_under_merge"]
    model = ConfidenceBounding(sensitive="Disease", value="HIV", h=0.1)
    assert (model.check(groups).violating_records, model.check(groups.merge(target)).violating_records) == (9, 19)


def test_a_bound_on_the_boundary_holds() -> None:
    groups = drawn([{"a": 29, "b": 71}])
    assert ConfidenceBounding(sensitive="S", value="a", h=0.29).check(groups)
    assert not ConfidenceBounding(sensitive="S", value="a", h=0.2899).check(groups)


def test_values_need_not_be_texts() -> None:
    table = sfumato.from_rows(["Job", "Grade"], [("Artist", 1), ("Artist", 2), ("Artist", 2), ("Artist", 2)])
    (verdict,) = sfumato.check(table, ConfidenceBounding(sensitive="Grade", value=2, h=0.5), qid=["Job"])
    assert verdict.strongest == 0.75


def test_templates_have_their_own_quasi_identifiers() -> None:
    table = sfumato.from_rows(["Job", "Sex", "S"], [("A", "F", "x"), ("A", "M", "y"), ("B", "F", "x"), ("B", "M", "x")])
    models = templates("S", [(["Job"], "x", 1.0), (["Job", "Sex"], "y", 0.5), (None, "y", 0.5)])
    verdicts = sfumato.check(table, models, qid=["Sex"])
    assert [(verdict.qid, verdict.strongest) for verdict in verdicts] == [
        (("Job",), 1.0),
        (("Job", "Sex"), 1.0),
        (("Sex",), 0.5),
    ]
    assert [verdict.satisfied for verdict in verdicts] == [True, False, True]


def test_witness_tells_the_confidence() -> None:
    (violation,) = ConfidenceBounding(sensitive="S", value="b", h=0.5).check(drawn([{"a": 1, "b": 3}])).violations
    assert violation.witness == {"value": "b", "count": 3, "confidence": 0.75}


@pytest.mark.parametrize(
    ("given_", "rule"),
    [
        ({"value": None}, "must be a text"),
        ({"qid": ("S",)}, "protects"),
    ],
)
def test_bad_parameters(given_: dict[str, Any], rule: str) -> None:
    with pytest.raises(BadRequest, match=rule):
        ConfidenceBounding(**{"h": 0.5, "value": "a", "sensitive": "S", **given_})


def test_saved_and_rebuilt() -> None:
    for value in ("a", 3, 2.5, True):
        model = ConfidenceBounding(h=0.5, value=value, sensitive="S", qid=("A",))
        assert ConfidenceBounding.from_spec(model.spec()) == model
