"""Scales: what labels of numbers, orders and trees stand for, lie in, share and fall into."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.data.text import interval_label
from sfumato.data.tree import Tree
from sfumato.errors import BadRequest
from sfumato.recodings.scales import NumberScale, OrderScale, Scale, TreeScale, flat_scale

from .conftest import JOB

ORDER = ("a", "b", "c", "d")
JOBS = Tree.from_nested(JOB)


@st.composite
def numbers(draw: st.DrawFn) -> str:
    low, high = sorted((draw(st.integers(0, 8)), draw(st.integers(0, 8))))
    if low == high:
        return str(low)
    return draw(st.sampled_from([interval_label(low, high), interval_label(low, high, closed=True), "*"]))


RUNS = ["*", *ORDER, *(f"{a}..{b}" for a in ORDER for b in ORDER if a < b)]
SCALES: dict[str, tuple[Scale, Any, list[Any]]] = {
    "number": (NumberScale(0, 8), numbers(), [value / 2 for value in range(17)]),
    "order": (OrderScale(ORDER), st.sampled_from(RUNS), list(ORDER)),
    "tree": (TreeScale(JOBS), st.sampled_from(JOBS.labels), list(JOBS.leaves)),
}


@pytest.mark.parametrize("kind", SCALES)
@given(data=st.data())
def test_labels_are_sets_of_values(kind: str, data: st.DataObject) -> None:
    scale, labels, values = SCALES[kind]
    one, other = data.draw(labels), data.draw(labels)
    first, second = ({value for value in values if scale.holds(label, value)} for label in (one, other))
    assert first
    assert all(scale.places(value) for value in values)
    assert scale.holds(scale.root, data.draw(st.sampled_from(values)))
    assert scale.within(one, scale.root)
    assert scale.within(one, one)
    if scale.within(one, other):
        assert first <= second
        assert scale.covered(one) <= scale.covered(other)
    elif first <= second:
        assert first == second or one == "*"
    shared = scale.meet(one, other)
    assert {value for value in values if shared is not None and scale.holds(shared, value)} == first & second
    if shared is not None:
        assert scale.knows(shared)
        assert scale.within(shared, one)
        assert scale.within(shared, other)
    assert scale.covered(one) <= scale.domain == scale.covered(scale.root)
    if kind != "number":
        assert scale.covered(one) == len(first)


@pytest.mark.parametrize("kind", SCALES)
@given(data=st.data())
def test_parts_share_out_what_a_label_stands_for(kind: str, data: st.DataObject) -> None:
    scale, labels, values = SCALES[kind]
    label = data.draw(labels)
    try:
        parts = scale.parts(label, data.draw(st.sampled_from(values)))
    except BadRequest:
        return
    for value in values:
        count = sum(scale.holds(part, value) for part in parts)
        assert count == (scale.holds(label, value) if parts else 0)
    assert all(scale.within(part, label) and part != label for part in parts)


@pytest.mark.parametrize("label", ["", "x", "[3-2)", "[0-9)", "nan", "-1", "[a-b)"])
def test_texts_that_are_no_interval_of_the_range(label: str) -> None:
    assert not NumberScale(0, 8).knows(label)


@pytest.mark.parametrize("label", ["", "x", "b..a", "a..a", "a..x", ".."])
def test_texts_that_are_no_run_of_the_order(label: str) -> None:
    assert not OrderScale(ORDER).knows(label)


@pytest.mark.parametrize("value", [None, "x", 9, -1, True, float("nan")])
def test_values_without_a_place(value: Any) -> None:
    assert not NumberScale(0, 8).places(value)
    assert not NumberScale(0, 8).holds("*", value)
    assert not OrderScale(ORDER).places(value)
    assert not TreeScale(JOBS).places(value)


def test_values_of_a_column_without_a_hierarchy() -> None:
    scale = flat_scale([1, 2, 3], "*")
    assert (scale.root, scale.domain) == ("*", 3.0)
    assert scale.climbs(2, "*") == (1, 1)
    assert scale.climbs(2, "2") == (0, 1)
    assert flat_scale(["*", "a"], "*").domain == 1.0
    assert flat_scale(["*"], "*").root == "*"


@pytest.mark.parametrize("kind", SCALES)
@given(data=st.data())
def test_labels_are_runs_of_ranks(kind: str, data: st.DataObject) -> None:
    scale, labels, values = SCALES[kind]
    shown = data.draw(st.lists(labels, max_size=5))
    held = data.draw(st.lists(st.sampled_from([*values, "x", None]), max_size=9))
    ranks, first, last = scale.runs(shown, held)
    for number, label in enumerate(shown):
        inside = [first[number] <= rank < last[number] for rank in ranks.tolist()]
        assert inside == [scale.holds(label, value) for value in held]
    different = set(shown)
    assert scale.nested(different) == any(
        one != other and scale.within(one, other) for one in different for other in different
    )


@pytest.mark.parametrize(
    ("kind", "yes", "no"),
    [
        ("number", ["3", "2.5", "0"], ["[0-3)", "*", "9", "x", "[3-3]"]),
        ("order", ["a", "d"], ["a..b", "*", "x"]),
        ("tree", ["Engineer", "Writer"], ["Artist", "ANY", "x"]),
    ],
)
def test_labels_of_single_values(kind: str, yes: list[str], no: list[str]) -> None:
    scale = SCALES[kind][0]
    assert all(scale.single(label) for label in yes)
    assert not any(scale.single(label) for label in no)
