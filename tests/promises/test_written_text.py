"""Random releases, judged on their written text by somebody who shares nothing with us: the first of ``make trial``."""

from __future__ import annotations

import pytest

from .trial import try_one

CASES, SEED, PART = 150, 16, 15
FOUND = (344, 2700)  # what a trial once found


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, CASES, PART))
def test_what_is_promised_holds_in_what_is_written(first: int) -> None:
    wrong = {}
    for number in range(first, first + PART):
        drawn, _, problems = try_one(SEED, number)
        if problems:
            wrong[number] = (drawn.algorithm, drawn.format, problems)
    assert wrong == {}


@pytest.mark.parametrize("number", FOUND)
def test_what_was_found_stays_mended(number: int) -> None:
    assert try_one(SEED, number)[2] == []


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


def test_the_judge_of_worlds_agrees_with_the_examples_of_the_definitions() -> None:
    from naive_worlds import even_handed, implications, skyline

    def rows(**held: int) -> list[list[dict[str, str]]]:
        return [[{"s": value} for value, count in held.items() for _ in range(count)]]

    five, four = rows(Flu=2, Cold=1, HIV=1, Gout=1), rows(HIV=2, Cold=1, Flu=1)
    for c, safe in ((0.8, False), (0.81, True)):
        assert implications({"c": c, "k": 2, "sensitive": "s"}, five, [], []) is safe
    for triplet, least in (([1, 0, 0], 2 / 3), ([0, 0, 1], 0.75)):
        for threshold, safe in ((least - 0.01, False), (least + 0.01, True)):
            asked = {"value": "HIV", "skyline": [[*triplet, threshold]], "sensitive": "s"}
            assert skyline(asked, four, [], []) is safe
    assert even_handed({"threshold": 0.5, "sensitive": "s"}, four, [], [])
    assert not even_handed({"threshold": 0.49, "sensitive": "s"}, four, [], [])


def test_the_judge_of_owners_and_populations_finds_what_is_wrong() -> None:
    from drawn import Drawn
    from judges_beside import guarded, near, present

    columns = {"a": {"role": "quasi-identifier"}, "ill": {"role": "sensitive"}}
    over = {"hiv": ("kind", "any"), "flu": ("kind", "any"), "cold": ("any",), "?": ("any",)}
    drawn = Drawn("", {"columns": columns}, "csv", False, {"ill": over})
    raw = [{"a": "1", "ill": value, "guard": guard} for value, guard in (("hiv", "kind"), ("flu", ""), ("cold", ""))]
    asked = {"reading": "union", "p_breach": 0.6}
    assert guarded(drawn, asked, raw, raw) != []
    assert guarded(drawn, {**asked, "reading": "max_leaf"}, raw, raw) == []
    assert guarded(drawn, asked, [{"a": "1", "ill": value} for value in ("any", "flu", "cold")], raw) == []
    people = [{"a": "1"}, {"a": "1"}, {"a": "1"}, {"a": "1"}, {"a": "2"}]
    assert present(drawn, {"delta_min": 0, "delta_max": 0.75}, raw, people) == []
    assert present(drawn, {"delta_min": 0, "delta_max": 0.7}, raw, people) != []
    assert present(drawn, {"delta_min": 0.1, "delta_max": 0.75}, raw, people) != []
    assert near({"th_acct": "0.5", "sensitive": "ill"}, [raw[:2]], ["a"], raw)
    assert not near({"th_acct": "0.3", "sensitive": "ill"}, [raw[:2]], ["a"], raw)
