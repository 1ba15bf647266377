"""The minimality attack against listing every world, and where no world needs to be listed."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato
from oracles.naive_attack_minimality import BROKEN, believed
from sfumato.attacks.linkage.attack_minimality import AttackMinimality, Minimality

JOBS = {"Any": [{"Professional": ["Engineer", "Lawyer"]}, {"Artist": ["Dancer", "Writer"]}]}
ABOVE = {"Engineer": "Professional", "Lawyer": "Professional", "Dancer": "Artist", "Writer": "Artist"}
RULE = BROKEN["confidence"][0]
PERSON = st.tuples(st.sampled_from(sorted(ABOVE)), st.sampled_from("fm"), st.sampled_from("ab"))
PEOPLE = [("Engineer", "a"), ("Engineer", "a")] + [("Lawyer", "b")] * 5


def attack(rows: Any, people: Any, rules: Any, asked: Any = "attack-minimality", **options: Any) -> Minimality:
    """Attack rows of published values, each ending with a sensitive one, about persons in order."""
    names = ["Job", "Sex"][: len(rows[0]) - 1]
    found = sfumato.attack(
        sfumato.from_rows([*names, "S"], rows),
        asked,
        external=sfumato.from_rows(["Name", *names], [(number, *person) for number, person in enumerate(people)]),
        models=rules,
        **{"name": "Name", "qid": names, "sensitive": "S", "hierarchies": {"Job": JOBS}, **options},
    )
    assert isinstance(found, Minimality)
    return found


def professional(people: Any = PEOPLE) -> list[tuple[str, str]]:
    return [("Professional", value) for _, value in people]


def jobs(people: Any = PEOPLE) -> list[tuple[str]]:
    return [(job,) for job, _ in people]


@settings(max_examples=150)
@given(
    people=st.lists(PERSON, min_size=1, max_size=7),
    rules=st.lists(st.sampled_from(sorted(BROKEN)), min_size=1, max_size=2, unique=True),
    level=st.sampled_from(["raw", "kind", "all"]),
    some=st.booleans(),
)
def test_agrees_with_listing_every_world(
    people: list[tuple[str, str, str]], rules: list[str], level: str, some: bool
) -> None:
    """``some``: the first requirement is on one of the two quasi-identifiers only."""
    label = {"raw": lambda job: job, "kind": ABOVE.__getitem__, "all": lambda job: "*"}[level]
    rows = [(label(job), "*" if level == "all" else sex, value) for job, sex, value in people]
    groups: dict[Any, tuple[list[Any], list[Any]]] = {}
    order: dict[Any, list[int]] = {}
    for number, (job, sex, value) in enumerate(people):
        persons, values = groups.setdefault(rows[number][:2], ([], []))
        persons.append((job, sex))
        values.append(value)
        order.setdefault(rows[number][:2], []).append(number)
    models = [dict(BROKEN[name][0]) for name in rules]
    if some:
        models[0]["qid"] = ["Job"]
    asked = [(name, [0] if some and at == 0 else None) for at, name in enumerate(rules)]
    reads = [name for name in rules if "sensitive" in BROKEN[name][0]]
    masked = level != "raw"
    if reads:
        before, after, chances = believed(list(groups.values()), asked, masked)
    else:
        before, after, chances = believed(list(groups.values()), [])
    found = attack(rows, [person[:2] for person in people], models)
    assert (found.worlds_before, found.worlds_after) == (before, after)
    at = 0
    for key, (_, values) in groups.items():
        for number in order[key]:
            assert found.of(number) == pytest.approx({v: float(chances[at].get(v, 0)) for v in set(values)})
            assert found.per_victim[number] == pytest.approx(float(max(chances[at].values())))
            assert found.naive[number] == pytest.approx(max(Counter(values).values()) / len(values))
            at += 1
    assert found.naive_confidence == pytest.approx(found.naive.max())
    assert found.details["more_believed"] == sum(found.per_victim > found.naive + 1e-12)
    assert bool(found.details["remedies"]) == (found.details["more_believed"] > 0)
    assert found.m_confidentiality(1 / found.highest)
    assert not found.m_confidentiality(1.001 / found.highest)


@given(people=st.lists(PERSON, min_size=1, max_size=30), k=st.integers(1, 9))
def test_a_publisher_who_does_not_look_keeps_all_worlds(people: list[tuple[str, str, str]], k: int) -> None:
    """Nothing is enumerated, whatever the number of worlds."""
    rows = [(ABOVE[job], "*", value) for job, _, value in people]
    named = [person[:2] for person in people]
    size = Counter(row[0] for row in rows)
    share = [max(Counter(row[2] for row in rows if row[0] == own[0]).values()) / size[own[0]] for own in rows]
    one = {"id": "attack-minimality", "at_most_worlds": 1}
    for found in (
        attack(rows, named, [{"id": "k-anonymity", "k": k}], one),
        attack(rows, named, [RULE], {**one, "publisher": "blind"}),
    ):
        assert found.per_victim.tolist() == pytest.approx(share)
        assert found.worlds_after == found.worlds_before
        assert found.details["all_worlds_left"]
        assert found.details["remedies"] == []
        assert "learns nothing" in found.reading


def test_a_raw_table_that_is_broken_anyway_tells_nothing() -> None:
    """Singletons are never l-diverse, and not k-anonymous: masking was needed for any values."""
    people = [("Engineer", "a"), *PEOPLE[2:]]
    for rules in (
        [{"id": "l-diversity-frequency", "l": 2, "sensitive": "S"}],
        [RULE, {"id": "k-anonymity", "k": 2}],
        [RULE, {"id": "k-anonymity", "k": 2, "qid": ["Job"]}],
    ):
        found = attack(professional(people), jobs(people), rules, {"id": "attack-minimality", "at_most_worlds": 1})
        assert found.details["all_worlds_left"]
        assert found.highest == found.naive_confidence
    assert not attack(professional(), jobs(), [RULE, {"id": "k-anonymity", "k": 2}]).details["all_worlds_left"]


def test_the_most_believed_value_counts_unless_values_are_named() -> None:
    every = attack(professional(), jobs(), [RULE])
    only = attack(professional(), jobs(), [RULE], {"id": "attack-minimality", "values": ["a"]})
    assert every.per_victim.tolist() == [1.0] * 7
    assert only.per_victim.tolist() == [1.0] * 2 + [0.0] * 5
    assert (every.naive_confidence, only.naive_confidence) == pytest.approx((5 / 7, 2 / 7))
    assert only.credibility("b") == every.credibility("b")
    assert "m-confidentiality or mask would prevent it" in only.reading
    none = attack(professional(), jobs(), [RULE], {"id": "attack-minimality", "values": ["a", "z"]})
    assert none.per_victim.tolist() == only.per_victim.tolist()
    assert none.warnings == ("1 of the asked sensitive values are not published",)


def test_persons_who_are_not_published_are_not_at_risk() -> None:
    found = attack(professional(), [*jobs(), ("Dancer",)], [RULE])
    assert found.per_victim[-1] == 0.0
    assert found.of(7) == {}
    assert found.details["published_persons"] == 7
    assert found.credibility("a")[7] == 0.0


def test_names_are_not_needed() -> None:
    found = attack(professional(), jobs(), [RULE], name=None)
    assert found.of(0) == {"a": 1.0, "b": 0.0}
    assert found.names() == list(range(7))


def test_no_raw_table_would_have_led_here() -> None:
    people = [(job, "b") for job, _ in PEOPLE]
    found = attack(professional(people), jobs(people), [RULE])
    assert found.details["all_worlds_left"]
    assert found.warnings[0].startswith("no raw table")


def test_requirements_that_other_columns_decide_are_no_reason() -> None:
    other = {"id": "l-diversity-distinct", "l": 2, "sensitive": "T"}
    found = attack(professional(), jobs(), [RULE, other])
    assert found.worlds_after == 1
    assert found.warnings[0].startswith("not looked at as a reason for masking: l-diversity-distinct")
    alone = attack(professional(), jobs(), [other])
    assert alone.details["all_worlds_left"]


def test_numbers_published_as_texts_are_not_masked() -> None:
    table = sfumato.from_rows(["Age", "S"], [("20", "a"), ("20", "b"), ("30", "b")])
    people = sfumato.from_rows(["Age"], [(20,), (20,), (30,)])
    found = sfumato.attack(table, AttackMinimality(), external=people, qid=["Age"], sensitive="S", models=[RULE])
    assert isinstance(found, Minimality)
    assert found.warnings == ()
    assert (found.worlds_before, found.worlds_after) == (2, 2)


def test_too_many_worlds() -> None:
    people = [(job, value) for job in ABOVE for value in "aabbccddee"]
    rows = [("*", value) for _, value in people]
    with pytest.raises(sfumato.Unsupported, match=r"attack-minimality\.at_most_worlds \(now 50\)"):
        attack(rows, jobs(people), [RULE], {"id": "attack-minimality", "at_most_worlds": 50})
    lkc = {"id": "lkc-privacy", "L": 1, "K": 1, "C": 0.6, "sensitive": "S", "values": ["a"]}
    with pytest.raises(sfumato.Unsupported, match="at_most_worlds"):
        attack(rows, jobs(people), [lkc], {"id": "attack-minimality", "at_most_worlds": 50})


def test_too_many_different_persons() -> None:
    table = sfumato.from_rows(["Age", "S"], [("*", "ab"[age % 2]) for age in range(500)])
    people = sfumato.from_rows(["Age"], [(age,) for age in range(500)])
    with pytest.raises(sfumato.Unsupported, match="500 different raw quasi-identifiers"):
        sfumato.attack(table, AttackMinimality(), external=people, qid=["Age"], sensitive="S", models=[RULE])


def test_many_persons_without_enumeration() -> None:
    """Of numbers of worlds with thousands of digits the logarithm is told."""
    rows = [("*", f"{number // 10 % 97}", "abc"[number % 3]) for number in range(20_000)]
    people = [(sorted(ABOVE)[number % 4], f"{number // 10 % 97}") for number in range(20_000)]
    found = attack(rows, people, [{"id": "k-anonymity", "k": 5}])
    assert found.details["worlds_before"] is None
    assert found.details["log10_worlds_before"] > 4300
    assert math.log10(found.worlds_before) == pytest.approx(found.details["log10_worlds_before"], rel=1e-12)


@pytest.mark.parametrize(
    "options, says",
    [
        ({"people": [*jobs(), ("Lawyer",)]}, "no more and no fewer"),
        ({"people": jobs()[1:]}, "no more and no fewer"),
        ({"people": [("Writer",)] * 7}, "no more and no fewer"),
        ({"rows": [("Professional", "a"), ("Any", "b")], "people": [("Lawyer",), ("Lawyer",)]}, "more than one"),
        ({"rules": []}, "requirements"),
        ({"rules": [{**RULE, "qid": ["Sex"]}]}, "does not link by"),
        ({"asked": {"id": "attack-minimality", "values": []}}, "at least one value"),
        ({"asked": {"id": "attack-minimality", "at_most_worlds": 0}}, "at_most_worlds"),
        ({"asked": {"id": "attack-minimality", "publisher": "lazy"}}, "publisher"),
        ({"sensitive": None}, "sensitive"),
    ],
)
def test_bad_requests(options: dict[str, Any], says: str) -> None:
    given: dict[str, Any] = {"rows": professional(), "people": jobs(), "rules": [RULE], **options}
    with pytest.raises(sfumato.BadRequest, match=says):
        attack(given.pop("rows"), given.pop("people"), given.pop("rules"), **given)


def test_what_cannot_be_asked_of_raw_groups_is_said() -> None:
    rule = {"id": "ff-anonymity", "sensitive": [["S", "a", 0.5]]}
    with pytest.raises(sfumato.Unsupported, match="cannot put a raw table to the requirement ff-anonymity"):
        attack(professional(), jobs(), [rule])


def test_questions_about_persons_that_do_not_work() -> None:
    found = attack(professional(), jobs(), [RULE])
    with pytest.raises(sfumato.BadRequest, match="exactly one person"):
        found.of("nobody")
    with pytest.raises(sfumato.BadRequest, match=">= 1"):
        found.m_confidentiality(0.5)
    twice = sfumato.attack(
        sfumato.from_rows(["Job", "S"], professional()),
        AttackMinimality(),
        external=sfumato.from_rows(["Name", "Job"], [("x", job) for (job,) in jobs()]),
        name="Name",
        sensitive="S",
        hierarchies={"Job": JOBS},
        models=[RULE],
    )
    assert isinstance(twice, Minimality)
    with pytest.raises(sfumato.BadRequest, match="two persons have one name"):
        twice.credibility("a")
    with pytest.raises(sfumato.BadRequest, match="7 have this name"):
        twice.of("x")
