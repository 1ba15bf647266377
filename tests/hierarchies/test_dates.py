"""Dates: every day lies in its period, at every level."""

from __future__ import annotations

from datetime import date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import BadRequest
from sfumato.hierarchies.dates import Dates


def bounds(label):
    """Return the first and the last day of a period, read from its label alone."""
    if len(label) == 9:
        return date(max(int(label[:4]), 1), 1, 1), date(int(label[5:]), 12, 31)
    year = int(label[:4])
    if len(label) == 4:
        return date(year, 1, 1), date(year, 12, 31)
    if label[5] == "Q":
        month = int(label[6]) * 3
        return date(year, month - 2, 1), _end(year, month)
    if label[5] == "W":
        monday = date.fromisocalendar(year, int(label[6:]), 1)
        return monday, monday + timedelta(min(6, (date.max - monday).days))
    if len(label) == 7:
        return date(year, int(label[5:]), 1), _end(year, int(label[5:]))
    return date.fromisoformat(label[:10]), date.fromisoformat(label[:10])


def _end(year, month):
    return date(year, 12, 31) if month == 12 else date(year, month + 1, 1) - timedelta(1)


def inside(value, label):
    day = date.fromisoformat(str(value)[:10])
    first, last = bounds(label)
    return first <= day <= last and ("T" not in label or label == value.isoformat())


calendars = st.one_of(
    st.lists(st.sampled_from(["day", "month", "quarter", "year", "decade"]), min_size=1, unique=True).map(
        lambda levels: sorted(levels, key=["day", "month", "quarter", "year", "decade"].index)
    ),
    st.sampled_from([["week"], ["day", "week"]]),
)
days = st.one_of(st.dates(), st.dates(date(2023, 12, 1), date(2024, 2, 1)))


@given(calendars, st.lists(days, min_size=1, unique=True))
def test_laws_on_dates(obey, levels, values):
    obey(Dates(levels=levels), sorted(values), inside)


@given(calendars, st.lists(st.datetimes(datetime(2023, 12, 30), datetime(2024, 1, 2)), min_size=1, unique=True))
def test_laws_on_datetimes(obey, levels, values):
    obey(Dates(levels=levels), sorted(values), inside)


@given(calendars, st.lists(days.map(date.isoformat), min_size=1, unique=True))
def test_laws_on_texts(obey, levels, values):
    obey(Dates(levels=levels), sorted(values), inside)


def test_labels():
    assert Dates().path(date(2024, 3, 5)) == ("2024-03-05", "2024-03", "2024", "2020-2029", "*")
    assert Dates(levels=("day", "week")).path(date(2024, 12, 30)) == ("2024-12-30", "2025-W01", "*")
    assert Dates(levels=("quarter",)).path(date(2024, 12, 30)) == ("2024-12-30", "2024-Q4", "*")
    assert Dates(levels=("decade",)).path(date(9, 1, 1)) == ("0009-01-01", "0000-0009", "*")


def test_a_datetime_climbs_to_its_own_day():
    late = datetime(2024, 3, 5, 23, 30, tzinfo=timezone(timedelta(hours=-8)))
    assert Dates(levels=("day", "year")).path(late) == ("2024-03-05T23:30:00-08:00", "2024-03-05", "2024", "*")
    midnight = datetime(2024, 3, 5)
    assert Dates(levels=("day",)).path(midnight) == ("2024-03-05T00:00:00", "2024-03-05", "*")


def test_what_is_no_date_is_refused_all_at_once():
    with pytest.raises(BadRequest) as caught:
        Dates().build([date(2024, 1, 1), "2024-02-30", "20240301", 7, None], column="born")
    assert caught.value.value == ["2024-02-30", "20240301", 7, None]
    assert "2024-02-30" not in str(caught.value)
    assert caught.value.column == "born"
    assert "such as 2024-03-05" in str(caught.value)


@pytest.mark.parametrize(
    ("levels", "rule"),
    [
        ((), "at least one"),
        (("day", "fortnight"), "not a period"),
        (("year", "month"), "fine to coarse"),
        (("day", "day"), "fine to coarse"),
        (("week", "month"), "a week may lie in two months"),
        (("day", "week", "year"), "a week may lie in two years"),
    ],
)
def test_bad_levels(levels, rule):
    with pytest.raises(BadRequest, match=rule) as caught:
        Dates(levels=levels)
    assert caught.value.parameter == "dates.levels"
