"""Newcomers in anatomized releases: found as by plain bags, also where groups are numbered anew."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.contracts.run import Run
from sfumato.engines import from_rows
from sfumato.errors import BadRequest
from sfumato.sequels import Series
from sfumato.sequels.attack import SeriesKnowledge
from sfumato.sequels.attacks import AnatomyIncrementAttack, AnatomyPair, anatomy_increments

People = list[tuple[int, str, int, str]]  # age, sex, group, value
ROW = st.tuples(st.integers(20, 23), st.sampled_from("MF"), st.integers(1, 3), st.sampled_from("xyz"))


def pair(people: People) -> AnatomyPair:
    qit = from_rows(["Age", "Sex", "Group"], [person[:3] for person in people])
    listed = Counter(person[2:] for person in people)
    return AnatomyPair(qit, from_rows(["Group", "Disease", "Count"], [(*key, count) for key, count in listed.items()]))


@given(st.lists(ROW, min_size=1, max_size=8), st.lists(ROW, max_size=5))
def test_newcomers_of_plain_bags(before: People, new: People) -> None:
    found = anatomy_increments(pair(before), pair([*before, *new]))
    wanted = Counter((person[:2], person[2]) for person in new)
    assert Counter({(one.qid, one.group): one.count for one in found}) == wanted
    for one in found:
        assert set(one.candidates) == {person[3] for person in new if person[2] == one.group}
        assert one.cracked == (len(one.candidates) == 1)
    assert [one.qid for one in found] == sorted(one.qid for one in found)


def test_groups_that_are_numbered_anew() -> None:
    before: People = [(30, "M", 1, "x"), (32, "F", 1, "y"), (40, "M", 2, "x"), (41, "F", 2, "z")]
    after: People = [(30, "M", 7, "x"), (32, "F", 7, "y"), (40, "M", 5, "x"), (41, "F", 5, "z"), (50, "M", 5, "y")]
    (found,) = anatomy_increments(pair(before), pair(after))
    assert (found.qid, found.group, found.candidates) == ((50, "M"), 5, ("y",))


def test_the_risk_of_newcomers() -> None:
    before: People = [(30, "M", 1, "x"), (32, "F", 1, "y")]
    parts = [pair(before), pair([*before, (35, "F", 1, "z")])]
    tables = [one.qit for one in parts]
    series = replace(
        Series.of(tables, qid=["Age", "Sex"]), parts=tuple({"qit": one.qit, "st": one.st} for one in parts)
    )
    found = AnatomyIncrementAttack().on(series, SeriesKnowledge(), Run())
    assert (found.highest, found.victims, dict(found.details)) == (
        1.0,
        1,
        {"releases": 2, "records": 3, "new": 1, "cracked": 1},
    )
    assert "single sensitive value to 1" in found.reading


def test_what_is_refused() -> None:
    before: People = [(30, "M", 1, "x"), (32, "F", 1, "y")]
    with pytest.raises(BadRequest, match="inside no group"):
        anatomy_increments(pair(before), pair([(30, "M", 1, "x"), (33, "F", 1, "y")]))
    with pytest.raises(BadRequest, match="not about everybody"):
        anatomy_increments(pair(before), pair([(30, "M", 1, "x"), (32, "F", 1, "x")]))
    with pytest.raises(BadRequest, match="share one column"):
        anatomy_increments(AnatomyPair(pair(before).qit, pair(before).qit), pair(before))
    series = Series.of([{"Q": ["a"], "S": ["x"]}] * 2, qid=["Q"], sensitive="S")
    with pytest.raises(BadRequest, match="needs anatomized releases"):
        AnatomyIncrementAttack().on(series, SeriesKnowledge(), Run())
