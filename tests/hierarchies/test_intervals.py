"""Intervals: every number lies in its label, at every level."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sfumato.errors import BadRequest
from sfumato.hierarchies.intervals import Intervals

NUMBER = r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?"


def inside(value, label):
    """Read a label back and say whether the number lies in it."""
    number = Fraction(value)
    if label.startswith(">="):
        return number >= Fraction(label[2:])
    if label.startswith("<"):
        return number < Fraction(label[1:])
    if not label.startswith("["):
        return float(label) == value
    found = re.fullmatch(rf"\[({NUMBER})(-|\.\.)({NUMBER})([\])])", label)
    low, high = float(found[1]), float(found[3])
    assert found[2] == (".." if low < 0 or high < 0 else "-")
    return low <= number and (number < high or (found[4] == "]" and number == high))


whole = st.integers(-200, 200)
broken = whole.map(lambda number: number / 8)


@st.composite
def spaced(draw):
    number = draw(st.sampled_from([whole, broken]))
    lower, width = draw(number), abs(draw(number)) or 1
    fan_out = tuple(draw(st.lists(st.integers(2, 4), max_size=3)))
    count = draw(st.integers(1, 30))
    upper = lower + width * count - draw(st.sampled_from([0, width / 2]))
    ends = {}
    if draw(st.booleans()):
        ends["bottom"] = lower + (upper - lower) / 4
    if draw(st.booleans()):
        ends["top"] = upper - (upper - lower) / 4
    try:
        return Intervals(lower=lower, width=width, upper=upper, fan_out=fan_out, **ends)
    except BadRequest as error:
        assume("joins more often" not in str(error))
        raise


@given(spaced(), st.lists(st.one_of(whole, broken), min_size=1, unique=True))
def test_laws(obey, builder, values):
    edges = [builder.lower, builder.upper]
    values = {value for value in [*values, *edges] if value >= edges[0] or builder.bottom is not None}
    values = sorted(value for value in values if value <= edges[1] or builder.top is not None)
    obey(builder, values, inside)


@given(st.lists(st.floats(-1e6, 1e6, allow_subnormal=False), min_size=3, max_size=9, unique=True), st.data())
def test_laws_with_listed_edges(obey, edges, data):
    edges = sorted(edges)
    assume(all(abs(edge) > 1e-3 or edge == 0 for edge in edges))
    values = data.draw(st.lists(st.floats(edges[0], edges[-1]), min_size=1, unique=True))
    obey(Intervals(edges=edges, fan_out=(2,)), sorted({*edges, *values}), inside)


@given(st.integers(-9999, 9999), st.integers(1, 999), st.integers(0, 5), st.integers(1, 40))
def test_decimal_widths_give_the_edges_a_person_would_write(start, step, places, count):
    scale = 10**places
    builder = Intervals(lower=start / scale, width=step / scale, upper=(start + step * count) / scale)
    for position in range(count):
        low, high = (start + step * position) / scale, (start + step * (position + 1)) / scale
        path = builder.path(low)
        if count > 1:
            found = re.fullmatch(rf"\[({NUMBER})(?:-|\.\.)({NUMBER})[\])]", path[1])
            assert (float(found[1]), float(found[2])) == (low, high)


def test_one_tenth_three_times_is_three_tenths():
    assert Intervals(lower=0, width=0.1, upper=1).path(0.3)[1] == "[0.3-0.4)"


def test_labels():
    age = Intervals(edges=(0, 18, 40, 65, 120))
    assert [age.path(value)[1] for value in (0, 17, 18, 64.5, 65, 120)] == [
        "[0-18)",
        "[0-18)",
        "[18-40)",
        "[40-65)",
        "[65-120]",
        "[65-120]",
    ]
    assert Intervals(edges=(-5, 3, 9)).path(-5.0) == ("-5", "[-5..3)", "*")
    assert Intervals(edges=(-5, 3, 9)).path(9) == ("9", "[3-9]", "*")
    assert Intervals(edges=(0, 0.5, 1)).path(1.0) == ("1", "[0.5-1]", "*")


def test_without_upper_the_joins_say_how_far():
    assert Intervals(lower=0, width=5, fan_out=(2, 2, 5)).path(100) == ("100", "[95-100]", "[90-100]", "[80-100]", "*")
    with pytest.raises(KeyError):
        Intervals(lower=0, width=5, fan_out=(2, 2, 5)).path(101)


def test_coded_ends_hold_from_level_one_on(obey):
    age = Intervals(bottom=18, width=10, top=88, fan_out=(2, 2))
    tree = obey(age, [3, 18, 40, 87, 88, 110], inside)
    assert [row[1:] for row in tree.to_levels()] == [
        ("<18", "<18", "<18", "*"),
        ("[18-28)", "[18-38)", "[18-58)", "*"),
        ("[38-48)", "[38-58)", "[18-58)", "*"),
        ("[78-88)", "[78-88)", "[58-88)", "*"),
        (">=88", ">=88", ">=88", "*"),
        (">=88", ">=88", ">=88", "*"),
    ]


def test_ends_inside_the_edges_cut_them():
    income = Intervals(edges=(0, 10, 20, 30), bottom=5, top=25)
    assert [income.path(value)[1] for value in (4, 5, 10, 24, 25)] == ["<5", "[5-10)", "[10-20)", "[20-25)", ">=25"]


def test_a_level_with_one_interval_is_the_root():
    assert Intervals(edges=(0, 10)).path(4) == ("4", "*")
    assert Intervals(lower=0, width=5, fan_out=(2,)).path(4) == ("4", "[0-5)", "*")


def test_large_whole_numbers_are_not_rounded():
    big = 2**60 + 1
    assert Intervals(edges=(0, big, 2**61)).path(big - 1) == (str(big - 1), f"[0-{big})", "*")
    assert Intervals(edges=(0, big, 2**61)).path(big)[1] == f"[{big}-{2**61}]"


def test_values_outside_are_refused_all_at_once_and_not_shown():
    with pytest.raises(BadRequest) as caught:
        Intervals(edges=(0, 18, 120)).build([-1, 5, 130, "x", True, float("nan")], column="age")
    error = caught.value
    assert error.column == "age"
    assert [str(value) for value in error.value] == ["-1", "130", "x", "True", "nan"]
    assert "130" not in str(error)
    assert "5 values have no place" in str(error)
    assert "[0-120]" in str(error)


@pytest.mark.parametrize(
    ("parameters", "where", "rule"),
    [
        ({}, "intervals", "either edges or lower and width"),
        ({"lower": 0}, "intervals", "either edges or lower and width"),
        ({"edges": (0, 1), "width": 1}, "intervals", "either edges or lower and width"),
        ({"edges": (0,)}, "intervals.edges", "must rise"),
        ({"edges": (0, 2, 2)}, "intervals.edges", "must rise"),
        ({"edges": (0, float("inf"))}, "intervals.edges", "must rise"),
        ({"lower": 0, "width": 0, "upper": 1}, "intervals.width", "> 0"),
        ({"lower": 0, "width": 5}, "intervals.upper", "where to end"),
        ({"lower": 0, "width": 5, "upper": 0}, "intervals.upper", "above the first edge"),
        ({"lower": 0, "width": 1e-9, "upper": 1}, "intervals.width", "more than 1000000"),
        ({"lower": 1e17, "width": 0.5, "upper": 1e17 + 64}, "intervals.width", "too narrow"),
        ({"lower": 0, "width": 1, "upper": float("inf")}, "intervals.upper", "finite"),
        ({"edges": (0, 1, 2), "fan_out": (1,)}, "intervals.fan_out", "at least 2"),
        ({"edges": (0, 1, 2), "fan_out": (2, 2)}, "intervals.fan_out", "joins more often than 2"),
        ({"edges": (0, 1, 2), "bottom": 2}, "intervals.bottom", ">= 0 and < 2"),
        ({"edges": (0, 1, 2), "top": 0}, "intervals.top", "> 0 and <= 2"),
        ({"edges": (0, 1, 2), "bottom": 1.5, "top": 1}, "intervals.top", "above bottom"),
    ],
)
def test_bad_parameters(parameters, where, rule):
    with pytest.raises(BadRequest, match=re.escape(rule)) as caught:
        Intervals(**parameters)
    assert caught.value.parameter == where
