"""Greedy personalized generalization against a twin that moves one record at a time, and what it refuses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sfumato
from oracles.naive_personalized import NaivePersonalized, NaiveTree, breach_of
from sfumato.algorithms.owners._guarded_repair import GuardedRepair
from sfumato.data.tree import Tree

DISEASE = {
    "Any": [
        {"Resp": [{"Infect": ["Flu", "Pneumonia", "SARS"]}, "Bronchitis"]},
        {"Digest": ["Ulcer", "Dyspepsia", {"Cancer": ["Stomach", "Colon"]}]},
    ]
}
JOB = {"Job": [{"Health": ["Nurse", "Doctor"]}, {"Food": [{"Kitchen": ["Cook", "Baker", "Waiter"]}]}]}
CITY = {"City": [{"North": ["Oslo"]}, {"South": ["Rome", "Bari", "Nice"]}]}
LEAVES = NaiveTree(DISEASE).leaves["Any"]
GUARDS = [None, None, "Infect", "Resp", "Digest", "Cancer", "SARS", "Stomach"]


def drawn(rng: np.random.Generator, records: int) -> list[tuple[Any, ...]]:
    jobs, cities = NaiveTree(JOB).leaves["Job"], NaiveTree(CITY).leaves["City"]
    return [
        (
            rng.choice(jobs).item(),
            rng.choice(cities).item(),
            rng.choice(LEAVES).item(),
            GUARDS[int(rng.integers(len(GUARDS)))],
        )
        for _ in range(records)
    ]


def policy(bound: float = 0.4, *, reading: str = "union", k: int | None = None, **changed: Any) -> dict[str, Any]:
    asked: dict[str, Any] = {"id": "personalized-privacy", "sensitive": "Disease", "guard": "Guard"}
    columns: dict[str, Any] = {
        "Job": {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": JOB}},
        "City": {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": CITY}},
        "Disease": {"role": "sensitive", "hierarchy": {"id": "taxonomy", "tree": DISEASE}},
        "Guard": {"role": "private"},
    }
    return {
        "columns": {**columns, **changed},
        "requirements": [
            {**asked, "p_breach": bound, "reading": reading},
            *([] if k is None else [{"id": "k-anonymity", "k": k}]),
        ],
        "algorithm": {"id": "greedy-personalized"},
        "output": {"row_order": "keep"},
    }


def table(rows: list[tuple[Any, ...]]) -> Any:
    return sfumato.from_rows(["Job", "City", "Disease", "Guard"], rows)


@pytest.mark.parametrize("reading", ["union", "max_leaf"])
@pytest.mark.parametrize("seed", range(20))
def test_against_the_twin(seed: int, reading: str) -> None:
    rng = np.random.default_rng(seed)
    rows = drawn(rng, int(rng.integers(3, 30)))
    bound = float(rng.choice([0.1, 0.25, 0.4, 0.6]))
    k = int(rng.integers(1, 4)) if seed % 2 else None
    per_leaf = reading == "max_leaf"
    disease = NaiveTree(DISEASE)
    twin = NaivePersonalized([NaiveTree(JOB), NaiveTree(CITY)], disease, bound, per_leaf, k or 1)
    wanted = twin.run(rows)
    asked = policy(bound, reading=reading, k=k)
    if wanted is None:
        with pytest.raises(sfumato.Infeasible):
            sfumato.anonymize(table(rows), asked)
        return
    release = sfumato.anonymize(table(rows), asked)
    facts = release.private.facts
    assert facts["iloss"] == pytest.approx(wanted[0])
    assert facts["iloss"] == pytest.approx(facts["iloss_quasi_identifiers"] + facts["iloss_sensitive"])
    published = release.table.to_rows()
    assert release.table.columns == ("Job", "City", "Disease")
    assert [row[:2] for row in published] == wanted[1]
    # What is published is true, and nobody is breached: counted from the rows alone.
    changed = 0
    for raw, shown in zip(rows, published, strict=True):
        assert raw[2] in disease.leaves[shown[2]]
        changed += raw[2] != shown[2]
        alike = [other[2] for other in published if other[:2] == shown[:2]]
        assert len(alike) >= (k or 1)
        if raw[3] is not None:
            assert breach_of(disease, alike, raw[3], per_leaf) <= bound + 1e-9
    assert facts["cells_generalized"] == changed
    assert facts["guarding_owners"] == sum(row[3] is not None for row in rows)
    assert release.verdict.satisfied
    assert release.verdict.verdicts[0].strongest == pytest.approx(facts["highest_breach"]) or per_leaf


@pytest.mark.parametrize("per_leaf", [False, True])
@pytest.mark.parametrize("seed", range(20))
def test_many_records_climb_together_as_they_would_one_by_one(seed: int, per_leaf: bool) -> None:
    rng = np.random.default_rng(seed)
    tree, disease = Tree.from_nested(DISEASE), NaiveTree(DISEASE)
    counts = rng.integers(0, 12, len(LEAVES))
    counts[int(rng.integers(len(LEAVES)))] += 1
    guards = [guard for guard in GUARDS if guard is not None and rng.random() < 0.4]
    bound = float(rng.choice([0.05, 0.15, 0.3, 0.5]))
    values = [leaf for leaf, count in zip(LEAVES, counts.tolist(), strict=True) for _ in range(count)]
    wanted = NaivePersonalized([], disease, bound, per_leaf).repaired(values, guards)
    repair = GuardedRepair(tree, bound, per_leaf)
    found = repair.repair(counts.astype(np.int64), [tree.node_of[guard] for guard in guards])
    assert (found is None) == (wanted is None)
    if found is not None and wanted is not None:
        shown = [tree.labels[node] for _, node, count in found.shown for _ in range(count)]
        assert sorted(shown) == sorted(wanted)
        assert all(tree.labels[tree.leaf_nodes[leaf]] in disease.leaves[tree.labels[n]] for leaf, n, _ in found.shown)


def test_nobody_guards_anything() -> None:
    rows = [(*row[:3], None) for row in drawn(np.random.default_rng(1), 12)]
    release = sfumato.anonymize(table(rows).select(["Job", "City", "Disease", "Guard"]), policy(0.1))
    assert release.table.to_rows() == [row[:3] for row in rows]
    assert release.private.facts["iloss"] == 0


def test_a_release_folder_never_holds_what_owners_asked(tmp_path: Path) -> None:
    rows = drawn(np.random.default_rng(4), 40)
    asked = policy(0.6)
    sfumato.publish(sfumato.anonymize(table(rows), asked), tmp_path / "out")
    public = {path.name: path.read_text() for path in (tmp_path / "out" / "public").iterdir() if path.suffix != ".html"}
    assert public["data.csv"].splitlines()[0] == "Job,City,Disease"
    found = sfumato.verify(tmp_path / "out")
    assert found
    assert found.unchecked == ("personalized-privacy",)
    operations = {entry["name"]: entry["operation"] for entry in found.certificate["columns"]}
    assert operations["Disease"] == "cell-generalization"
    measured = sfumato.measure(table(rows), tmp_path / "out", "iloss")
    assert measured.value >= 0


def test_a_certain_value_may_be_hidden_where_its_kind_may_be_known() -> None:
    rows = [("Nurse", "Oslo", disease, "Infect") for disease in ("Flu", "Pneumonia", "SARS")]
    alone = sfumato.anonymize(table(rows), policy(0.4, reading="max_leaf"))
    assert alone.table.to_rows() == [row[:3] for row in rows]
    with pytest.raises(sfumato.Infeasible):
        sfumato.anonymize(table(rows), policy(0.3))


def test_bound_met_exactly() -> None:
    rows = [("Nurse", "Oslo", "Flu", "Flu"), ("Nurse", "Oslo", "Ulcer", None)]
    release = sfumato.anonymize(table(rows), policy(0.5))
    assert release.private.facts["cells_generalized"] == 0
    assert sfumato.anonymize(table(rows), policy(0.499)).private.facts["cells_generalized"] == 1


@pytest.mark.parametrize(
    ("changes", "error", "said"),
    [
        ({"Guard": {"role": "plain"}}, sfumato.BadRequest, "never be published"),
        ({"Disease": {"role": "sensitive"}}, sfumato.BadRequest, "needs a hierarchy"),
        ({"City": {"role": "identifier"}, "Job": {"role": "identifier"}}, sfumato.BadRequest, "quasi-identifier"),
    ],
)
def test_bad_policies(changes: dict[str, Any], error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        sfumato.anonymize(table(drawn(np.random.default_rng(0), 9)), policy(0.5, **changes))


@pytest.mark.parametrize(("guard", "said"), [("Any", "guards all values"), ("Gout", "not a node")])
def test_bad_guards(guard: str, said: str) -> None:
    rows = [("Nurse", "Oslo", "Flu", guard), ("Cook", "Rome", "Ulcer", None)]
    with pytest.raises(sfumato.BadRequest, match=said) as caught:
        sfumato.anonymize(table(rows), policy(0.5))
    assert caught.value.column == "Guard"


def test_a_value_outside_the_hierarchy() -> None:
    with pytest.raises(sfumato.BadRequest) as caught:
        sfumato.anonymize(table([("Nurse", "Oslo", "Gout", None)]), policy(0.5))
    assert caught.value.column == "Disease"


def test_what_cannot_be_promised() -> None:
    rows = table(drawn(np.random.default_rng(0), 9))
    diverse = policy(0.5)
    diverse["requirements"].append({"id": "l-diversity-distinct", "l": 2, "sensitive": "Disease"})
    with pytest.raises(sfumato.Unsupported, match="l-diversity-distinct"):
        sfumato.anonymize(rows, diverse)
    twice = policy(0.5)
    twice["requirements"] *= 2
    with pytest.raises(sfumato.Unsupported, match="one requirement"):
        sfumato.anonymize(rows, twice)
    partly = policy(0.5)
    partly["requirements"][0]["qid"] = ["Job"]
    with pytest.raises(sfumato.Unsupported, match="all quasi-identifiers"):
        sfumato.anonymize(rows, partly)
