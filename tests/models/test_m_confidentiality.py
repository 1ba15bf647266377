"""m-confidentiality: credibility against listing every world, publishers of several kinds, counter-examples, refusals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato
from oracles.naive_worlds import publisher_credibility
from sfumato import BadRequest, GroupStats, Unsupported
from sfumato.contracts.publication import Publication
from sfumato.data.tree import Tree
from sfumato.models import ConfidenceBounding, MConfidentiality
from sfumato.models.m_confidentiality import MinimalPublisher, PublishedGroup, credibility, published_groups

GROUP = st.lists(st.tuples(st.sampled_from("xyz"), st.sampled_from("ab")), min_size=1, max_size=5)
RULE = {"id": "confidence-bounding", "sensitive": "S", "value": "a", "h": 0.6}
TREE = Tree.from_nested({"Any": [{"Professional": ["Engineer", "Lawyer"]}, {"Artist": ["Dancer", "Writer"]}]})

Drawn = list[list[tuple[str, str]]]


def groups_of(drawn: Drawn, *, apart: bool) -> list[PublishedGroup]:
    """Return published groups; ``apart``: no raw quasi-identifier lies in two of them."""
    return [
        PublishedGroup(
            (f"group {number}",),
            Counter((f"{q}{number}" if apart else q,) for q, _ in group),
            Counter(s for _, s in group),
        )
        for number, group in enumerate(drawn)
    ]


def listed(groups: list[PublishedGroup]) -> list[tuple[list[Any], list[Hashable]]]:
    return [(list(Counter(group.persons).elements()), list(Counter(group.values).elements())) for group in groups]


def too_sure(pairs: list[tuple[Any, Hashable]]) -> bool:
    """Tell whether a raw table breaks the rule: some quasi-identifier has a in more than 60 %."""
    having = Counter(person for person, value in pairs if value == "a")
    return any(having[person] > 0.6 * count for person, count in Counter(person for person, _ in pairs).items())


@settings(max_examples=60)
@given(st.lists(GROUP, min_size=1, max_size=2), st.booleans())
def test_agrees_with_listing_every_world(drawn: Drawn, apart: bool) -> None:
    groups = groups_of(drawn, apart=apart)
    before, after, believed = publisher_credibility(listed(groups), too_sure)
    publisher = MinimalPublisher(
        ConfidenceBounding(sensitive="S", value="a", h=0.6),
        ("Q",),
        "S",
        Counter(s for group in drawn for _, s in group),
    )
    if after == 0:
        with pytest.raises(BadRequest, match="would not have published"):
            publisher.credibility(groups)
        return
    found = publisher.credibility(groups)
    by_worlds = credibility(groups, publisher.breaks)
    assert (found.worlds_before, found.worlds_after) == (before, after)
    assert found == by_worlds
    at = 0
    for group, kinds in zip(groups, found.chances, strict=True):
        for person in Counter(group.persons).elements():
            for value in group.values:
                assert kinds[person][value] == believed[at].get(value, 0)
            at += 1


@given(st.lists(GROUP, min_size=1, max_size=2))
def test_a_publisher_who_does_not_look_keeps_all_worlds(drawn: Drawn) -> None:
    """Then credibility is the plain share in the group."""
    groups = groups_of(drawn, apart=True)
    found = credibility(groups, lambda world: True)
    assert found.worlds_before == found.worlds_after
    for group in groups:
        for person in group.persons:
            for value, count in group.values.items():
                assert found.of(person, [value]) == pytest.approx(count / sum(group.values.values()))


def published(rows: list[tuple[str, str]], people: list[str]) -> Publication:
    return Publication(
        table=sfumato.from_rows(["Job", "S"], rows),
        qids=("Job",),
        external=sfumato.from_rows(["Job"], [(job,) for job in people]),
        trees={"Job": TREE},
    )


def model(m: float = 2, rule: Any = RULE, **asked: Any) -> MConfidentiality:
    return MConfidentiality(m=m, sensitive="S", requirement=rule, **asked)


PEOPLE = ["Engineer"] * 2 + ["Lawyer"] * 5
RAW = [("Engineer", "a"), ("Engineer", "b"), ("Lawyer", "a")] + [("Lawyer", "b")] * 4
MASKED = [("Professional", value) for _, value in RAW]


def test_masking_without_need_breaks_it() -> None:
    """The stored counter-example to both merge traits: the raw table was fine, its merged form hints that it was not."""
    asked = model(sets=(("a",),))
    apart, merged = asked.judge(published(RAW, PEOPLE)), asked.judge(published(MASKED, PEOPLE))
    assert (apart.satisfied, apart.strongest, apart.violating_records) == (True, 2.0, 0)
    assert (merged.satisfied, merged.strongest, merged.violating_records) == (False, 1.0, 2)
    (violation,) = merged.violations
    assert violation.witness == {"values": ["a"], "persons": 2, "worlds_before": 21, "worlds_after": 1}
    assert (violation.group, violation.size, violation.measured) == (("Professional",), 7, 1.0)
    assert not MConfidentiality.traits.closed_under_merge
    assert not MConfidentiality.traits.violations_shrink_under_merge


def test_requirements_over_subsets_are_asked_about_whole_worlds() -> None:
    """LKC is not decided by group, yet gives the same where all of the quasi-identifier is known."""
    rule = {"id": "lkc-privacy", "L": 1, "K": 1, "C": 0.6, "sensitive": "S", "values": ["a"]}
    assert model(rule=rule).credibility(published(MASKED, PEOPLE)) == model().credibility(published(MASKED, PEOPLE))


def test_all_single_values_are_protected_by_default() -> None:
    """The lawyers are known to have b."""
    verdict = model().judge(published(MASKED, PEOPLE))
    assert verdict.violating_records == 7
    assert model(m=1).judge(published(MASKED, PEOPLE))


def test_sets_add_their_values_up() -> None:
    rows = [("Professional", value) for value in ("a", "b", "c", "d")]
    people = ["Engineer", "Engineer", "Lawyer", "Lawyer"]
    rule = {"id": "l-diversity-distinct", "sensitive": "S", "l": 3}
    single = model(4, rule=rule).judge(published(rows, people))
    pairs = model(4, rule=rule, sets=(("a", "b"),)).judge(published(rows, people))
    assert (single.satisfied, pairs.satisfied) == (True, False)
    assert pairs.strongest == pytest.approx(2.0)


def test_who_is_in_which_group() -> None:
    table = sfumato.from_rows(
        ["Job", "Age", "S"], [("Professional", "[30-40)", "a"), ("*", "[40-50]", "b"), ("Dancer", "35", "a")]
    )
    people = sfumato.from_rows(["Job", "Age"], [("Dancer", 35), ("Lawyer", 39), ("Writer", 50), ("Clerk", 12)])
    publication = Publication(table=table, qids=("Job", "Age"), external=people, trees={"Job": TREE})
    found = {group.key: dict(group.persons) for group in published_groups(publication, None, "S")}
    assert found == {
        ("Professional", "[30-40)"): {("Lawyer", 39): 1},
        ("*", "[40-50]"): {("Writer", 50): 1},
        ("Dancer", "35"): {("Dancer", 35): 1},
    }


def test_the_raw_table_will_do_for_the_persons() -> None:
    publication = published(MASKED, PEOPLE)
    raw = sfumato.from_rows(["Job", "S"], RAW)
    other = Publication(table=publication.table, qids=("Job",), raw=raw, trees={"Job": TREE})
    assert model().credibility(other) == model().credibility(publication)


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(BadRequest, match="raw quasi-identifiers"):
        model().judge(Publication(table=sfumato.from_rows(["Job", "S"], MASKED), qids=("Job",)))
    with pytest.raises(BadRequest, match="raw quasi-identifiers"):
        model().judge(Publication(explicit=GroupStats.from_histograms([{"a": 1}], column="S")))
    with pytest.raises(BadRequest, match="no more and no fewer"):
        model().judge(published(MASKED, [*PEOPLE, "Lawyer"]))
    with pytest.raises(BadRequest, match="no more and no fewer"):
        model().judge(published(MASKED, ["Dancer"] * 7))
    with pytest.raises(BadRequest, match="more than one published group"):
        model().judge(published([("Professional", "a"), ("Any", "b")], ["Lawyer", "Lawyer"]))
    with pytest.raises(BadRequest, match="would not have published"):
        model().judge(published([("Professional", "b")] * 7, PEOPLE))
    with pytest.raises(BadRequest, match="protects"):
        model().judge(
            Publication(
                table=sfumato.from_rows(["Job", "S"], MASKED),
                qids=("Job", "S"),
                raw=sfumato.from_rows(["Job"], [("Lawyer",)]),
            )
        )
    with pytest.raises(BadRequest, match="lacks a quasi-identifier"):
        model().judge(
            Publication(
                table=sfumato.from_rows(["Job", "S"], MASKED), qids=("Job",), external=sfumato.from_rows(["A"], [(1,)])
            )
        )
    with pytest.raises(BadRequest, match="as many persons"):
        credibility([PublishedGroup(("g",), {("x",): 2}, {"a": 1})], lambda world: True)
    with pytest.raises(BadRequest, match="nobody"):
        model().credibility(published(MASKED, PEOPLE)).of(("Writer",), ["a"])


def test_too_many_worlds_are_refused() -> None:
    many = PublishedGroup(("g",), {(i,): 4 for i in range(12)}, {"a": 16, "b": 16, "c": 16})
    with pytest.raises(Unsupported, match="more than"):
        credibility([many], lambda world: True, at_most_worlds=1000)
    some = [PublishedGroup((g,), {(g, i): 2 for i in range(3)}, {"a": 3, "b": 3}) for g in "xyz"]
    with pytest.raises(Unsupported, match="more than"):
        credibility(some, lambda world: True, at_most_worlds=100)


@pytest.mark.parametrize(
    "asked, name",
    [
        ({"m": 0.5}, "m"),
        ({"requirement": {"id": "no-such-model"}}, "requirement"),
        ({"requirement": {"id": "k-anonymity"}}, "requirement"),
        ({"requirement": {"id": "ff-anonymity", "sensitive": [["S", "a", 0.5]]}}, "requirement"),
        ({"requirement": "k-anonymity"}, "requirement"),
        ({"requirement": {"id": "k-map", "k": 2}}, "requirement"),
        ({"requirement": {"id": "l-diversity-distinct", "l": 2, "sensitive": "other"}}, "requirement"),
        ({"requirement": {"id": "differential-privacy", "epsilon": 1}}, "requirement"),
        ({"requirement": {"id": "m-confidentiality", "m": 2, "sensitive": "S", "requirement": RULE}}, "requirement"),
        ({"sets": []}, "sets"),
        ({"sets": [[]]}, "sets"),
        ({"qid": ["S"]}, "qid"),
    ],
)
def test_bad_parameters(asked: dict[str, Any], name: str) -> None:
    with pytest.raises(BadRequest) as caught:
        MConfidentiality.from_spec({"m": 2, "sensitive": "S", "requirement": RULE, **asked})
    assert caught.value.parameter == f"m-confidentiality.{name}"


def test_json() -> None:
    asked = model(sets=(("a", "b"), ("c",)))
    assert MConfidentiality.from_spec(asked.spec()) == asked
