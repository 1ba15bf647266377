"""Two who mask alone: what they publish is k-anonymous, never finer than each alone, and counted on encrypted persons."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.data.tree import Tree
from sfumato.errors import BadRequest, Infeasible
from sfumato.parties.protocols import DkaTable, DkaTwoParty

TREE = Tree.from_nested(
    {"value": "*", "children": [{"value": "A", "children": [{"value": "a"}, {"value": "b"}]}, {"value": "c"}]}
)
VALUES = st.lists(st.tuples(*[st.sampled_from("abc")] * 3), min_size=2, max_size=14)


@settings(max_examples=15)
@given(VALUES, st.integers(1, 4))
def test_the_join_is_that_of_plain_persons(rows: list[tuple[str, str, str]], k: int) -> None:
    persons = [f"p{at}" for at in range(len(rows))]
    trees = {"u": TREE, "v": TREE, "w": TREE}
    one = DkaTable(persons, {"u": [row[0] for row in rows], "v": [row[1] for row in rows]}, trees)
    other = DkaTable([*persons[::-1], "q"], {"w": [*[row[2] for row in rows][::-1], "c"]}, trees)
    if len(rows) < k:
        with pytest.raises(Infeasible):
            DkaTwoParty(k=k).simulate({"one": one, "other": other})
        return
    found = DkaTwoParty(k=k).simulate({"one": one, "other": other}).results
    first, second = found["one"], found["other"]
    assert first.groups == second.groups
    theirs = dict(zip(other.persons, other.masked(second.attempts[-1].depths), strict=True))
    mine = dict(zip(persons, one.masked(first.attempts[-1].depths), strict=True))
    assert dict(first.groups) == Counter((*mine[person], *theirs[person]) for person in persons)
    assert min(size for _, size in first.groups) >= k
    assert second.attempts[0].sizes is None


def test_what_cannot_be_counted_is_refused() -> None:
    good = DkaTable("pq", {"u": ["a", "b"]}, {"u": TREE})
    for bad, error in (
        (DkaTable("pp", {"u": ["a", "b"]}, {"u": TREE}), "twice"),
        (DkaTable("pq", {"u": ["a"]}, {"u": TREE}), "one value"),
        (DkaTable("pq", {"u": ["a", "b"]}, {}), "hierarchy"),
        (DkaTable("pq", {}, {}), "a column"),
        (DkaTable("pq", {"u": ["a", "z"]}, {"u": TREE}), "hierarchy"),
    ):
        with pytest.raises(BadRequest, match=error):
            DkaTwoParty(k=2).simulate({"one": bad, "other": good})
    apart = DkaTable("xy", {"u": ["a", "b"]}, {"u": TREE})
    with pytest.raises(Infeasible, match="in common"):
        DkaTwoParty(k=1).simulate({"one": apart, "other": good})
    with pytest.raises(BadRequest, match="2 to 2"):
        DkaTwoParty(k=1).simulate({"one": good, "other": good, "third": good})
