"""Persons with columns and a basket: (k, k^m)-anonymity beside a brute force, from the policy to the public folder."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import sfumato
from sfumato.contracts.run import Run
from sfumato.data.yaml import yaml_reader
from sfumato.errors import BadRequest, Infeasible, Unsupported
from sfumato.tables.person_columns import once_for_each
from sfumato.transactions import Baskets
from sfumato.transactions.attack import BasketKnowledge
from sfumato.transactions.attacks import TransactionLinkageAttack
from sfumato.transactions.models import HKPCoherence, KMAnonymity

Rows = dict[str, list[object]]


def _drawn(seed: int, persons: int = 200) -> Rows:
    rng = np.random.default_rng(seed)
    rows: Rows = {"who": [], "age": [], "town": [], "what": []}
    for person in range(persons):
        age, town = int(rng.integers(20, 60)), str(rng.choice(["Ulm", "Bonn", "Jena"]))
        chosen = rng.choice(list("abcde"), int(rng.integers(0, 5)), replace=False, p=[0.4, 0.3, 0.1, 0.1, 0.1])
        for item in [*chosen.tolist()] or [None]:
            for name, value in zip(rows, (person, age, town, item), strict=True):
                rows[name].append(value)
    return rows


def _policy(**more: object) -> dict[str, object]:
    return {
        "shape": "transactions",
        "person": "who",
        "items": {"column": "what"},
        "columns": {
            "age": {"role": "quasi-identifier"},
            "town": {
                "role": "quasi-identifier",
                "hierarchy": {"id": "taxonomy", "tree": {"*": ["Ulm", "Bonn", "Jena"]}},
            },
        },
        "requirements": [{"id": "km-anonymity", "k": 4, "m": 2}],
        **more,
    }


def _smallest(columns: list[tuple[object, ...]], baskets: list[frozenset[str]], m: int) -> int:
    """Return how few persons anybody finds who knows all columns of a person and up to m items."""
    found = len(baskets)
    for known, items in zip(columns, baskets, strict=True):
        for size in range(m + 1):
            for some in combinations(sorted(items), size):
                fits = [c == known and set(some) <= b for c, b in zip(columns, baskets, strict=True)]
                found = min(found, sum(fits))
    return found


def _read(release: sfumato.Release) -> tuple[list[tuple[object, ...]], list[frozenset[str]]]:
    rows = release.tables["baskets"].to_rows()
    held: dict[int, set[str]] = {row[0]: set() for row in rows}
    for basket, item in release.tables["items"].to_rows():
        held[basket].add(item)
    assert [row[1] for row in rows] == [len(held[row[0]]) for row in rows]
    return [tuple(row[2:]) for row in rows], [frozenset(held[row[0]]) for row in rows]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("persons", [12, 40])
def test_who_knows_the_columns_and_two_items_finds_k_persons(seed: int, persons: int) -> None:
    algorithm = {"id": "class-by-class", "persons": persons}
    release = sfumato.anonymize(_drawn(seed), _policy(algorithm=algorithm))
    columns, baskets = _read(release)
    found = _smallest(columns, baskets, 2)
    assert found >= 4
    assert release.verdict.verdicts[0].strongest == found
    assert release.verdict.verdicts[0].qid == ("age", "town")
    assert min(columns.count(one) for one in columns) >= persons


@pytest.mark.parametrize("seed", range(20))
def test_the_verdict_of_brute_force_on_columns_as_they_are(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = _drawn(seed, 25)
    rows["age"] = [int(age) // 20 for age in rows["age"]]  # type: ignore[call-overload]
    k, m = int(rng.integers(1, 4)), int(rng.integers(1, 4))
    asked = _policy(requirements=[{"id": "km-anonymity", "k": k, "m": m}])
    verdict = sfumato.check(rows, policy=asked).verdicts[0]
    table = sfumato.read(rows)
    columns = once_for_each(table, "who", ["age", "town"]).to_rows()
    baskets = list(Baskets.of(table, person="who", item="what"))
    found = _smallest(columns, baskets, m)
    assert verdict.satisfied == (found >= k)
    if verdict.satisfied:
        assert verdict.strongest == found
    seen = Baskets.of(table, person="who", item="what")
    seen = type(seen)(seen.starts, seen.codes, seen.items, beside=once_for_each(table, "who", ["age", "town"]))
    assert TransactionLinkageAttack(power=m).on(seen, BasketKnowledge(), Run()).details["support"] == found


def test_a_private_item_that_a_whole_class_has_is_found_without_knowing_an_item() -> None:
    rows = {"who": [1, 2, 3, 4], "age": [1, 1, 2, 2], "what": ["x", "x", "x", "a"]}
    table = sfumato.read(rows)
    made = Baskets.of(table, person="who", item="what", private=["x"])
    mixed = type(made)(made.starts, made.codes, made.items, made.private, beside=once_for_each(table, "who", ["age"]))
    assert HKPCoherence(h=0.8, k=1, p=1).judge(made).satisfied
    verdict = HKPCoherence(h=0.8, k=1, p=1).judge(mixed)
    assert verdict.violations[0].group == ("age=1",)


def test_the_public_folder_is_counted_again_by_plain_code(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    sfumato.publish(sfumato.anonymize(_drawn(3), _policy(algorithm={"id": "class-by-class", "persons": 30})), folder)
    checked = sfumato.verify(folder / "public")
    assert checked.verdict.satisfied
    assert [entry.recounted for entry in checked.certificate.requirements] == ["plain"]
    assert {entry.name: entry.operation for entry in checked.certificate.columns}["age"] != "none"
    found = sfumato.audit(folder)
    assert {finding.attack for finding in found.tried} >= {"transaction-linkage-attack", "absence-attack"}


def test_a_release_without_an_item_is_refused_with_what_can_be_changed() -> None:
    rows = {"who": [1, 2, 3, 4], "age": [1, 1, 2, 2], "what": ["a", "b", "c", "d"]}
    asked = _policy(
        requirements=[{"id": "km-anonymity", "k": 2, "m": 1}], columns={"age": {"role": "quasi-identifier"}}
    )
    with pytest.raises(Infeasible, match="no item would be left"):
        sfumato.anonymize(rows, asked)


def test_lists_of_items_stand_beside_the_columns_of_their_row() -> None:
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame({"age": [1, 1, 9, 9], "what": [["a"], ["a", "b"], ["c"], []]})
    asked = {
        "shape": "transactions",
        "items": {"column": "what"},
        "columns": {"age": {"role": "quasi-identifier"}},
        "requirements": [{"id": "km-anonymity", "k": 2, "m": 1}],
    }
    assert _smallest(*_read(sfumato.anonymize(frame, asked)), 1) >= 2


def test_bad_columns_are_refused_in_words() -> None:
    rows = _drawn(1)
    rows["age"] = list(range(len(rows["who"])))
    with pytest.raises(BadRequest, match="the same in all rows of a person"):
        sfumato.anonymize(rows, _policy())
    with pytest.raises(BadRequest, match="beside baskets columns are quasi-identifiers"):
        sfumato.anonymize(rows, _policy(columns={"town": {"role": "sensitive"}}))
    with pytest.raises(BadRequest, match="is not a column"):
        sfumato.anonymize(_drawn(1), _policy(columns={"street": {"role": "quasi-identifier"}}))
    with pytest.raises(BadRequest, match="need a table"):
        sfumato.anonymize(_drawn(1), _policy(items={}))
    with pytest.raises(Unsupported, match="masks items alone"):
        sfumato.anonymize(_drawn(1), _policy(algorithm={"id": "mole-suppression"}))
    with pytest.raises(BadRequest, match="needs columns of persons"):
        sfumato.anonymize(_drawn(1), {**_policy(algorithm={"id": "class-by-class"}), "columns": {}})
    with pytest.raises(BadRequest, match="call it otherwise"):
        sfumato.anonymize(rows, _policy(columns={"item": {"role": "quasi-identifier"}}))
    assert KMAnonymity(k=2, m=1).judge(Baskets.of([{"a"}, {"a"}])).qid == ()


def test_a_draft_proposes_columns_that_say_the_same_of_a_person_and_can_be_published() -> None:
    import polars as pl

    frame = pl.DataFrame(_drawn(5))
    drafted = yaml_reader("safe").load(sfumato.draft(frame, shape="transactions"))
    assert list(drafted["columns"]) == ["age", "town"]
    assert drafted["items"]["column"] == "what"
    assert sfumato.anonymize(frame, drafted).verdict.satisfied


def test_a_class_that_would_lose_all_items_joins_the_nearest_one() -> None:
    rows = {
        "who": list(range(8)),
        "age": [20, 20, 30, 30, 60, 60, 61, 61],
        "town": ["Ulm", "Ulm", "Ulm", "Ulm", "Jena", "Jena", "Bonn", "Bonn"],
        "what": ["a", "b", "a", "b", "c", "c", "d", "d"],
    }
    asked = _policy(requirements=[{"id": "km-anonymity", "k": 2, "m": 1}])
    release = sfumato.anonymize(rows, asked)
    columns, baskets = _read(release)
    assert sorted(map(sorted, baskets)) == [["a"], ["a"], ["b"], ["b"], ["c"], ["c"], ["d"], ["d"]]
    assert {one for one, held in zip(columns, baskets, strict=True) if held & {"a", "b"}} == {("[20-30]", "Ulm")}
    assert _smallest(columns, baskets, 1) == 2
    assert any("joined" in line for line in release.private.facts.words())
    apart = sfumato.anonymize(rows, {**asked, "algorithm": {"id": "class-by-class", "merge": False}})
    assert sum(map(len, _read(apart)[1])) == 4


@pytest.mark.parametrize("how", ["mondrian", "tdr", "optimal"])
@pytest.mark.parametrize("seed", range(3))
def test_merged_classes_hold_what_is_asked_whatever_masked_the_columns(how: str, seed: int) -> None:
    asked = _policy(
        requirements=[{"id": "km-anonymity", "k": 3, "m": 1}],
        algorithm={"id": "class-by-class", "columns": {"id": how}},
    )
    ages = {"id": "intervals", "lower": 20, "upper": 60, "width": 10, "fan_out": [2]}
    asked["columns"] = {**asked["columns"], "age": {"role": "quasi-identifier", "hierarchy": ages}}  # type: ignore[dict-item]
    release = sfumato.anonymize(_drawn(seed, 40), asked)
    columns, baskets = _read(release)
    assert _smallest(columns, baskets, 1) >= 3
    held: dict[tuple[object, ...], int] = {}
    for one, items in zip(columns, baskets, strict=True):
        held[one] = held.get(one, 0) + len(items)
    assert len(held) == 1 or min(held.values()) > 0
