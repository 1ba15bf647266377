"""Personalized privacy: agreement with drawing records and leaves, counter-examples to monotonicity, and refusals."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato
from oracles.naive_worlds import breach
from sfumato import BadRequest
from sfumato.contracts.publication import Publication
from sfumato.data.tree import Tree
from sfumato.groups.stats import GroupStats, Histogram
from sfumato.models import PersonalizedPrivacy

TREE = Tree.from_nested(
    {"Any": [{"Infectious": ["HIV", "SARS"]}, {"Respiratory": ["Flu", {"Lung": ["Asthma", "COPD", "TB"]}]}, "Gout"]}
)
NODES = [label for label in TREE.labels if label != "Any"]
RECORDS = st.lists(
    st.tuples(st.sampled_from(["g", "h"]), st.sampled_from([*TREE.labels, "*"]), st.sampled_from([None, None, *NODES])),
    min_size=1,
    max_size=10,
)
READING = st.sampled_from(["union", "max_leaf"])


def leaves(label: str) -> set[Any]:
    node = 0 if label == "*" else TREE.node(label)
    return set(TREE.leaves[TREE.leaf_first[node] : TREE.leaf_last[node]])


def published(rows: list[tuple[Any, ...]]) -> Publication:
    table = sfumato.from_rows(["Zip", "S", "Guard"], rows)
    return Publication(table=table, qids=("Zip",), trees={"S": TREE})


def model(reading: str = "union", p: float = 0.5) -> PersonalizedPrivacy:
    return PersonalizedPrivacy(sensitive="S", guard="Guard", p_breach=p, reading=reading)


@given(RECORDS, READING)
def test_agrees_with_drawing_records_and_leaves(rows: list[tuple[Any, ...]], reading: str) -> None:
    exact = [
        0.0 if node is None else float(breach([s for z, s, _ in rows if z == zip_], node, leaves, reading))
        for zip_, _, node in rows
    ]
    assert model(reading).breach(published(rows)).tolist() == pytest.approx(exact)
    verdict = model(reading).judge(published(rows))
    unsafe = sum(chance > 0.5 + 1e-9 for chance in exact)
    assert (verdict.satisfied, verdict.violating_records) == (unsafe == 0, unsafe)
    if any(node is not None for _, _, node in rows):
        assert verdict.strongest == pytest.approx(max(exact))
    else:
        assert verdict.strongest is None


@given(RECORDS)
def test_union_is_never_below_the_likeliest_leaf(rows: list[tuple[Any, ...]]) -> None:
    both = [model(reading).breach(published(rows)) for reading in ("union", "max_leaf")]
    assert (both[0] >= both[1] - 1e-12).all()


@given(RECORDS)
def test_owners_may_be_mapped_instead(rows: list[tuple[Any, ...]]) -> None:
    table = sfumato.from_rows(["Id", "Zip", "S"], [(number, zip_, s) for number, (zip_, s, _) in enumerate(rows)])
    guards = {str(number): node for number, (_, _, node) in enumerate(rows) if node is not None}
    asked = PersonalizedPrivacy(sensitive="S", guards=guards, owner="Id", p_breach=0.5)
    publication = Publication(table=table, qids=("Zip",), trees={"S": TREE})
    assert asked.breach(publication).tolist() == pytest.approx(model().breach(published(rows)).tolist())
    mine, other = asked.judge(publication), model().judge(published(rows))
    assert (mine.satisfied, mine.violating_records) == (other.satisfied, other.violating_records)


@given(RECORDS)
def test_histograms_alone_are_enough(rows: list[tuple[Any, ...]]) -> None:
    groups = published(rows).groups(None, ["S", "Guard"])
    assert model().judge(Publication(explicit=groups, trees={"S": TREE})).strongest == (
        model().judge(published(rows)).strongest
    )


GUARDED = [("g", "HIV", "HIV"), ("g", "Flu", None), ("g", "Flu", None)]
OPEN = [("h", "HIV", None)] * 5


@pytest.mark.parametrize("reading", ["union", "max_leaf"])
def test_merging_may_break_it(reading: str) -> None:
    """The stored counter-example to both merge traits: unguarded records import what somebody guards."""
    apart = model(reading).judge(published(GUARDED + OPEN))
    merged = model(reading).judge(published([("gh", *row[1:]) for row in GUARDED + OPEN]))
    assert (apart.satisfied, apart.violating_records) == (True, 0)
    assert (merged.satisfied, merged.violating_records) == (False, 1)
    assert not PersonalizedPrivacy.traits.closed_under_merge
    assert not PersonalizedPrivacy.traits.violations_shrink_under_merge


def test_generalizing_another_value_may_break_it() -> None:
    """Gout lies outside the guarded node; Any spreads over it."""
    before = [("g", "HIV", "Infectious"), ("g", "Gout", None)]
    after = [("g", "HIV", "Infectious"), ("g", "Any", None)]
    assert model().judge(published(before))
    assert not model().judge(published(after))


def test_generalizing_inside_the_subtree_may_raise_the_likeliest_leaf() -> None:
    before = [("g", "HIV", "Infectious"), ("g", "SARS", None), ("g", "Gout", None)]
    after = [("g", "HIV", "Infectious"), ("g", "Infectious", None), ("g", "Gout", None)]
    chances = [model("max_leaf").breach(published(rows))[0] for rows in (before, after)]
    assert chances == pytest.approx([1 / 3, 1 / 2])


def test_witness() -> None:
    verdict = model(p=0.2).judge(published(GUARDED))
    (violation,) = verdict.violations
    assert violation.group == ("g",)
    assert violation.witness == {"guarding_node": "HIV", "owners": 1, "reading": "union"}
    assert violation.measured == pytest.approx(1 / 3)


def test_root_and_unknown_nodes_are_refused() -> None:
    with pytest.raises(BadRequest, match="no table can satisfy"):
        model().judge(published([("g", "HIV", "Any")]))
    assert model("max_leaf", p=0.2).judge(published([("g", "*", "Any")]))
    assert model(p=1.0).judge(published([("g", "HIV", "Any")]))
    with pytest.raises(BadRequest, match="not a node") as caught:
        model().judge(published([("g", "HIV", "Infectous")]))
    assert "Infectious" in str(caught.value)
    with pytest.raises(BadRequest, match="not a node"):
        model().judge(published([("g", "Cold", None)]))


def test_what_is_missing_is_named() -> None:
    rows = [("g", "HIV", "HIV"), ("g", None, None)]
    with pytest.raises(BadRequest, match="missing"):
        model().judge(published(rows))
    with pytest.raises(BadRequest, match="hierarchy"):
        model().judge(Publication(table=sfumato.from_rows(["Zip", "S", "Guard"], rows[:1]), qids=("Zip",)))
    with pytest.raises(BadRequest, match="protects"):
        sfumato.check(
            sfumato.from_rows(["Zip", "S", "Guard"], rows[:1]), model(), qid=["Zip", "Guard"], hierarchies={"S": TREE}
        )


@pytest.mark.parametrize(
    "asked, name",
    [
        ({"p_breach": 0.5}, "guard"),
        ({"p_breach": 0.5, "guard": "G", "guards": {"a": "b"}, "owner": "O"}, "guard"),
        ({"p_breach": 0.5, "guards": {"a": "b"}}, "owner"),
        ({"p_breach": 0.5, "guard": "G", "owner": "O"}, "owner"),
        ({"p_breach": 0.5, "guard": "G", "qid": ["S"]}, "qid"),
    ],
)
def test_bad_parameters(asked: dict[str, Any], name: str) -> None:
    with pytest.raises(BadRequest) as caught:
        PersonalizedPrivacy.from_spec({"sensitive": "S", **asked})
    assert caught.value.parameter == f"personalized-privacy.{name}"


def test_json() -> None:
    for asked in (model("max_leaf"), PersonalizedPrivacy(sensitive="S", guards={"7": "HIV"}, owner="Id", p_breach=0.1)):
        assert PersonalizedPrivacy.from_spec(asked.spec()) == asked


def test_an_empty_table_is_safe() -> None:
    empty = {name: Histogram.from_pairs(0, ["HIV"], *[GroupStats.from_sizes([]).sizes] * 3) for name in ("S", "Guard")}
    groups = GroupStats(("Zip",), ([],), GroupStats.from_sizes([]).sizes, empty)
    verdict = model().judge(Publication(explicit=groups, trees={"S": TREE}))
    assert (verdict.satisfied, verdict.strongest) == (True, None)
