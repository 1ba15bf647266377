"""Redaction: what stays readable is the start (or the end) of the code."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import BadRequest
from sfumato.hierarchies.redaction import Redaction

codes = st.lists(st.text("01aß", max_size=6), min_size=1, unique=True)


def contains(marker, keep):
    def inside(value, label):
        code = str(value)
        if marker not in label:
            return label == code
        readable = label.rstrip(marker) if keep == "prefix" else label.lstrip(marker)
        assert marker not in readable
        fits = code.startswith(readable) if keep == "prefix" else code.endswith(readable)
        return fits and len(code) <= len(label)

    return inside


@given(
    codes,
    st.sampled_from(["prefix", "suffix"]),
    st.sampled_from(["*", "X"]),
    st.one_of(st.none(), st.integers(6, 8)),
    st.one_of(st.none(), st.lists(st.integers(1, 3), min_size=1, max_size=2)),
)
def test_laws(obey, values, keep, marker, length, steps):
    builder = Redaction(keep=keep, marker=marker, length=length, steps=steps)
    obey(builder, sorted(values), contains(marker, keep))


@given(st.lists(st.integers(0, 99999), min_size=1, unique=True))
def test_laws_on_whole_numbers(obey, values):
    obey(Redaction(length=5), sorted(values), contains("*", "prefix"))


@given(st.lists(st.text("0123456789", min_size=5, max_size=5), min_size=1, unique=True))
def test_level_l_of_equal_codes_hides_l_characters(values):
    tree = Redaction().build(values)
    for row in tree.to_levels():
        assert list(row) == [row[0][: 5 - level] + "*" * level for level in range(5)] + ["*"]


def test_shorter_codes_join_where_all_their_characters_are_kept():
    tree = Redaction(length=3).build(["1", "13", "130", "131", "2"])
    assert tree.to_levels() == [
        ("1", "1", "1**", "*"),
        ("13", "13*", "1**", "*"),
        ("130", "13*", "1**", "*"),
        ("131", "13*", "1**", "*"),
        ("2", "2", "2**", "*"),
    ]


def test_codes_of_different_length_meet_in_the_root_without_a_length():
    tree = Redaction().build(["1", "13", "130"])
    assert tree.to_levels() == [("1", "1", "1", "*"), ("13", "13", "1*", "*"), ("130", "13*", "1**", "*")]


def test_the_end_can_be_kept():
    assert Redaction(keep="suffix", steps=(2, 1)).path("AB123") == ("AB123", "**123", "***23", "*")


def test_what_is_no_such_code_is_refused_all_at_once_and_not_shown():
    with pytest.raises(BadRequest) as caught:
        Redaction(length=3).build(["130", "1*", "1305", 1.5, True, "*"], column="zip")
    assert caught.value.value == ["1*", "1305", 1.5, True, "*"]
    assert "1305" not in str(caught.value)
    assert "5 not shown" in str(caught.value)
    assert caught.value.column == "zip"
    assert "at most 3 characters without '*'" in str(caught.value)


def test_the_root_is_no_code_whatever_the_marker():
    with pytest.raises(KeyError):
        Redaction(marker="X").path("*")


@pytest.mark.parametrize(
    ("parameters", "where", "rule"),
    [
        ({"marker": ""}, "redaction.marker", "one character"),
        ({"marker": "**"}, "redaction.marker", "one character"),
        ({"keep": "middle"}, "redaction.keep", "choices"),
        ({"steps": ()}, "redaction.steps", "at least one"),
        ({"steps": (1, 0)}, "redaction.steps", "at least one"),
        ({"steps": (2, 2), "length": 3}, "redaction.steps", "not hide more"),
        ({"length": 0}, "redaction.length", ">= 1"),
    ],
)
def test_bad_parameters(parameters, where, rule):
    with pytest.raises(BadRequest, match=rule) as caught:
        Redaction(**parameters)
    assert caught.value.parameter == where
