"""The linking attack against a join by brute force, on random tables of every granularity."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

import sfumato
from oracles.naive_attacks import interval, join, nested_paths
from sfumato.attacks._covering import covers
from sfumato.attacks.linkage.linking_attack import Linkage
from sfumato.data.tree import Tree
from sfumato.recodings.scales import OrderScale, TreeScale

JOB = {"ANY": [{"Professional": ["Engineer", "Lawyer"]}, {"Artist": ["Dancer", "Writer"]}]}
PATHS = nested_paths(JOB)
LABELS = [*PATHS, "Professional", "Artist", "ANY", "*"]
AGES = ["[20-30)", "[25-35]", "[20-40)", "*", "22", "25", "30", "35"]
DISEASES = ["Flu", "Ulcer", "Cancer"]


def in_tree(label: Any, value: Any) -> bool:
    return label in ("*", "ANY") or label in PATHS.get(value, ())


def drawn(rng: np.random.Generator, rows: int, persons: int) -> tuple[list[Any], list[Any]]:
    published: list[Any] = [
        (
            None if rng.random() < 0.05 else rng.choice(LABELS).item(),
            rng.choice(AGES).item(),
            rng.choice(DISEASES).item(),
        )
        for _ in range(rows)
    ]
    people: list[Any] = [
        (
            f"p{number}",
            None if rng.random() < 0.05 else rng.choice([*PATHS, "Baker"]).item(),
            int(rng.integers(18, 42)),
        )
        for number in range(persons)
    ]
    return published, people


@pytest.mark.parametrize("seed", range(25))
def test_against_brute_force(seed: int) -> None:
    rng = np.random.default_rng(seed)
    published, people = drawn(rng, int(rng.integers(1, 30)), int(rng.integers(1, 25)))
    found = sfumato.attack(
        sfumato.from_rows(["Job", "Age", "Disease"], published),
        external=sfumato.from_rows(["Name", "Job", "Age"], people),
        name="Name",
        sensitive="Disease",
        hierarchies={"Job": JOB},
    )
    assert isinstance(found, Linkage)
    wanted = join([row[:2] for row in published], [person[1:] for person in people], [in_tree, interval])
    assert found.matching_rows.tolist() == [len(rows) for rows in wanted]
    for place, rows in enumerate(wanted):
        assert found.candidates(place) == Counter(published[row][2] for row in rows)
    pairs = [(person[0], published[row][2]) for person, rows in zip(people, wanted, strict=True) for row in rows]
    assert Counter(found.pairs()) == Counter(pairs)
    assert found.unmatched() == [person[0] for person, rows in zip(people, wanted, strict=True) if not rows]
    assert found.reidentified() == [person[0] for person, rows in zip(people, wanted, strict=True) if len(rows) == 1]
    alone = sum(len({published[row][2] for row in rows}) == 1 for rows in wanted)
    assert found.attribute_disclosures == found.details["attribute_disclosures"] == alone
    assert found.linked + found.details["unmatched"] == found.persons == len(people)
    assert found.per_victim == pytest.approx([1 / len(rows) if rows else 0.0 for rows in wanted])


def test_duplicates_on_either_side_yield_all_pairs() -> None:
    table = sfumato.from_rows(["Age", "Disease"], [(20, "Flu"), (20, "Ulcer")])
    people = sfumato.from_rows(["Name", "Age"], [("a", 20), ("b", 20)])
    found = sfumato.attack(table, external=people, name="Name", sensitive="Disease")
    assert sorted(found.pairs()) == [("a", "Flu"), ("a", "Ulcer"), ("b", "Flu"), ("b", "Ulcer")]  # type: ignore[attr-defined]
    assert found.details["record_disclosures"] == 0
    assert found.highest == 0.5


def test_runs_of_an_order_and_codes_as_numbers() -> None:
    runs = covers(["low..middle", "high"], ["low", "high", "none"], OrderScale(("low", "middle", "high")))
    assert [runs.label[runs.start[v] : runs.start[v + 1]].tolist() for v in range(3)] == [[0], [1], []]
    tree = TreeScale(Tree.from_nested({"48***": ["48602", "48677"]}))
    codes = covers(["48***", "48677"], [48677, 48602, 10000], tree)
    assert [codes.label[codes.start[v] : codes.start[v + 1]].tolist() for v in range(3)] == [[0, 1], [0], [0]]


def test_many_pairs_are_parted(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    published, people = drawn(rng, 200, 100)
    table, persons = (
        sfumato.from_rows(["Job", "Age", "Disease"], published),
        sfumato.from_rows(["Name", "Job", "Age"], people),
    )
    whole = sfumato.attack(table, external=persons, name="Name", hierarchies={"Job": JOB})
    monkeypatch.setattr("sfumato.attacks._covering._TOGETHER", 7)
    parted = sfumato.attack(table, external=persons, name="Name", hierarchies={"Job": JOB})
    assert np.array_equal(whole.per_victim, parted.per_victim)


@pytest.mark.parametrize(
    ("options", "parameter"),
    [
        ({"name": "Nobody"}, "name"),
        ({"qid": []}, "qid"),
        ({"qid": ["Shoe"]}, "qid"),
        ({"qid": ["Name"]}, "qid"),
        ({"sensitive": "Shoe"}, "sensitive"),
        ({"sensitive": "Age", "qid": ["Age"]}, "sensitive"),
        ({"hierarchies": {"Age": 5}}, "hierarchies"),
        ({"attack": "no-such-attack"}, "attack"),
    ],
)
def test_bad_requests(options: dict[str, Any], parameter: str) -> None:
    table = sfumato.from_rows(["Name", "Age", "Disease"], [("x", 20, "Flu")])
    people = sfumato.from_rows(["Name", "Age"], [("a", 20)])
    with pytest.raises(sfumato.BadRequest) as caught:
        sfumato.attack(table, **{"external": people, "name": "Name", "sensitive": "Disease", **options})
    assert caught.value.parameter == parameter


def test_tables_that_share_nothing() -> None:
    with pytest.raises(sfumato.BadRequest, match="share no quasi-identifier"):
        sfumato.attack(
            sfumato.from_rows(["Age"], [(20,)]), external=sfumato.from_rows(["Name", "Zip"], [("a", 1)]), name="Name"
        )


NOWHERE = sfumato.from_rows(["Zip", "Age", "Disease"], [(None, 30, "HIV"), ("486", None, "Flu"), ("486", 30, "Flu")])
SOMEBODY = sfumato.from_rows(["Name", "Zip", "Age"], [("Rama", None, 30), ("Sita", "486", None), ("Gita", "486", 30)])


@pytest.mark.parametrize(
    ("missing", "rows"), [("own-value", [1, 1, 1]), ("nothing", [0, 0, 1]), ("wildcard", [3, 3, 3])]
)
def test_a_missing_value_is_a_value_of_its_own_unless_it_is_said_otherwise(missing: str, rows: list[int]) -> None:
    for kind in ("linking-attack", "attack-record-linkage"):
        asked = {"id": kind} if missing == "own-value" else {"id": kind, "missing": missing}
        found = sfumato.attack(NOWHERE, asked, external=SOMEBODY, name="Name", sensitive="Disease")
        assert found.matching_rows.tolist() == rows  # type: ignore[attr-defined]


def test_who_has_no_value_is_found_by_what_is_published_of_nobody_else() -> None:
    found = sfumato.attack(NOWHERE, "linking-attack", external=SOMEBODY, name="Name", sensitive="Disease")
    assert found.reidentified() == ["Rama", "Sita", "Gita"]  # type: ignore[attr-defined]
    present = sfumato.attack(NOWHERE, "attack-table-linkage", external=SOMEBODY, name="Name")
    assert present.per_victim.tolist() == [1.0, 1.0, 1.0]
    risk = sfumato.attack(NOWHERE, "attacker-risk", qid=["Zip", "Age"], external=SOMEBODY)
    assert risk.warnings == ()
    value = sfumato.attack(NOWHERE, "attack-attribute-linkage", qid=["Zip", "Age"], sensitive="Disease")
    assert value.of({"Zip": None, "Age": 30}).best_guess == "HIV"  # type: ignore[attr-defined]


def test_what_is_published_of_a_missing_value_covers_it_and_so_does_everything() -> None:
    tree = TreeScale(Tree.from_nested({"*": {"48***": ["48677"]}}))
    found = covers(["?", "*", "48***", None], ["48677", None], tree, missing="own-value")
    assert [found.label[found.start[at] : found.start[at + 1]].tolist() for at in (0, 1)] == [[1, 2], [0, 1, 3]]
