"""Random releases, judged on their written text by somebody who shares nothing with us: the first of ``make trial``."""

from __future__ import annotations

import pytest

from .trial import try_one

CASES, SEED, PART = 300, 16, 30


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, CASES, PART))
def test_what_is_promised_holds_in_what_is_written(first: int) -> None:
    wrong = {}
    for number in range(first, first + PART):
        drawn, _, problems = try_one(SEED, number)
        if problems:
            wrong[number] = (drawn.algorithm, drawn.format, problems)
    assert wrong == {}


def test_the_judge_finds_what_is_wrong() -> None:
    """A judge who says yes to everything is none."""
    from .naive import all_placed, covers, groups_by, holds

    rows = [{"a": "1", "s": "x"}, {"a": "1", "s": "x"}, {"a": "2", "s": "x"}, {"a": "2", "s": "y"}]
    groups = groups_by(rows, ["a"])
    assert holds({"id": "k-anonymity", "k": 2}, groups, ["a"], rows)
    assert not holds({"id": "k-anonymity", "k": 3}, groups, ["a"], rows)
    assert not holds({"id": "l-diversity-distinct", "l": 2, "sensitive": "s"}, groups, ["a"], rows)
    assert not holds({"id": "t-closeness", "t": 0.1, "sensitive": "s"}, groups, ["a"], rows)
    assert covers("[0-10)", "9", {}, [])
    assert not covers("[0-10)", "10", {}, [])
    assert not covers("[9007199254740993-9007199254740994]", "9007199254740992", {}, [])
    assert not all_placed([[0], [0]])
