"""Mask: groups that ignore the sensitive column, values replaced as the steps say, and nothing for the minimality attack."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import sfumato
from sfumato.algorithms.mechanisms._distortion import distorted
from sfumato.algorithms.mechanisms.mask import Mask
from sfumato.attacks.linkage.attack_minimality import Minimality
from sfumato.errors import BadRequest, Infeasible, Unsupported
from sfumato.models.m_confidentiality import PublishedGroup, credibility

VALUES = ["flu", "hiv", "cold", "none"]
# Most people of one age have one value.
ROWS = [(20 + i % 50, "fm"[i % 2], VALUES[i % 50 // 13 if i % 5 else i % 4]) for i in range(160)]
JOBS = {"Any": [{"Professional": ["Engineer", "Lawyer"]}, {"Artist": ["Dancer", "Writer"]}]}


def policy(l: float = 2, k: int | None = 4, **parameters: Any) -> dict[str, Any]:
    sized = [] if k is None else [{"id": "k-anonymity", "k": k}]
    return {
        "columns": {
            "age": {"role": "quasi-identifier"},
            "sex": {"role": "quasi-identifier"},
            "ill": {"role": "sensitive"},
        },
        "requirements": [*sized, {"id": "l-diversity-frequency", "l": l, "sensitive": "ill"}],
        "algorithm": {"id": "mask", **parameters},
        "seed": 9,
    }


def table(rows: Any = ROWS) -> Any:
    return sfumato.from_rows(["age", "sex", "ill"], rows)


def groups_of(release: Any) -> Counter[Any]:
    return Counter(row[:2] for row in release.table.to_rows())


# ---- distorting ----------------------------------------------------------------------------------------------------------


def fits(size: int, values: int, l: float) -> bool:
    return values * int(size / l * (1 + 1e-9)) >= size


@settings(max_examples=200)
@given(
    drawn=st.lists(st.lists(st.integers(0, 4), min_size=1, max_size=12), min_size=1, max_size=5),
    l=st.sampled_from([1, 1.5, 2, 2.5, 3, 4, 5]),
    seed=st.integers(0, 5),
)
def test_no_value_is_too_frequent_and_no_more_is_changed_than_needs_be(
    drawn: list[list[int]], l: float, seed: int
) -> None:
    drawn = [group for group in drawn if fits(len(group), 5, l)]
    assume(drawn)
    group = np.repeat(np.arange(len(drawn)), [len(one) for one in drawn])
    codes = np.array([value for one in drawn for value in one])
    order = np.random.default_rng(seed).permutation(len(group))
    found = distorted(group[order], codes[order], 5, l, np.random.default_rng(seed))
    after = np.empty_like(codes)
    after[order] = found.codes
    violating = 0
    for number, one in enumerate(drawn):
        limit = int(len(one) / l * (1 + 1e-9))
        new = after[group == number].tolist()
        before, counted = Counter(one), Counter(new)
        assert max(counted.values()) <= limit
        over = {value for value, count in before.items() if count > limit}
        violating += bool(over)
        for old, now in zip(one, new, strict=True):
            # Only values that are too frequent are replaced, and by values that are not.
            assert old == now or (old in over and now not in over)
    assert (found.groups, found.violating, found.satisfying) == (len(drawn), violating, len(drawn) - violating)


def test_shares_come_from_groups_that_do_not_violate() -> None:
    """Value 0 has a share of 1/4 there, so one of four records keeps it."""
    group = np.repeat([0, 1, 2], [4, 4, 8])
    codes = np.array([0, 1, 2, 3, 1, 2, 3, 0] + [0] * 8)
    for seed in range(20):
        found = distorted(group, codes, 4, 2.0, np.random.default_rng(seed))
        assert Counter(found.codes[8:].tolist())[0] == 2
        assert found.codes[:8].tolist() == codes[:8].tolist()


def test_without_such_groups_the_bound_itself_is_the_share() -> None:
    found = distorted(np.repeat([0, 1], [6, 5]), np.array([0] * 6 + [1] * 5), 4, 2.0, np.random.default_rng(0))
    assert Counter(found.codes[:6].tolist())[0] == 3
    assert Counter(found.codes[6:].tolist())[1] == 2
    assert found.satisfying == 0


def test_a_drawn_share_that_leaves_no_room_is_raised() -> None:
    """The satisfying group has no value 0, and the other two have room for four of five records."""
    group, codes = np.repeat([0, 1], [2, 5]), np.array([1, 2] + [0] * 5)
    for seed in range(10):
        found = distorted(group, codes, 3, 2.0, np.random.default_rng(seed))
        assert Counter(found.codes[2:].tolist()) == Counter({0: 1, 1: 2, 2: 2})


# ---- the release ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("inner", [None, {"id": "mondrian", "threshold": "any"}, {"id": "tdr"}, {"id": "incognito"}])
@pytest.mark.parametrize("l", [2, 3, 3.5])
def test_the_release_is_diverse(inner: Any, l: float) -> None:
    asked = policy(l, inner=inner)
    nested = {"any": [{"low": list(range(20, 45))}, {"high": list(range(45, 70))}]}
    asked["columns"]["age"]["hierarchy"] = {"id": "taxonomy", "tree": nested}
    asked["columns"]["sex"]["hierarchy"] = {"id": "taxonomy", "tree": {"any": ["f", "m"]}}
    release = sfumato.anonymize(table(), asked)
    assert release.kind == "distorted-table"
    verdicts = sfumato.check(release.table, asked["requirements"], qid=["age", "sex"])
    assert all(verdicts)
    assert [bool(verdict) for verdict in release.verdict] == [True, True]
    assert release.certificate["release"]["truthful"] is False
    assert release.certificate["guarantee"]["l"] >= int(l)
    assert release.table.rows == len(ROWS)
    facts = release.private.facts
    assert facts["groups"] == len(groups_of(release))
    assert 0 < facts["distorted_records"] <= len(ROWS)
    operations = {entry["name"]: entry["operation"] for entry in release.certificate["columns"]}
    assert operations["ill"] == "mask"
    assert operations["age"] != "none"
    assert any("nobody's value" in text for text in release.warnings)


@settings(max_examples=40)
@given(
    people=st.lists(
        st.tuples(st.integers(20, 30), st.sampled_from("fm"), st.sampled_from(VALUES[:3])), min_size=4, max_size=24
    ),
    turn=st.randoms(use_true_random=False),
    inner=st.sampled_from([None, {"id": "tdr"}]),
)
def test_groups_do_not_depend_on_the_sensitive_column(people: list[Any], turn: Any, inner: Any) -> None:
    values = [value for *_, value in people]
    turn.shuffle(values)
    other = [(age, sex, value) for (age, sex, _), value in zip(people, values, strict=True)]
    try:
        one = sfumato.anonymize(table(people), policy(2, 2, inner=inner))
    except Infeasible:
        with pytest.raises(Infeasible):
            sfumato.anonymize(table(other), policy(2, 2, inner=inner))
        return
    assert groups_of(one) == groups_of(sfumato.anonymize(table(other), policy(2, 2, inner=inner)))


def test_other_columns_stay_and_a_sensitive_target_is_not_a_goal() -> None:
    rows = [(*row, i % 7) for i, row in enumerate(ROWS)]
    asked = policy(inner={"id": "tdr"})
    asked["columns"] |= {"pay": {"role": "plain", "publish_anyway": "invented"}, "ill": {"role": "target"}}
    source = sfumato.from_rows(["age", "sex", "ill", "pay"], rows)
    release = sfumato.anonymize(source, asked)
    assert release.table.columns == source.columns
    assert Counter(row[3] for row in release.table.to_rows()) == Counter(row[3] for row in rows)
    turned = [
        (age, sex, VALUES[(VALUES.index(ill) + number) % 4], pay) for number, (age, sex, ill, pay) in enumerate(rows)
    ]
    again = sfumato.anonymize(sfumato.from_rows(["age", "sex", "ill", "pay"], turned), asked)
    assert groups_of(release) == groups_of(again)


def test_seeds() -> None:
    one, two = sfumato.anonymize(table(), policy()), sfumato.anonymize(table(), policy())
    assert one.table.to_rows() == two.table.to_rows()
    other = sfumato.anonymize(table(), {**policy(), "seed": 10})
    assert one.table.to_rows() != other.table.to_rows()
    assert groups_of(one) == groups_of(other)
    fresh = {key: value for key, value in policy().items() if key != "seed"}
    assert sfumato.anonymize(table(), fresh).private.facts["seed"] != 9


def test_groups_are_at_least_as_large_as_l() -> None:
    for k in (None, 2):
        release = sfumato.anonymize(table(), policy(4, k))
        assert min(groups_of(release).values()) >= 4
        assert release.certificate["release"]["parameters"]["settings"] == {"l": 4, "k": 4, "inner": "mondrian"}


def test_few_values_are_shared_out_over_even_groups() -> None:
    """Of two values none may have more than half: groups of odd size cannot be."""
    rows = [(20 + i, "fm"[i % 2], VALUES[i % 2 if i < 20 else 0]) for i in range(40)]
    release = sfumato.anonymize(table(rows), policy(2, None))
    assert {size % 2 for size in groups_of(release).values()} == {0}
    assert len(groups_of(release)) > 3
    with pytest.raises(Infeasible, match="2 sensitive values cannot be shared out to 39 records"):
        sfumato.anonymize(table(rows[1:]), policy(2, None))
    with pytest.raises(Infeasible):
        sfumato.anonymize(table(rows), policy(3, None))


def test_m_confidentiality_is_a_bound_on_shares_here() -> None:
    rule = {"id": "confidence-bounding", "sensitive": "ill", "value": "hiv", "h": 0.4}
    one = {"id": "m-confidentiality", "m": 2, "sensitive": "ill", "requirement": rule}
    asked = {**policy(), "requirements": [one]}
    release = sfumato.anonymize(table(), asked)
    (verdict,) = release.verdict
    assert verdict.model == "m-confidentiality"
    assert verdict.strongest >= 2
    sets = {**one, "sets": [["hiv", "flu"], ["cold"]]}
    release = sfumato.anonymize(table(), {**asked, "requirements": [sets]})
    assert release.certificate["release"]["parameters"]["settings"]["l"] == 4
    (verdict,) = release.verdict
    assert verdict.satisfied


# ---- the minimality attack -----------------------------------------------------------------------------------------------


@settings(max_examples=30)
@given(
    people=st.lists(
        st.tuples(st.sampled_from(["Engineer", "Lawyer", "Dancer", "Writer"]), st.sampled_from("abc")),
        min_size=4,
        max_size=7,
    ),
    l=st.sampled_from([1.5, 2]),
)
def test_nothing_more_is_believed_than_the_published_share(people: list[tuple[str, str]], l: float) -> None:
    """Every world is put to this very publisher: all would have led to these groups."""
    asked = {
        "columns": {
            "job": {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": JOBS}},
            "ill": {"role": "sensitive"},
        },
        "requirements": [{"id": "l-diversity-frequency", "l": l, "sensitive": "ill"}],
        "algorithm": {"id": "mask"},
        "seed": 3,
    }
    try:
        release = sfumato.anonymize(sfumato.from_rows(["job", "ill"], people), asked)
    except Infeasible:
        return
    names = Counter(row[0] for row in release.table.to_rows())

    def would_publish(world: Any) -> bool:
        raw = [(person[0], value) for person, counts in world.items() for value in Counter(counts).elements()]
        try:
            made = sfumato.anonymize(sfumato.from_rows(["job", "ill"], raw), asked)
        except Infeasible:
            return False
        return Counter(row[0] for row in made.table.to_rows()) == names

    below = {"Engineer": {"Engineer"}, "Lawyer": {"Lawyer"}, "Dancer": {"Dancer"}, "Writer": {"Writer"}}
    below |= {"Professional": {"Engineer", "Lawyer"}, "Artist": {"Dancer", "Writer"}, "Any": set(below)}
    groups = [
        PublishedGroup(
            (label,),
            Counter((job,) for job, _ in people if job in below[label]),
            Counter(value for shown, value in release.table.to_rows() if shown == label),
        )
        for label in names
    ]
    found = credibility(groups, would_publish)
    assert found.worlds_after == found.worlds_before
    assert max(float(c) for kinds in found.chances for kind in kinds.values() for c in kind.values()) <= 1 / l + 1e-9
    attacked = sfumato.attack(
        release,
        {"id": "attack-minimality", "publisher": "blind"},
        external=sfumato.from_rows(["job"], [(job,) for job, _ in people]),
        hierarchies={"job": JOBS},
    )
    assert isinstance(attacked, Minimality)
    assert attacked.m_confidentiality(l)
    assert attacked.worlds_before == found.worlds_before


def test_where_a_minimal_publisher_gives_them_away_this_one_does_not() -> None:
    """The engineers are certain for who knows that masking was minimal, and believed with at most 1/2 here."""
    rows = [("Engineer", "HIV")] * 2 + [("Lawyer", value) for value in ("Flu", "Cold", "Flu", "Cold")]
    options: dict[str, Any] = {
        "external": sfumato.from_rows(["job"], [(job,) for job, _ in rows]),
        "hierarchies": {"job": JOBS},
        "qid": ["job"],
        "sensitive": "ill",
    }
    rule = {"id": "confidence-bounding", "sensitive": "ill", "value": "HIV", "h": 0.5}
    minimal = sfumato.from_rows(["job", "ill"], [("Professional", value) for _, value in rows])
    assert sfumato.attack(minimal, "attack-minimality", models=[rule], **options).highest == 1.0
    asked = {
        "columns": {
            "job": {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": JOBS}},
            "ill": {"role": "sensitive"},
        },
        "requirements": [{"id": "k-anonymity", "k": 2}, {"id": "l-diversity-frequency", "l": 2, "sensitive": "ill"}],
        "algorithm": {"id": "mask"},
        "seed": 3,
    }
    release = sfumato.anonymize(sfumato.from_rows(["job", "ill"], rows), asked)
    assert {row[0] for row in release.table.to_rows()} == {"Engineer", "Lawyer"}
    found = sfumato.attack(release, {"id": "attack-minimality", "publisher": "blind"}, **options)
    assert found.highest <= 0.5


# ---- refusals, commands --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "changes, kind, says",
    [
        ({"requirements": [{"id": "k-anonymity", "k": 2}]}, Unsupported, "needs l-diversity-frequency or"),
        (
            {"requirements": [{"id": "l-diversity-distinct", "l": 2, "sensitive": "ill"}]},
            Unsupported,
            "cannot promise l-diversity-distinct",
        ),
        ({"algorithm": {"id": "mask", "inner": {"id": "anatomize"}}}, BadRequest, "must publish a recoded table"),
        ({"algorithm": {"id": "mask", "inner": {"id": "no-such"}}}, BadRequest, "is no algorithm"),
        ({"algorithm": {"id": "mask", "inner": {"id": "mask"}}}, BadRequest, "must publish a recoded table"),
        ({"algorithm": {"id": "mask", "inner": "tdr"}}, BadRequest, "id and parameters"),
        ({"limits": {"suppress_at_most": 0.1}}, Unsupported, "without leaving records out"),
        ({"requirements": [{"id": "l-diversity-frequency", "l": 5, "sensitive": "ill"}]}, Infeasible, "4 sensitive"),
    ],
)
def test_what_it_refuses(changes: dict[str, Any], kind: type[Exception], says: str) -> None:
    with pytest.raises(kind, match=says):
        sfumato.anonymize(table(), {**policy(), **changes})


def test_two_sensitive_columns_are_refused() -> None:
    asked = policy()
    asked["columns"]["pay"] = {"role": "sensitive"}
    asked["requirements"].append({"id": "l-diversity-frequency", "l": 2, "sensitive": "pay"})
    rows = [(*row, i % 7) for i, row in enumerate(ROWS)]
    with pytest.raises(Unsupported, match="not on ill, pay"):
        sfumato.anonymize(sfumato.from_rows(["age", "sex", "ill", "pay"], rows), asked)


def test_json() -> None:
    made = Mask(inner={"id": "tdr"})
    assert Mask.from_spec(json.loads(json.dumps(made.spec()))) == made


def test_through_the_commands(commands: Callable[..., Path]) -> None:
    out = commands(["age", "sex", "ill"], ROWS, policy(3))
    certificate = json.loads((out / "public" / "certificate.json").read_text())
    assert certificate["release"]["kind"] == "distorted-table"
    assert certificate["release"]["truthful"] is False
    assert certificate["statement"]["mechanism"] == "mask"
    assert all(entry["satisfied"] for entry in certificate["requirements"])
    assert ceil(1 / certificate["guarantee"]["max_link_probability"]) >= 3
