"""Policies: one document, errors with line and key, taxonomy files beside it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import sfumato
from sfumato import BadRequest, Policy
from sfumato.datasets import sample_policy


def test_round_trip_through_yaml_and_json(tmp_path: Path) -> None:
    policy = Policy.of(sample_policy())
    (tmp_path / "p.yaml").write_text(policy.to_yaml())
    (tmp_path / "p.json").write_text(json.dumps(policy.document()))
    assert Policy.load(tmp_path / "p.yaml") == policy
    assert Policy.load(tmp_path / "p.json").digest() == policy.digest()


def test_codes_that_look_like_numbers_survive(tmp_path: Path) -> None:
    tree = {"value": "*", "children": [{"value": "01305"}, {"value": "NO"}, {"value": "12:30"}, {"value": "1e3"}]}
    policy = Policy.of(
        {
            "columns": {"a": {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": tree}}},
            "requirements": [{"id": "k-anonymity", "k": 2}],
        }
    )
    (tmp_path / "p.yaml").write_text(policy.to_yaml())
    builder = Policy.load(tmp_path / "p.yaml").hierarchy("a")
    assert builder is not None
    assert builder.build(["01305"]).leaves == ("01305", "NO", "12:30", "1e3")


def test_taxonomy_files_are_read_from_beside_the_policy(tmp_path: Path) -> None:
    (tmp_path / "job.csv").write_text("cook;manual;*\nnurse;care;*\n")
    (tmp_path / "p.yaml").write_text(
        "columns:\n  job: {role: quasi-identifier, hierarchy: {id: taxonomy, file: job.csv}}\n"
        "requirements: [{id: k-anonymity, k: 2}]\n"
    )
    policy = Policy.load(tmp_path / "p.yaml")
    (tmp_path / "job.csv").unlink()
    builder = policy.hierarchy("job")
    assert builder is not None
    assert builder.path("cook") == ("cook", "manual", "*")


def test_a_hierarchy_of_many_levels_is_written_and_read(tmp_path: Path) -> None:
    levels = [[f"{leaf}", *(f"{leaf}.{level}" for level in range(59)), "*"] for leaf in ("cook", "nurse")]
    rows = [("cook",)] * 3 + [("nurse",)] * 3
    policy = {
        "columns": {"job": {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "levels": levels}}},
        "requirements": [{"id": "k-anonymity", "k": 2}],
    }
    (tmp_path / "jobs.csv").write_text("\n".join(";".join(row) for row in levels))
    (tmp_path / "p.yaml").write_text(
        "columns:\n  job: {role: quasi-identifier, hierarchy: {id: taxonomy, file: jobs.csv}}\n"
        "requirements: [{id: k-anonymity, k: 2}]\n"
    )
    for asked in (policy, tmp_path / "p.yaml"):
        (tmp_path / "again.yaml").write_text(Policy.of(asked).to_yaml())
        assert Policy.load(tmp_path / "again.yaml") == Policy.of(asked)
        out = tmp_path / ("file" if asked is policy else "mapping")
        sfumato.publish(sfumato.anonymize(sfumato.from_rows(["job"], rows), asked), out)
        assert sfumato.verify(out)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("columns:\n  a: {role: plain}\nrequirements:\n  - {id: k-anonymity, k: 0}\n", ("line 4", "k-anonymity.k")),
        ("columns:\n  a:\n    role: qi\nrequirements: [{id: k-anonymity, k: 1}]\n", ("line 3", "columns.a.role", "qi")),
        (
            "columns:\n  a:\n    role: plain\n    rol: 1\nrequirements: [{id: k-anonymity, k: 1}]\n",
            ("line 4", "rol", "role"),
        ),
        ("columns: {}\nrequirements: [{id: k-anonymity, k: 1}]\n", ("columns",)),
        ("columns: {a: {role: plain}}\nrequirements: []\n", ("requirements",)),
        ("columns: {a: {role: plain}}\nrequirements: [{k: 2}]\n", ("id",)),
        ("columns: {a: {role: plain}}\nrequirements: [{id: k-anonymity}]\n", ("k-anonymity.k", "required")),
        (
            "columns: {a: {role: plain}}\nrequirements: [{id: k-anonymity, k: 1}]\nalgorithm: {id: tdrr}\n",
            ("tdrr", "tdr"),
        ),
        ("columns: {a: {role: plain}}\nrequirements: [{id: k-anonymity, k: 1}]\nmetrics: [igpl]\n", ("igpl", "steps")),
        ("columns: {a: {role: plain}}\nrequirements: [{id: k-anonymity, k: 1}]\nseed: -1\n", ("seed",)),
        ("- 1\n", ("mapping",)),
        (
            "columns: {a: {role: plain}}\nrequirements: [{id: k-anonymity, k: 1}]\nzzz: 1\n",
            ("line 3", "available: columns, search_on, population, weights, version, "),
        ),
        (
            "columns: {a: {role: plain}}\nrequirements: [{id: k-anonymity, k: 1}]\nlimits: {zzz: 1}\n",
            ("line 3", "available: suppress_at_most"),
        ),
    ],
)
def test_errors_point_to_line_and_key(tmp_path: Path, text: str, words: tuple[str, ...]) -> None:
    (tmp_path / "p.yaml").write_text(text)
    with pytest.raises(BadRequest) as refusal:
        Policy.load(tmp_path / "p.yaml")
    for word in words:
        assert word in str(refusal.value), str(refusal.value)


def test_json_schema_names_every_key() -> None:
    schema = Policy.model_json_schema()
    assert set(schema["properties"]) == set(Policy.model_fields)
    assert all("description" in entry or "$ref" in entry or "allOf" in entry for entry in schema["properties"].values())


FINE = """columns:
  age: {role: quasi-identifier}
  ill: {role: sensitive}
