"""Frequency: a value is kept or it is rare, by its count alone."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import BadRequest
from sfumato.hierarchies.frequency import Frequency

counted = st.dictionaries(st.text("abc", min_size=1, max_size=3), st.integers(0, 9), min_size=1)


@given(counted, st.one_of(st.none(), st.integers(1, 9)), st.one_of(st.none(), st.integers(1, 9)))
def test_laws(obey, counts, at_least, top):
    if at_least is None and top is None:
        top = 3
    builder = Frequency.from_counts(counts, counts.values(), at_least=at_least, top=top)

    def kept(value):
        ahead = sum((-count, name) < (-counts[value], value) for name, count in counts.items())
        return (at_least is None or counts[value] >= at_least) and (top is None or ahead < top)

    tree = obey(builder, sorted(counts), lambda value, label: label == value or (label == "other" and not kept(value)))
    assert {leaf for leaf in tree.leaves if builder.path(leaf) == (leaf, "*")} == {v for v in counts if kept(v)}
    assert set(builder.counts) == {value for value in counts if kept(value)}


@given(st.dictionaries(st.integers(-5, 5), st.integers(1, 9), min_size=1))
def test_laws_on_numbers(obey, counts):
    builder = Frequency.from_counts(counts, np.array(list(counts.values())), at_least=4)
    obey(builder, sorted(counts), lambda value, label: label == str(value) or (label == "other" and counts[value] < 4))


def test_bounds_from_a_policy_are_filled_from_a_table():
    asked = Frequency.from_spec({"id": "frequency", "top": 1, "label": "elsewhere"})
    with pytest.raises(BadRequest, match="no counts yet"):
        asked.path("Malta")
    country = asked.fitted(("France", "Malta"), np.array([9, 2]))
    assert country.path("Malta") == ("Malta", "elsewhere", "*")
    assert json.loads(json.dumps(country.spec())) == {
        "id": "frequency",
        "top": 1,
        "label": "elsewhere",
        "counts": {"France": 9},
    }


def test_rare_values_are_not_stored():
    assert Frequency.from_counts(["a", "rare"], [5, 1], at_least=2).counts == {"a": 5}


def test_a_value_that_was_never_counted_is_rare():
    assert Frequency.from_counts(["a"], [5], top=1).path("new") == ("new", "other", "*")


def test_values_called_like_a_label_are_refused_all_at_once():
    with pytest.raises(BadRequest) as caught:
        Frequency.from_counts(["a"], [5], top=1).build(["a", "other", "b", "*"], column="c")
    assert caught.value.value == ["other", "*"]
    assert caught.value.column == "c"


@pytest.mark.parametrize(
    ("parameters", "where", "rule"),
    [
        ({}, "frequency", "needs at_least or top"),
        ({"top": 0}, "frequency.top", ">= 1"),
        ({"at_least": 0}, "frequency.at_least", ">= 1"),
        ({"top": 1, "label": "*"}, "frequency.label", "differ from the root"),
        ({"top": 1, "counts": {"other": 3}}, "frequency.label", "also a value"),
        ({"top": 1, "counts": ["a"]}, "frequency.counts", "map values to counts"),
        ({"top": 1, "counts": {"a": -1, "b": "x", "c": 1}}, "frequency.counts", "whole numbers"),
    ],
)
def test_bad_parameters(parameters, where, rule):
    with pytest.raises(BadRequest, match=rule) as caught:
        Frequency(**parameters)
    assert caught.value.parameter == where
