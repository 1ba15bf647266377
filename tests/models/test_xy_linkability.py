"""(X,Y)-linkability against counting rows, on all values and on some."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato
from oracles.naive_diversity import merges, share_of
from sfumato import BadRequest, GroupStats
from sfumato.models import XYLinkability

ROWS = st.lists(
    st.tuples(st.sampled_from("pq"), st.sampled_from("rst"), st.sampled_from("uv"), st.sampled_from("xyz")),
    min_size=1,
    max_size=25,
)
COLUMNS = ["A", "B", "C", "D"]
HS = st.fractions(Fraction(1, 12), 1, max_denominator=12)


def judged(rows: Any, x: list[str], model: XYLinkability) -> Any:
    (verdict,) = sfumato.check(sfumato.from_rows(COLUMNS, rows), model, qid=x)
    return verdict


def most(rows: Any, x: list[str], y: list[str], values: Any = None) -> Fraction:
    found = share_of(rows, [COLUMNS.index(n) for n in x], [COLUMNS.index(n) for n in y])
    shares = [share for part in found.values() for value, share in part.items() if values is None or value in values]
    return max(shares, default=Fraction(0))


@given(ROWS, HS)
def test_agrees_with_counting(rows: Any, h: Fraction) -> None:
    for x, y in ((["A"], ["D"]), (["A", "B"], ["C"]), (["A"], ["C", "D"])):
        verdict = judged(rows, x, XYLinkability(y=tuple(y), h=float(h)))
        assert verdict.strongest == pytest.approx(float(most(rows, x, y)))
        assert verdict.satisfied == (most(rows, x, y) <= h)


@given(ROWS, HS)
def test_some_values_only(rows: Any, h: Fraction) -> None:
    verdict = judged(rows, ["A"], XYLinkability(y=("D",), h=float(h), values=("x", "nowhere")))
    assert verdict.strongest == pytest.approx(float(most(rows, ["A"], ["D"], {("x",)})))
    pairs = (("u", "x"), ("v", "z"))
    verdict = judged(rows, ["A"], XYLinkability(y=("C", "D"), h=float(h), values=pairs))
    assert verdict.strongest == pytest.approx(float(most(rows, ["A"], ["C", "D"], set(pairs))))


@given(ROWS)
def test_by_value(rows: Any) -> None:
    found = XYLinkability(y=("D",), h=1).by_value(sfumato.from_rows(COLUMNS, rows).groups(["A", "B"], ["D"]))
    present = {row[3] for row in rows}
    assert found == pytest.approx({value: float(most(rows, ["A", "B"], ["D"], {(value,)})) for value in present})


@given(ROWS, HS)
def test_a_larger_x_or_a_smaller_y_is_stricter(rows: Any, h: Fraction) -> None:
    strict = judged(rows, ["A", "B"], XYLinkability(y=("D",), h=float(h)))
    assert judged(rows, ["A"], XYLinkability(y=("C", "D"), h=float(h))) or not strict


@given(merges(20), HS)
def test_merging_keeps_it(draw: tuple[list[dict[str, int]], list[int]], h: Fraction) -> None:
    model, before = XYLinkability(y=("Y",), h=float(h)), GroupStats.from_histograms(draw[0], column="Y")
    assert model.check(before.merge(draw[1])) or not model.check(before)


def test_merging_may_add_violating_records() -> None:
    groups, target = XYLinkability.counterexamples["violations_shrink_under_merge"]
    model = XYLinkability(y=("Disease",), h=0.7)
    assert (model.check(groups).violating_records, model.check(groups.merge(target)).violating_records) == (30, 40)


def test_witness_names_the_value() -> None:
    groups = GroupStats.from_histograms([{"a": 3, "b": 2}], column="Y")
    (violation,) = XYLinkability(y=("Y",), h=0.3, values=("b",)).check(groups).violations
    assert violation.witness == {"value": "b", "confidence": 0.4}


@pytest.mark.parametrize(
    ("given_", "rule"),
    [
        ({"qid": ("Y",)}, "X and Y must not share"),
        ({"values": ()}, "at least one value"),
        ({"values": (("a", "b"),)}, "single values"),
        ({"values": (("a",),)}, "single values"),
        ({"y": ("Y", "Z"), "values": ("a",)}, "lists of 2 values"),
    ],
)
def test_bad_parameters(given_: dict[str, Any], rule: str) -> None:
    with pytest.raises(BadRequest, match=rule):
        XYLinkability(**{"y": ("Y",), "h": 0.5, **given_})


def test_saved_and_rebuilt() -> None:
    model = XYLinkability(y=("P", "Q"), h=0.5, qid=("Job",), values=(("a", 1), ("b", 2)))
    assert XYLinkability.from_spec(model.spec()) == model
