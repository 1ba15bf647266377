"""Discretization: every number lies in its interval, and numbers outside the range are counted or refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.data.text import parse_interval
from sfumato.errors import BadRequest
from sfumato.recodings import Discretization

EDGES = st.lists(st.integers(-40, 40), min_size=2, max_size=6, unique=True).map(lambda edges: tuple(sorted(edges)))


@given(edges=EDGES, closed=st.booleans(), data=st.data())
def test_every_number_lies_in_its_interval(edges: tuple[int, ...], closed: bool, data: st.DataObject) -> None:
    numbers = data.draw(st.lists(st.floats(edges[0], edges[-1], exclude_max=not closed), min_size=1))
    recoding = Discretization(edges=edges, closed=closed)
    mapped = recoding.map(numbers)
    assert mapped.outside == ()
    for number, label, width in zip(numbers, mapped.labels, mapped.covered, strict=True):
        interval = parse_interval(label)
        assert interval is not None
        low, high, right = interval
        assert low <= number < high or (right and number == high)
        assert width == high - low
        assert right == (closed and high == edges[-1])
    assert mapped.domain == edges[-1] - edges[0]


def test_numbers_outside_go_to_the_end_intervals_and_are_counted() -> None:
    recoding = Discretization(edges=(1, 37, 99))
    mapped = recoding.map([-5, 1, 37, 99, 120])
    assert mapped.labels == ("[1-37)", "[1-37)", "[37-99)", "[37-99)", "[37-99)")
    assert mapped.outside == (0, 3, 4)
    assert Discretization(edges=(1, 37, 99), closed=True).map([99]).outside == ()


def test_unknown_root_publishes_the_root() -> None:
    mapped = Discretization(edges=(1, 37, 99)).map([-5, 40], unknown="root")
    assert mapped.labels == ("*", "[37-99)")
    assert mapped.covered.tolist() == [98.0, 62.0]


def test_unknown_refuse_counts_them_and_shows_none() -> None:
    with pytest.raises(BadRequest, match="2 numbers lie outside") as caught:
        Discretization(edges=(1, 37, 99)).map([-5, 40, 120], column="Age", unknown="refuse")
    assert caught.value.column == "Age"
    assert "120" not in str(caught.value)


@pytest.mark.parametrize("edges", [(), (1,), (2, 1), (1, 5, 3)])
def test_edges_must_rise(edges: tuple[int, ...]) -> None:
    with pytest.raises(BadRequest, match="must rise"):
        Discretization(edges=edges)


def test_texts_are_refused() -> None:
    with pytest.raises(BadRequest, match="need numbers") as caught:
        Discretization(edges=(1, 2)).map(["old"], column="Age")
    assert caught.value.column == "Age"
