"""Proposals: whatever is proposed has a place for every value it was proposed for."""

from __future__ import annotations

import re
from datetime import date, datetime
from math import log10

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sfumato.data.compressed import Dictionary
from sfumato.data.schema import ColumnType
from sfumato.hierarchies.dates import Dates
from sfumato.hierarchies.frequency import Frequency
from sfumato.hierarchies.intervals import Intervals
from sfumato.hierarchies.proposals import propose
from sfumato.hierarchies.redaction import Redaction


def dictionary(values, counts=None):
    values = tuple(values)
    return Dictionary("c", values, np.ones(len(values), np.int64) if counts is None else np.array(counts))


def digits(number):
    return f"{number:e}".split("e")[0].rstrip("0").rstrip(".")


@given(
    st.one_of(
        st.lists(st.integers(-(2**62), 2**62), min_size=3, unique=True),
        st.lists(st.integers(-50, 120), min_size=3, unique=True),
    )
)
def test_whole_numbers_get_round_intervals(obey, values):
    builder = propose(dictionary(sorted(values)), ColumnType.INTEGER)
    if builder is None:
        # Three neighbours that the narrowest interval holds.
        assert max(values) - min(values) == 2
        return
    assert isinstance(builder, Intervals)
    assert digits(builder.width) in "125"
    assert builder.width >= 2
    assert isinstance(builder.lower, int)
    assert builder.lower % builder.width == 0
    assert builder.lower <= min(values) <= max(values) <= builder.upper
    # One round number is at most 2.5 times the one before; the rest is what widening to round ends may add.
    assert builder.width == 2 or max(values) - min(values) > 8 * builder.width - 1
    tree = obey(builder, sorted(values), lambda value, label: True)
    assert tree.height == len(builder.fan_out) + 2


@given(st.lists(st.floats(-1e300, 1e300), min_size=3, unique=True))
def test_numbers_of_any_size_find_their_place(values):
    assume(len({*values}) == len({value + 0.0 for value in values}))
    builder = propose(dictionary(sorted(values)), ColumnType.NUMBER)
    if builder is None:
        # Only where all of them lie within the last digits of each other.
        assert max(values) - min(values) <= 1e-9 * max(map(abs, values)) + 1e-300
        return
    assert digits(builder.width) in "125"
    assert builder.build(sorted(values)).leaves == tuple(sorted(values))


@given(st.lists(st.integers(-10_000, 10_000), min_size=3, unique=True), st.integers(0, 6))
def test_decimals_get_short_edges(values, places):
    values = sorted(value / 10**places for value in values)
    builder = propose(dictionary(values), ColumnType.NUMBER)
    row = builder.path(values[0])
    for label in row[1:-1]:
        for edge in re.fullmatch(r"\[(-?[\d.]+?)(?:-|\.\.)(-?[\d.]+)[\])]", label).groups() if "e" not in label else ():
            assert len(edge.lstrip("-").lstrip("0.").replace(".", "").rstrip("0")) <= 5
    assert len(builder.build(values).to_levels()) == len(values)
    assert log10(builder.width) == pytest.approx(log10((values[-1] - values[0]) / 20), abs=0.4)


def test_ages():
    ages = propose(dictionary(range(17, 91)), ColumnType.INTEGER)
    assert ages == Intervals(lower=0, width=5, upper=100, fan_out=(2, 5))


def test_dates_and_datetimes():
    assert propose(dictionary(date(2024, 1, day) for day in (1, 2, 3)), ColumnType.DATE) == Dates()
    assert propose(dictionary(datetime(2024, 1, day) for day in (1, 2, 3)), ColumnType.DATETIME) == Dates()


def test_digit_codes_of_one_length_are_redacted():
    assert propose(dictionary(["02138", "02139", "53715"]), ColumnType.TEXT) == Redaction(length=5)


@pytest.mark.parametrize(
    "codes", [["12", "13", "14"], ["123", "1234", "125"], ["12a", "123", "124"], ["١٢٣", "123", "124"]]
)
def test_other_codes_are_not(codes):
    assert not isinstance(propose(dictionary(codes), ColumnType.TEXT), Redaction)


def test_rare_texts_share_a_label():
    countries = dictionary(["France", "Laos", "Malta", "Spain"], [500, 2, 3, 300])
    builder = propose(countries, ColumnType.TEXT)
    assert isinstance(builder, Frequency)
    assert (builder.at_least, builder.counts) == (9, {"France": 500, "Spain": 300})


def test_the_label_of_rare_texts_is_no_value():
    builder = propose(dictionary(["Other", "a", "b", "c"], [500, 2, 3, 300]), ColumnType.TEXT)
    assert builder.path("a") == ("a", "other values", "*")


@pytest.mark.parametrize(
    ("values", "counts", "kind"),
    [
        ([True, False], [1, 1], ColumnType.BOOLEAN),
        ([1, 2], [1, 1], ColumnType.INTEGER),
        (["f", "m"], [1, 99], ColumnType.TEXT),
        (["a", "b", "c"], [50, 50, 50], ColumnType.TEXT),
        (["a", "b", "c"], [500, 500, 1], ColumnType.TEXT),
        (["a", "b", "c"], [1, 1, 1], ColumnType.TEXT),
        ([0.0, 1.0, float("inf")], [1, 1, 1], ColumnType.NUMBER),
        ([0.0, 1.0, 1.7e308], [1, 1, 1], ColumnType.NUMBER),
        ([], [], ColumnType.TEXT),
    ],
)
def test_nothing_is_proposed_where_nothing_helps(values, counts, kind):
    assert propose(dictionary(values, counts), kind) is None
