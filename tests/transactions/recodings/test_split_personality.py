"""Profiles of a user are the connected parts of alike queries; pseudonyms have nothing in common."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import BadRequest
from sfumato.transactions.query_log import QueryLog
from sfumato.transactions.recodings.split_personality import SplitPersonality

queries = st.lists(st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=3, unique=True), max_size=8)


@given(asked=queries, fifths=st.integers(1, 5))
def test_profiles_are_connected_parts(asked: list[list[str]], fifths: int) -> None:
    linked = {at: {at} for at in range(len(asked))}
    for first, second in combinations(range(len(asked)), 2):
        one, other = set(asked[first]), set(asked[second])
        if Fraction(len(one & other), len(one | other)) >= Fraction(fifths, 5):
            merged = linked[first] | linked[second]
            for at in merged:
                linked[at] = merged
    wanted = {tuple(sorted(part)) for part in linked.values()}
    assert set(SplitPersonality(threshold=fifths / 5).profiles(asked)) == wanted


@given(asked=queries, most=st.integers(1, 3))
def test_no_more_profiles_than_allowed(asked: list[list[str]], most: int) -> None:
    found = SplitPersonality(threshold=1.0, most=most).profiles(asked)
    assert len(found) <= most
    assert sorted(at for one in found for at in one) == list(range(len(asked)))


def test_small_profiles_are_dropped_or_pooled() -> None:
    asked = [["a"], ["a"], ["b"], ["c"]]
    assert SplitPersonality(least=2).profiles(asked) == ((0, 1),)
    assert SplitPersonality(least=2, small="pool").profiles(asked) == ((0, 1), (2, 3))


def test_other_similarities() -> None:
    asked = [["jazz", "tickets"], ["tennis", "tickets"], ["jazz", "club"]]
    assert SplitPersonality(similarity="urls").profiles(asked, ["x", "x", None]) == ((0, 1), (2,))
    assert SplitPersonality(similarity="cosine", threshold=0.9).profiles([["a", "b"], ["a", "b"], ["c"]]) == (
        (0, 1),
        (2,),
    )
    with pytest.raises(BadRequest, match="address"):
        SplitPersonality(similarity="urls").profiles(asked)


def test_a_log_is_split_and_shuffled() -> None:
    log = QueryLog.of([("ann", "tennis racket"), ("ann", "tennis"), ("ann", "jazz"), ("bob", "tennis")])
    made = SplitPersonality().split(log, np.random.default_rng(2))
    names = {name for name, _ in made.rows}
    assert sorted(query for _, query in made.rows) == sorted(log.queries)
    assert (len(names), made.profiles, made.dropped) == (3, (1, 2), 0)
    assert made.pairs_lost == pytest.approx(2 / 3)
    assert not names & {"ann", "bob"}
    assert "formally" in made.statement
    assert SplitPersonality(least=2).split(log, np.random.default_rng(2)).dropped == 2