requirements:
  - {id: k-anonymity, k: 3}
"""
WRONG = {
    "requirements: 5": (
        FINE.replace("requirements:\n  - {id: k-anonymity, k: 3}", "requirements: 5"),
        "must be a list, got 5",
    ),
    "no entries": (FINE.replace("requirements:\n  - {id: k-anonymity, k: 3}", "requirements: []"), "at least 1 entry"),
    "a number": (FINE.replace("{id: k-anonymity, k: 3}", "5"), r"requirements\[0\]: must be a mapping of keys, got 5"),
    "a bare id": (FINE.replace("{id: k-anonymity, k: 3}", "k-anonymity"), "k-anonymity.k: is required and missing"),
    "role": (
        FINE.replace("sensitive", "secret"),
        "columns.ill.role: is not one of the choices, got 'secret'; available: identifier",
    ),
    "column": (FINE.replace("{role: sensitive}", ""), "columns.ill: must be a mapping of keys, and nothing is given"),
    "hierarchy": (
        FINE.replace("quasi-identifier}", "quasi-identifier, hierarchy: 5}"),
        "hierarchy: must be an id, or a mapping",
    ),
    "range": (
        FINE.replace("quasi-identifier}", "quasi-identifier, range: [a, b]}"),
        r"range\[0\]: must be a number \(and 1 more\)",
    ),
    "seed": (FINE + "seed: abc\n", "seed: must be a whole number, got 'abc'"),
    "low seed": (FINE + "seed: -1\n", "seed: must be >= 0, got -1"),
    "version": (FINE + "version: 2\n", "version: is not one of the choices, got 2; available: 1"),
    "limits": (FINE + "limits: {suppress_at_most: 2}\n", "suppress_at_most: must be <= 1, got 2"),
    "title": (FINE + "title: [a]\n", "title: must be a text"),
    "algorithm": (FINE + "algorithm: [tdr]\n", "algorithm: must be a mapping of keys"),
    "twice": (FINE + "seed: 1\nseed: 2\n", "policy.yaml, line 7: seed: is there twice"),
    "twice inside": (
        FINE.replace("{role: sensitive}", "{role: sensitive, role: plain}"),
        "line 3: role: is there twice",
    ),
}


@pytest.mark.parametrize(("text", "said"), WRONG.values(), ids=WRONG)
def test_mistakes_are_told_in_our_words(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "policy.yaml").write_text(text)
    with pytest.raises(BadRequest, match=said) as caught:
        Policy.load(tmp_path / "policy.yaml")
    assert not any(word in str(caught.value) for word in ("Input should", "valid", "dict", "tuple", "validation"))


def test_a_bare_id_is_an_algorithm(tmp_path: Path) -> None:
    (tmp_path / "policy.yaml").write_text(FINE + "algorithm: mondrian\n")
    short = Policy.load(tmp_path / "policy.yaml")
    (tmp_path / "policy.yaml").write_text(FINE + "algorithm: {id: mondrian}\n")
    assert short.digest() == Policy.load(tmp_path / "policy.yaml").digest()
    assert short.search().id == "mondrian"


def test_importance_weighs_the_metric_of_a_search_unless_it_has_weights() -> None:
    columns = {"age": {"role": "quasi-identifier", "importance": 3}, "job": {"role": "quasi-identifier"}}
    asked = {"columns": columns, "requirements": [{"id": "k-anonymity", "k": 2}]}

    def metric(algorithm: dict[str, object]) -> object:
        return Policy.of({**asked, "algorithm": algorithm}).weighed().get("metric")

    assert metric({"id": "optimal"}) == {"id": "loss", "weights": {"age": 3.0}}
    named = {"id": "loss", "weights": {"job": 2.0}}
    assert metric({"id": "optimal", "metric": named}) == named
    assert metric({"id": "optimal", "metric": "discernibility"}) == "discernibility"
    assert metric({"id": "tdr"}) is None
    with pytest.raises(BadRequest, match="importance"):
        Policy.of({**asked, "columns": {**columns, "job": {"role": "plain", "importance": -1}}})
