"""Ordered categories: groups are runs of the order."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sfumato.errors import BadRequest
from sfumato.hierarchies.ordered import Ordered

SCHOOL = ("none", "primary", "secondary", "bachelor", "master", "doctor")


@given(st.integers(1, 20), st.lists(st.integers(2, 4), min_size=1, max_size=3), st.booleans())
def test_laws_with_sizes(obey, count, sizes, numbers):
    order = list(range(count)) if numbers else [f"v{i:02}" for i in range(count)]
    try:
        builder = Ordered(order=order, group_sizes=sizes)
    except BadRequest as error:
        assume("joins more often" not in str(error))
        raise

    def inside(value, label):
        first, _, last = label.partition("..")
        names = [str(name) for name in order]
        return names.index(first) <= order.index(value) <= names.index(last or first)

    tree = obey(builder, order, inside)
    assert tree.leaves == tuple(order)


@given(st.data())
def test_laws_with_names(obey, data):
    order = [f"v{i}" for i in range(data.draw(st.integers(1, 10)))]
    members = {name: {name} for name in order}
    below, levels = order, []
    for number in range(data.draw(st.integers(1, 3))):
        cuts = [*sorted(data.draw(st.sets(st.sampled_from(range(len(below))))) | {0}), len(below)]
        level = {}
        for lo, hi in pairwise(cuts):
            name = f"g{number}.{lo}"
            members[name] = set().union(*(members[part] for part in below[lo:hi]))
            level[name] = data.draw(st.sampled_from([below[lo:hi], sorted(members[name])]))
        levels.append(level)
        below = list(level)
    obey(Ordered(order=order, levels=levels), order, lambda value, label: value in members[label])


def test_groups_are_called_by_their_ends():
    builder = Ordered(order=SCHOOL, group_sizes=(2, 2))
    assert builder.path("bachelor") == ("bachelor", "secondary..bachelor", "none..bachelor", "*")
    assert builder.path("doctor") == ("doctor", "master..doctor", "master..doctor", "*")


def test_the_whole_order_is_kept():
    assert Ordered(order=SCHOOL, group_sizes=(3,)).build(["master"]).leaves == SCHOOL


def test_values_outside_the_order_are_refused_all_at_once_with_the_nearest():
    with pytest.raises(BadRequest) as caught:
        Ordered(order=SCHOOL, group_sizes=(2,)).build(["doctors", "none", "zzz"], column="school")
    assert caught.value.value == ["doctors", "zzz"]
    assert "got doctors (nearest: doctor); 1 not shown" in str(caught.value)
    assert caught.value.column == "school"


@pytest.mark.parametrize(
    ("parameters", "where", "rule"),
    [
        ({"order": "abc"}, "ordered.order", "must be a list"),
        ({"order": ["a", "b"]}, "ordered", "exactly one"),
        ({"order": ["a"], "group_sizes": [2], "levels": [{"g": ["a"]}]}, "ordered", "exactly one"),
        ({"order": [], "group_sizes": [2]}, "ordered.order", "at least one"),
        ({"order": ["1", 1], "group_sizes": [2]}, "ordered.order", "twice"),
        ({"order": ["a", "b"], "group_sizes": []}, "ordered.group_sizes", "at least 2"),
        ({"order": ["a", "b"], "group_sizes": [1]}, "ordered.group_sizes", "at least 2"),
        ({"order": ["a", "b"], "group_sizes": [2, 2]}, "ordered.group_sizes", "joins more often than 2"),
        ({"order": ["a", "b", "a..b"], "group_sizes": [2]}, "ordered.group_sizes", "label for two different"),
        ({"order": ["a", "b"], "levels": [["a", "b"]]}, "ordered.levels[1]", "map group names"),
        ({"order": ["a", "b"], "levels": [{"g": "ab"}]}, "ordered.levels[1].g", "list of values"),
        ({"order": ["a", "b"], "levels": [{"g": ["a", "x"]}]}, "ordered.levels[1].g", "neither a value nor a group"),
        ({"order": ["a", "b", "c"], "levels": [{"g": ["a", "c"], "h": ["b"]}]}, "ordered.levels[1].g", "neighbours"),
        ({"order": ["a", "b"], "levels": [{"g": ["a"]}]}, "ordered.levels[1]", "without a group"),
        ({"order": ["a", "b"], "levels": [{"g": ["a", "b"], "h": ["b"]}]}, "ordered.levels[1]", "into two groups"),
        (
            {"order": ["a", "b", "c"], "levels": [{"g": ["a", "b"], "h": ["c"]}, {"i": ["a"], "j": ["b", "c"]}]},
            "ordered.levels[2]",
            "cuts a group",
        ),
        ({"order": ["a", "b", "c"], "levels": [{"c": ["a", "b"], "h": ["c"]}]}, "ordered.levels", "two different"),
        ({"order": ["a", "b", "c"], "levels": [{"*": ["a", "b"], "h": ["c"]}]}, "ordered.levels", "two different"),
    ],
)
def test_bad_parameters(parameters, where, rule):
    with pytest.raises(BadRequest, match=re.escape(rule)) as caught:
        Ordered(**parameters)
    assert caught.value.parameter == where
