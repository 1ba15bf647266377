"""Editing a tree: values are never lost, whatever is moved where."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.data.tree import Tree
from sfumato.errors import BadRequest
from sfumato.web.branches import Branch

WARDS = Branch.of(Tree.from_nested({"any": [{"inner": ["a", "b"]}, {"outer": ["c", {"far": ["d"]}]}]}))


def test_numbers_go_from_the_root_down() -> None:
    assert [(one.number, one.branch.label, one.depth) for one in WARDS.walk()] == [
        (0, "any", 0), (1, "inner", 1), (2, "a", 2), (3, "b", 2), (4, "outer", 1), (5, "c", 2), (6, "far", 2), (7, "d", 3),
    ]  # fmt: skip


def test_what_can_be_done() -> None:
    assert WARDS.moved(5, 1).document() == {"any": [{"inner": ["a", "b", "c"]}, {"outer": [{"far": ["d"]}]}]}
    assert WARDS.moved(7, 0).document() == {
        "any": [{"inner": ["a", "b"]}, {"outer": ["c"]}, "d"]
    }  # an empty group goes
    assert WARDS.renamed(6, " near ").walk()[6].branch.label == "near"
    assert WARDS.dissolved(4).document() == {"any": [{"inner": ["a", "b"]}, "c", {"far": ["d"]}]}
    assert WARDS.grouped(2, "first").document() == {
        "any": [{"inner": [{"first": ["a"]}, "b"]}, {"outer": ["c", {"far": ["d"]}]}]
    }
    assert WARDS.grouped(0, "all").walk()[1].branch == WARDS
    assert WARDS.housed(["e"], 6).values() == {*"abcde"}


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: WARDS.moved(0, 1),
        lambda: WARDS.moved(4, 6),
        lambda: WARDS.moved(4, 4),
        lambda: WARDS.moved(2, 3),
        lambda: WARDS.moved(2, 99),
        lambda: WARDS.renamed(2, "x"),
        lambda: WARDS.renamed(1, "outer"),
        lambda: WARDS.renamed(1, " "),
        lambda: WARDS.dissolved(0),
        lambda: WARDS.dissolved(3),
        lambda: WARDS.grouped(2, "b"),
    ],
)
def test_what_cannot(wrong: object) -> None:
    with pytest.raises(BadRequest):
        wrong()  # type: ignore[operator]


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.sampled_from("mgd")), max_size=8))
def test_no_value_is_ever_lost(steps: list[tuple[int, int, str]]) -> None:
    tree = WARDS
    for count, (one, other, what) in enumerate(steps):
        try:
            if what == "m":
                tree = tree.moved(one, other)
            else:
                tree = tree.grouped(one, f"n{count}") if what == "g" else tree.dissolved(one)
        except BadRequest:
            continue
    assert tree.values() == {*"abcd"}
    assert Branch.of(Tree.from_nested(tree.document())).values() == {*"abcd"}
