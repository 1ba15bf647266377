"""Record linkage against brute force, with missing values that match missing, anything or nothing, and without names."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

import sfumato
from oracles.naive_attacks import interval, nested_paths
from oracles.naive_linkage import candidates
from sfumato.attacks._matching import _kinds
from sfumato.attacks.linkage.attack_record_linkage import AttackRecordLinkage, RecordLinkage

JOB = {"ANY": [{"Professional": ["Engineer", "Lawyer"]}, {"Artist": ["Dancer", "Writer"]}]}
PATHS = nested_paths(JOB)
LABELS = [*PATHS, "Professional", "Artist", "ANY", "*", "?", None]
AGES = ["[20-30)", "[25-35]", "[20-40)", "*", "22", "25", None, None]
COVERS = [lambda label, value: label in ("*", "ANY", value) or label in PATHS.get(value, ()), interval]


def linked(published: list[Any], people: list[Any], **parameters: Any) -> RecordLinkage:
    found = sfumato.attack(
        sfumato.from_rows(["Job", "Age", "Disease"], published),
        AttackRecordLinkage(**parameters),
        external=sfumato.from_rows(["Name", "Job", "Age"], people),
        name="Name",
        sensitive="Disease",
        hierarchies={"Job": JOB},
    )
    assert isinstance(found, RecordLinkage)
    return found


@pytest.mark.parametrize("missing", ["own-value", "nothing", "wildcard"])
@pytest.mark.parametrize("seed", range(20))
def test_against_brute_force(seed: int, missing: str) -> None:
    rng = np.random.default_rng(seed)
    published = [
        (LABELS[rng.integers(len(LABELS))], AGES[rng.integers(len(AGES))], rng.choice(["Flu", "HIV"]).item())
        for _ in range(int(rng.integers(1, 30)))
    ]
    jobs = [*PATHS, "Baker", "?", None]
    people = [
        (f"p{n}", jobs[rng.integers(len(jobs))], None if rng.random() < 0.2 else int(rng.integers(18, 42)))
        for n in range(int(rng.integers(1, 25)))
    ]
    found = linked(published, people, missing=missing)
    rows = [row[:2] for row in published]
    wanted = [candidates(rows, person[1:], COVERS, missing=missing) for person in people]
    assert [link.match_count for link in found.links()] == [len(numbers) for numbers in wanted]
    for link, numbers in zip(found.links(), wanted, strict=True):
        assert link.record_link_probability == (1 / len(numbers) if numbers else None)
        values = Counter(published[number][2] for number in numbers)
        assert link.sensitive_distribution == {value: count / len(numbers) for value, count in values.items()}
        assert found.of(link.name) == link
    alone = {
        person[0]: published[numbers[0]][2]
        for person, numbers in zip(people, wanted, strict=True)
        if len({published[number][2] for number in numbers}) == 1
    }
    assert dict(found.certain_sensitive_value()) == alone
    assert found.uniquely_linked() == [p[0] for p, numbers in zip(people, wanted, strict=True) if len(numbers) == 1]
    assert found.unmatched() == [p[0] for p, numbers in zip(people, wanted, strict=True) if not numbers]
    assert found.per_victim == pytest.approx([1 / len(numbers) if numbers else 0.0 for numbers in wanted])


def test_wildcards_only_where_asked() -> None:
    published, people = [(None, "25", "Flu"), ("Lawyer", "25", "HIV")], [("a", "Lawyer", 25), ("b", None, 25)]
    assert linked(published, people).matching_rows.tolist() == [1, 1]
    assert linked(published, people, missing="nothing").matching_rows.tolist() == [1, 0]
    assert linked(published, people, missing="wildcard").matching_rows.tolist() == [2, 2]


def test_persons_without_names_are_numbered() -> None:
    table = sfumato.from_rows(["Age", "Disease"], [(20, "Flu"), (21, "Ulcer"), (21, "Flu")])
    people = sfumato.from_rows(["Age"], [(21,), (20,), (99,)])
    found = sfumato.attack(table, "attack-record-linkage", external=people, qid=["Age"], sensitive="Disease")
    assert isinstance(found, RecordLinkage)
    assert found.names() == [0, 1, 2]
    assert found.uniquely_linked() == [1]
    assert found.unmatched() == [2]
    assert found.certain_sensitive_value() == [(1, "Flu")]


def test_without_a_sensitive_column_only_matches_are_told() -> None:
    table = sfumato.from_rows(["Age"], [(20,), (20,)])
    found = sfumato.attack(table, "attack-record-linkage", external=sfumato.from_rows(["Age"], [(20,)]))
    assert isinstance(found, RecordLinkage)
    assert (found.links()[0].match_count, found.links()[0].sensitive_distribution) == (2, {})
    assert found.certain_sensitive_value() == []


def test_records_of_an_anatomy_pair_are_linked_without_their_values() -> None:
    parts = {
        "qit": sfumato.from_rows(["Age", "GroupID"], [(20, 1), (30, 1)]),
        "st": sfumato.from_rows(["GroupID", "Disease", "Count"], [(1, "Flu", 2)]),
    }
    people = sfumato.from_rows(["Name", "Age"], [("a", 20), ("b", 31)])
    found = sfumato.attack(parts, "attack-record-linkage", external=people, name="Name", sensitive="Disease")
    assert isinstance(found, RecordLinkage)
    assert found.uniquely_linked() == ["a"]
    assert found.of("a").sensitive_distribution == {}


@pytest.mark.parametrize("seed", range(6))
def test_persons_who_look_alike_are_one_kind(seed: int) -> None:
    rng = np.random.default_rng(seed)
    # Few columns are counted, many codes are sorted, and very many no longer fit one number.
    sizes = [[3, 4], [1000, 1000, 1000], [2**20] * 5][seed % 3]
    codes = np.column_stack([rng.integers(-1, size, 60) for size in sizes]).astype(np.int32)
    codes[30:] = codes[rng.integers(0, 30, 30)]
    kinds, kind_of = _kinds(codes, sizes)
    wanted, number = np.unique(codes, axis=0, return_inverse=True)
    assert np.array_equal(kinds, wanted)
    assert np.array_equal(kind_of, number.reshape(-1))


def test_nobody() -> None:
    table = sfumato.from_rows(["Age", "Disease"], [(20, "Flu")])
    none = sfumato.from_rows(["Age"], [(20,)]).drop_groups(["Age"], [(20,)])
    found = sfumato.attack(table, "attack-record-linkage", external=none, qid=["Age"], sensitive="Disease")
    assert (found.victims, found.highest, found.mean) == (0, 0.0, 0.0)
    empty = table.drop_groups(["Age"], [(20,)])
    people = sfumato.from_rows(["Age"], [(20,)])
    found = sfumato.attack(empty, "attack-record-linkage", external=people, qid=["Age"], sensitive="Disease")
    assert (found.victims, found.highest, found.details["unmatched"]) == (1, 0.0, 1)


@pytest.mark.parametrize("name", ["nobody", "a"])
def test_names_that_are_not_one_person(name: str) -> None:
    found = linked([("Lawyer", "25", "Flu")], [("a", "Lawyer", 25), ("a", "Lawyer", 25)])
    with pytest.raises(sfumato.BadRequest, match="exactly one person"):
        found.of(name)


def test_bad_requests() -> None:
    with pytest.raises(sfumato.BadRequest) as caught:
        AttackRecordLinkage(missing="everything")
    assert caught.value.parameter == "attack-record-linkage.missing"
    with pytest.raises(sfumato.BadRequest) as caught:
        sfumato.attack(sfumato.from_rows(["Age"], [(20,)]), "attack-record-linkage", qid=["Age"])
    assert caught.value.parameter == "external"
