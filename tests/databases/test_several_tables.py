"""Several tables through every door: anonymized, written, verified by a second count, attacked; and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import sfumato
from sfumato.databases import Database
from sfumato.databases.models import OwnerKAnonymity
from sfumato.datasets import hospital_tables
from sfumato.errors import BadRequest, Infeasible

POLICY: dict[str, Any] = {
    "shape": "database",
    "person": "patients",
    "tables": {
        "patients": {
            "key": "id",
            "columns": {
                "name": {"role": "identifier"},
                "born": {
                    "role": "quasi-identifier",
                    "hierarchy": {"id": "intervals", "lower": 1880, "width": 10, "fan_out": [2, 8]},
                },
                "sex": {"role": "quasi-identifier"},
                "zip": {"role": "quasi-identifier", "type": "text", "hierarchy": {"id": "redaction", "length": 5}},
            },
        },
        "stays": {
            "key": "id",
            "references": {"patient": "patients"},
            "columns": {"ward": {"role": "quasi-identifier"}, "year": {"role": "quasi-identifier"}},
        },
        "diagnoses": {"references": {"stay": "stays"}, "columns": {"diagnosis": {"role": "sensitive"}}},
    },
    "requirements": [{"id": "multir-k-anonymity", "k": 4}],
}


def tables(n: int = 150, seed: int = 3) -> dict[str, Any]:
    return {one.name: dict(one.data) for one in hospital_tables(n, seed)}


def test_release_is_written_verified_and_attacked(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    for one in hospital_tables(150, 3):
        one.write_csv(folder / f"{one.name}.csv")
    release = sfumato.anonymize(str(folder), POLICY)
    (verdict,) = release.verdict.verdicts
    assert verdict.satisfied
    assert verdict.strongest >= 4
    assert release.tables["patients"].columns == ("id", "born", "sex", "zip")
    assert release.tables["patients"].rows == 150
    out = tmp_path / "out"
    sfumato.publish(release, out)
    assert sfumato.verify(out)
    (entry,) = json.loads((out / "public/certificate.json").read_text())["requirements"]
    assert entry["recounted"] == "plain"
    risk = sfumato.attack(release, "owner-linkage-attack")
    assert risk.highest <= 0.25
    texts = " ".join(path.read_text(errors="ignore") for path in (out / "public").rglob("*.csv"))
    assert not any(name in texts for name in hospital_tables(150, 3)[0].values("name"))


def test_fresh_keys_are_suspected_of_naming_nobody_and_old_ones_are() -> None:
    release = sfumato.anonymize(tables(40), {**POLICY, "seed": 1})
    assert [one.column for one in sfumato.audit(release).identifiers] == []
    seen = release.form.seen(release.tables)
    assert ("stays", "patient") in seen.counted_off
    old = {
        name: pl.DataFrame(one.to_rows(), schema=list(one.columns), orient="row")
        for name, one in release.tables.items()
    }
    old["patients"] = old["patients"].with_columns(pl.col("id").cast(int) + 70_000)
    old["stays"] = old["stays"].with_columns(pl.col("patient").cast(int) + 70_000)
    kept = release.form.seen({name: sfumato.read(one) for name, one in old.items()})
    assert kept.counted_off == {("stays", "id"), ("diagnoses", "stay")}


@pytest.mark.parametrize("seed", range(6))
def test_both_readings_hold_and_rows_keep_their_owners(seed: int) -> None:
    given = tables(40, seed)
    release = sfumato.anonymize(given, {**POLICY, "seed": seed})
    database = release.form.database(release.tables)
    for signature in (True, False):
        assert OwnerKAnonymity(k=4, owner_signature=signature).judge(database).satisfied
    assert database.rows <= sum(len(next(iter(one.values()))) for name, one in given.items() if name != "patients")
    before = Database.of(
        given,
        person="patients",
        keys={"patients": "id", "stays": "id"},
        references={"stays": {"patient": "patients"}, "diagnoses": {"stay": "stays"}},
        known={"patients": ("born", "sex", "zip"), "stays": ("ward", "year")},
    )
    bag = OwnerKAnonymity(k=1).judge(before).strongest
    tuples = OwnerKAnonymity(k=1, owner_signature=False).judge(before).strongest
    assert bag <= tuples


def test_alike_owners_stay_as_they_are() -> None:
    given = {"p": {"id": [1, 2, 3, 4]}, "v": {"who": [1, 2, 3, 4], "ward": ["A", "A", "B", "B"]}}
    asked = {
        "shape": "database",
        "person": "p",
        "tables": {
            "p": {"key": "id"},
            "v": {"references": {"who": "p"}, "columns": {"ward": {"role": "quasi-identifier"}}},
        },
        "requirements": [{"id": "multir-k-anonymity", "k": 2}],
    }
    release = sfumato.anonymize(given, asked)
    assert sorted(row[1] for row in release.tables["v"].to_rows()) == ["A", "A", "B", "B"]
    odd = {"p": {"id": [1, 2, 3]}, "v": {"who": [1, 2, 3], "ward": ["A", "A", "B"]}}
    release = sfumato.anonymize(odd, asked)
    assert [row[1] for row in release.tables["v"].to_rows()] == ["*", "*", "*"]


def test_what_does_not_lead_to_persons_is_refused() -> None:
    people = {"id": [1, 2]}
    for given, told, words in (
        ({"p": people, "v": {"who": [1, 9], "w": ["a", "b"]}}, {"v": {"who": "p"}}, "not there"),
        ({"p": people, "v": {"who": [1, None], "w": ["a", "b"]}}, {"v": {"who": "p"}}, "not there"),
        ({"p": people, "v": {"who": [1, 2], "w": ["a", "b"]}}, {}, "leads to no person"),
        ({"p": {"id": [1, 1]}}, {}, "repeats a key"),
    ):
        with pytest.raises(BadRequest, match=words):
            Database.of(given, person="p", keys={"p": "id"}, references=told)
    loop = {"p": people, "a": {"i": [1], "r": [1]}, "b": {"i": [1], "r": [1]}}
    with pytest.raises(BadRequest, match="circle"):
        Database.of(
            loop, person="p", keys={"p": "id", "a": "i", "b": "i"}, references={"a": {"r": "b"}, "b": {"r": "a"}}
        )
    with pytest.raises(Infeasible, match="larger than the number of persons"):
        sfumato.anonymize(tables(3), POLICY)
    with pytest.raises(Infeasible, match="left out"):
        sfumato.anonymize(tables(40), {**POLICY, "limits": {"lose_at_most": 0.0}})


def test_a_key_has_no_role() -> None:
    asked = {**POLICY["tables"]["stays"], "columns": {"id": {"role": "quasi-identifier"}}}
    with pytest.raises(BadRequest, match="fresh numbers and no role"):
        sfumato.anonymize(tables(), {**POLICY, "tables": {**POLICY["tables"], "stays": asked}})


def test_rare_words_are_joined_as_in_one_table() -> None:
    rare = {
        **POLICY["tables"]["stays"]["columns"],
        "ward": {"role": "quasi-identifier", "hierarchy": {"id": "frequency", "at_least": 30}},
    }
    stays = {**POLICY["tables"]["stays"], "columns": rare}
    release = sfumato.anonymize(tables(), {**POLICY, "tables": {**POLICY["tables"], "stays": stays}})
    assert "other" in release.tables["stays"].dictionary("ward").values


def test_nobody_needs_to_have_rows(tmp_path: Path) -> None:
    asked = {
        "shape": "database",
        "person": "p",
        "tables": {
            "p": {"key": "id", "columns": {"sex": {"role": "quasi-identifier"}}},
            "v": {
                "references": {"who": "p"},
                "columns": {"ward": {"role": "quasi-identifier"}, "diagnosis": {"role": "sensitive"}},
            },
        },
        "requirements": [{"id": "multir-k-anonymity", "k": 2}],
    }
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "p.csv").write_text("id,sex\n1,f\n2,f\n3,m\n4,m\n")
    for rows in ("", "1,A,flu\n"):  # the only row has no partner and is left out
        (folder / "v.csv").write_text(f"who,ward,diagnosis\n{rows}")
        release = sfumato.anonymize(str(folder), asked)
        assert (release.tables["v"].rows, release.verdict.verdicts[0].strongest) == (0, 2)
    sfumato.publish(release, tmp_path / "out")
    assert sfumato.verify(tmp_path / "out" / "public")
    (folder / "p.csv").write_text("id,sex\n")
    with pytest.raises(BadRequest, match="no rows"):
        sfumato.anonymize(str(folder), asked)
    with pytest.raises(BadRequest, match="one table: give a folder"):
        sfumato.anonymize(str(folder / "v.csv"), asked)
