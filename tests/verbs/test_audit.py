"""The audit: every attack is tried or said not to be, before and after masking, and nothing of a person shows."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import sfumato
from sfumato import catalogue
from sfumato.contracts.attack import Attack
from sfumato.contracts.finding import Findings
from sfumato.contracts.knowledge import TableKnowledge
from sfumato.datasets import hospital
from sfumato.errors import BadRequest

MASKED = {"role": "quasi-identifier"}
POLICY: dict[str, Any] = {
    "columns": {"sex": MASKED, "bmi": {**MASKED, "range": [10, 70]}, "diagnosis": {"role": "sensitive"}},
    "requirements": [{"id": "k-anonymity", "k": 5}],
}


@pytest.fixture(scope="module")
def release() -> Any:
    return sfumato.anonymize(hospital(600).to_polars().select("sex", "bmi", "diagnosis"), POLICY)


@pytest.fixture(scope="module")
def found(release: Any) -> Findings:
    return sfumato.audit(release, population=6000)


def test_every_attack_is_tried_or_named(found: Findings) -> None:
    named = {one.attack for one in found.tried} | {one.attack for one in found.untried}
    assert named == set(catalogue.ids("attack", "table"))
    assert all(one.reason for one in found.untried)
    assert found.records == 600
    assert {"attack-attribute-linkage", "attacker-risk", "uniqueness"} <= {one.attack for one in found.tried}


def test_masking_lowers_the_risk_of_the_prosecutor(found: Findings) -> None:
    risk = found.of("attacker-risk")
    assert risk.before is not None
    assert risk.after.highest <= 1 / 5 < risk.before.highest == 1.0
    assert risk.after.above == 0 < risk.before.above <= 600
    assert risk.columns == ("sex", "bmi")
    with pytest.raises(KeyError):
        found.of("no-such-attack")


def test_findings_are_plain_data(found: Findings) -> None:
    text = json.dumps(found.document())
    assert Findings.from_document(json.loads(text)).document() == json.loads(text)
    assert found.worst is not None
    assert found.worst.after.highest == max(one.after.highest for one in found.tried)


def test_quick_attacks_only(release: Any) -> None:
    quick = sfumato.audit(release, thorough=False)
    slow = [
        thing.id
        for thing in catalogue.things("attack", "table")
        if issubclass(thing, Attack) and not thing.traits.quick
    ]
    assert slow
    assert not {one.attack for one in (*quick.tried, *quick.untried)} & set(slow)


def test_chosen_attacks_and_several_sensitive_columns() -> None:
    rows = [(f"[{20 + i % 4 * 10}-{30 + i % 4 * 10})", "ab"[i % 2], "xyz"[i % 3]) for i in range(40)]
    table = sfumato.from_rows(["Age", "one", "two"], rows)
    asked = {"qid": ["Age"], "sensitive": ["one", "two"], "attacks": ["attack-attribute-linkage", "attacker-risk"]}
    found = sfumato.audit(table, **asked)
    assert [(one.attack, one.sensitive) for one in found.tried] == [
        ("attack-attribute-linkage", "one"),
        ("attack-attribute-linkage", "two"),
        ("attacker-risk", None),
    ]
    assert found.of("attack-attribute-linkage", "two").after.highest < 1.0
    assert all(one.before is None for one in found.tried)


def test_an_anatomy_pair_is_attacked_by_group() -> None:
    frame = hospital(400).to_polars().select("sex", "bmi", "diagnosis")
    policy = {
        **POLICY,
        "requirements": [{"id": "l-diversity-frequency", "l": 2, "sensitive": "diagnosis"}],
        "algorithm": {"id": "anatomize"},
    }
    pair = sfumato.anonymize(frame, policy)
    found = sfumato.audit(pair, thorough=False)
    assert found.of("attack-attribute-linkage").after.highest <= 0.5
    assert found.of("attacker-risk").after.highest == 1.0  # quasi-identifiers are exact


def test_an_outside_table_opens_more_attacks(release: Any) -> None:
    frame = hospital(600).to_polars().select("sex", "bmi").with_row_index("name").head(50)
    found = sfumato.audit(release, external=frame, name="name", attacks=["attack-record-linkage", "linking-attack"])
    assert [one.after.victims for one in found.tried] == [50, 50]
    assert all(one.after.highest <= 1 / 5 for one in found.tried)
    assert all(one.before is not None and one.before.highest > 1 / 5 for one in found.tried)


def test_groups_are_counted_once(release: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    kind = type(release.table)
    counted = []
    groups = kind.groups

    def counting(self: Any, *asked: Any) -> Any:
        counted.append(asked)
        return groups(self, *asked)

    monkeypatch.setattr(kind, "groups", counting)
    sfumato.audit(release, thorough=False)
    assert len(counted) == 2  # the release and the raw table


@pytest.mark.parametrize(
    ("options", "parameter"),
    [
        ({"threshold": 1.0}, "threshold"),
        ({"threshold": -0.1}, "threshold"),
        ({}, "qid"),
        ({"qid": ["Age"], "attacks": ["no-such-attack"]}, "attack"),
        ({"qid": ["Age", "Shoe"]}, "qid"),
        ({"qid": ["Age"], "sensitive": "Shoe"}, "sensitive"),
    ],
)
def test_bad_requests(options: dict[str, Any], parameter: str) -> None:
    table = sfumato.from_rows(["Age", "Disease"], [("20", "Flu")])
    with pytest.raises(BadRequest) as caught:
        sfumato.audit(table, **options)
    assert caught.value.parameter == parameter


def test_progress_is_told(release: Any) -> None:
    heard: list[str] = []

    class Listener:
        def stage(self, name: str, total: float | None = None) -> None:
            heard.append(f"{name} {total:g}")

        def tick(self, done: float, note: str = "") -> None:
            heard.append(note)

    sfumato.audit(release, attacks=["attacker-risk"], progress=Listener())
    assert heard == ["attacking 1", "attacker-risk", ""]


def test_an_attack_that_fails_is_said_and_not_raised(release: Any) -> None:
    found = sfumato.audit(replace(release, private=replace(release.private, raw=None)), attacks=["attack-proximity"])
    assert not found.tried
    assert found.untried[0].attack == "attack-proximity"


def test_same_release_same_findings(release: Any) -> None:
    first, again = (sfumato.audit(release).document() for _ in range(2))
    assert first == again


def test_direct_identifiers_among_unmasked_columns_are_named() -> None:
    rows = [(f"[{20 + i % 4 * 10}-{30 + i % 4 * 10})", "ab"[i % 2], f"person{i}@example.org") for i in range(40)]
    table = sfumato.from_rows(["Age", "Disease", "note"], rows)
    found = sfumato.audit(table, qid=["Age"], sensitive="Disease", attacks=["attacker-risk"])
    assert [(one["column"], one["identifier"]) for one in found.identifiers] == [("note", "email")]
    assert "example.org" not in json.dumps(found.document())


def test_adversaries_of_single_requirements_are_tried_too() -> None:
    policy = {**POLICY, "requirements": [{"id": "k-anonymity", "k": 5, "qid": [name]} for name in ("sex", "bmi")]}
    release = sfumato.anonymize(hospital(600).to_polars().select("sex", "bmi", "diagnosis"), policy)
    found = [one for one in sfumato.audit(release, thorough=False).tried if one.attack == "attacker-risk"]
    assert [one.columns for one in found] == [("sex", "bmi"), ("sex",), ("bmi",)]
    assert found[0].after.highest > 1 / 5
    assert all(one.after.highest <= 1 / 5 for one in found[1:])


def test_labels_of_a_release_without_recodings_are_read_by_its_policy(tmp_path: Any) -> None:
    rows = [(f"p{i}", f"{48600 + i % 4:05}", "xy"[i % 2], int(i % 3 == 0)) for i in range(24)]
    table = sfumato.from_rows(["name", "zip", "ill", "asked"], rows)
    policy = {
        "columns": {
            "name": {"role": "identifier"},
            "zip": {"role": "quasi-identifier", "hierarchy": {"id": "redaction", "length": 5}},
            "ill": {"role": "sensitive"},
            "asked": {"role": "private"},
        },
        "requirements": [{"id": "personal-frequency", "sensitive": "ill", "th_acct": "0.1"}],
        "algorithm": {"id": "qidb-anonymization", "weights": {"x": 1, "y": 0}, "flags": "asked"},
        "limits": {"suppress_at_most": 1.0},
        "seed": 3,
    }
    release = sfumato.anonymize(table, policy)
    people = table.select(["name", "zip"])
    in_memory = sfumato.attack(release, "attack-record-linkage", external=people, name="name")
    # A few records may be withheld or added; without a reading of the labels nobody is found.
    assert in_memory.details["linked"] > 12
    folder = sfumato.publish(release, tmp_path / "out")
    assert sfumato.attack(folder, "attack-record-linkage", external=people, name="name").details == in_memory.details


def test_weights_and_households_reach_the_attack_that_asks_for_them() -> None:
    rows = [("x", "Flu", 10, "h1"), ("x", "Flu", 10, "h1"), ("y", "Flu", 5, "h2")]
    table = sfumato.from_rows(["q", "ill", "w", "home"], rows)
    asked = {"qid": ["q"], "sensitive": "ill", "attacks": None, "thorough": False}
    plain, weighted, homes = (
        sfumato.audit(table, **asked, **more).of("individual-risk").after  # type: ignore[arg-type]
        for more in ({}, {"weight": "w"}, {"weight": "w", "household": "home"})
    )
    assert plain.highest == 1.0
    assert weighted.highest == pytest.approx(0.25 * np.log(5))  # p = 1/5: (p / q) ln(1 / p)
    assert homes.mean > weighted.mean


def small(algorithm: dict[str, Any], requirements: list[dict[str, Any]]) -> tuple[Any, Any, Any]:
    """Return a release, its table, and another table like it."""
    rng = np.random.default_rng(3)
    tables = [
        sfumato.from_rows(
            ["age", "sex", "illness", "pay"],
            [
                (int(rng.integers(20, 60)), "mf"[int(rng.integers(2))], "abcde"[i % 5], int(rng.integers(1000, 9000)))
                for i in range(80)
            ],
        )
        for _ in range(2)
    ]
    learnt = {"role": "sensitive"} if algorithm["id"] != "ke-permutation" else {"role": "identifier"}
    columns = {"age": MASKED, "sex": MASKED, "illness": learnt, "pay": {"role": "sensitive"}}
    policy = {"columns": columns, "requirements": requirements, "algorithm": algorithm, "seed": 1}
    return sfumato.anonymize(tables[0], policy), tables[0], tables[1]


@pytest.mark.parametrize(
    ("algorithm", "requirement"),
    [
        ({"id": "anatomize", "form": "bucketized"}, {"id": "l-diversity-distinct", "l": 2, "sensitive": "illness"}),
        ({"id": "ke-permutation"}, {"id": "k-e-anonymity", "k": 3, "e": 100, "sensitive": "pay"}),
    ],
)
def test_inference_goes_by_the_records_of_a_grouped_release(algorithm: Any, requirement: Any) -> None:
    release, raw, control = small(algorithm, [requirement])
    found = sfumato.audit(release, raw=raw, control=control, attacks=["inference"])
    assert found.of("inference", requirement["sensitive"]).after.victims > 0


def test_numbers_that_are_not_finite_do_not_reach_json() -> None:
    found = sfumato.audit(
        sfumato.from_rows(["age", "illness"], [(20, "a"), (20, "b"), (30, "b")]),
        qid=["age"],
        sensitive="illness",
        external=sfumato.from_rows(["age"], [(20,), (20,), (30,)]),
        raw=sfumato.from_rows(["age", "illness"], [(20, "a"), (20, "b"), (30, "a")]),
        attacks=["attack-definetti"],
    )
    details = found.of("attack-definetti").after.details
    assert any(value == float("inf") for value in details.values())
    json.dumps(found.document(), allow_nan=False)


def test_a_column_that_is_known_is_not_to_be_learnt(release: Any) -> None:
    with pytest.raises(BadRequest, match="sensitive: is known to the adversary"):
        sfumato.audit(release, qid=["sex", "diagnosis"], sensitive="diagnosis")
    with pytest.raises(BadRequest, match="twice"):
        sfumato.audit(release, qid=["sex", "bmi", "sex"])
    found = sfumato.audit(release, qid=["sex", "diagnosis"], thorough=False)
    assert found.of("attacker-risk").columns == ("sex", "diagnosis")
    assert not any(one.sensitive for one in found.tried)
    assert sfumato.attack(release, "uniqueness", qid=["sex", "diagnosis"]).victims == 600


def test_what_is_told_wrongly_is_refused(release: Any) -> None:
    for told, parameter in (
        ({"population": 10}, "uniqueness.population"),
        ({"weight": "nothing"}, "individual-risk.weight"),
        ({"household": "sex"}, "individual-risk.household"),
        ({"raw": sfumato.from_rows(["other"], [(1,), (2,)])}, "raw"),
    ):
        with pytest.raises(BadRequest) as caught:
            sfumato.audit(release, thorough=False, **told)
        assert caught.value.parameter == parameter


def test_learning_nothing_can_be_asked_for(release: Any) -> None:
    found = sfumato.audit(release, sensitive=[], thorough=False)
    assert found.tried
    assert all(one.sensitive is None for one in found.tried)
    assert "attack-attribute-linkage" in {one.attack for one in found.untried}
    with pytest.raises(BadRequest, match="needs the column whose values are to be learnt"):
        sfumato.attack(release, "attack-attribute-linkage", sensitive=[])


@pytest.mark.parametrize("nothing", [{}, (), []])
def test_an_empty_population_is_refused(release: Any, nothing: Any) -> None:
    with pytest.raises(BadRequest, match=r"population: must be a whole number"):
        sfumato.audit(release, population=nothing, thorough=False)
    with pytest.raises(BadRequest, match=r"population: must be a whole number"):
        sfumato.audit(release, knowledge=TableKnowledge(population=nothing), thorough=False)
    with pytest.raises(BadRequest, match=r"population: must be a whole number"):
        sfumato.attack(release, "uniqueness", population=nothing)


def test_an_external_table_with_few_columns_does_not_make_everybody_know_less(release: Any) -> None:
    alone = sfumato.audit(release, thorough=False)
    persons = sfumato.from_rows(["name", "sex"], [("x", "female"), ("y", "male")])
    found = sfumato.audit(release, external=persons, name="name", thorough=False)
    for attack in ("attacker-risk", "uniqueness", "attack-attribute-linkage"):
        assert found.of(attack).after.highest == alone.of(attack).after.highest
        assert found.of(attack).columns == ("sex", "bmi")
    assert found.of("linking-attack").columns == ("sex",)
    with pytest.raises(BadRequest, match="no column of the external table is a quasi-identifier"):
        sfumato.audit(release, external=sfumato.from_rows(["name", "town"], [("x", "y")]), name="name")


def test_attacks_that_learn_nothing_need_no_choice_of_a_sensitive_column() -> None:
    release, _, _ = small({"id": "tdr"}, [{"id": "k-anonymity", "k": 3}])
    assert sfumato.attack(release, "uniqueness").victims == 80
    with pytest.raises(BadRequest, match="say which sensitive column"):
        sfumato.attack(release, "attack-attribute-linkage")
