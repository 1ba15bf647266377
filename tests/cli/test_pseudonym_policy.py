"""Pseudonyms from the command line: anonymize, verify, apply with a policy that names them, and the refusal without a key."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from .conftest import GOOD_DATA, GOOD_POLICY, Run

KEY = "kept in the safe: 7Qx2-91bL"
NAMED = GOOD_POLICY.replace("id: {role: identifier}", "id: {role: identifier, pseudonym: {length: 16}}")
DATA = "\n".join([GOOD_DATA.splitlines()[0], *(f"person-{line}" for line in GOOD_DATA.splitlines()[1:])]) + "\n"


@pytest.fixture
def named(good: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a table, a policy that names pseudonyms, and the key in its place."""
    (good / "data.csv").write_text(DATA)
    (good / "policy.yaml").write_text(NAMED)
    monkeypatch.setenv("SFUMATO_PSEUDONYM_KEY", KEY)
    return good


def ids(path: Path) -> list[str]:
    with path.open(encoding="utf-8") as file:
        return [row["id"] for row in csv.DictReader(file)]


def test_from_a_csv_to_a_verified_release_with_either_engine(run: Run, named: Path) -> None:
    for engine in ("polars", "duckdb"):
        if engine == "duckdb":
            pytest.importorskip("duckdb")
        done = run("anonymize", "data.csv", "--policy", "policy.yaml", "-o", engine, "--engine", engine)
        assert done.returncode == 0, done.stderr
        assert "holds: k-anonymity (k=3) on age, job:" in done.stdout
        assert "A pseudonym is not anonymity" in " ".join(done.stdout.split())
        verified = run("verify", engine, "--engine", engine)
        assert verified.returncode == 0, verified.stderr
        assert "holds: k-anonymity (k=3) on age, job:" in verified.stdout
        certificate = json.loads((named / engine / "public" / "certificate.json").read_text())
        assert certificate["pseudonyms"]["columns"] == ["id"]
        made = ids(named / engine / "public" / "data.csv")
        assert len(set(made)) == 60
        assert {len(name) for name in made} == {16}
        for path in (named / engine).rglob("*"):
            assert not path.is_file() or b"person-" not in path.read_bytes(), path.name
            assert not path.is_file() or KEY.encode() not in path.read_bytes(), path.name
    assert ids(named / "polars" / "public" / "data.csv") == ids(named / "duckdb" / "public" / "data.csv")


def test_apply_and_pseudonymize_give_the_same_names(run: Run, named: Path) -> None:
    assert run("anonymize", "data.csv", "--policy", "policy.yaml", "-o", "out", "-q").returncode == 0
    done = run("apply", "out", "data.csv", "--out", "again.csv")
    assert done.returncode == 0, done.stderr
    assert ids(named / "again.csv") == ids(named / "out" / "public" / "data.csv")
    done = run(
        "pseudonymize", "data.csv", "--columns", "id", "--key-variable", "SFUMATO_PSEUDONYM_KEY", "--out", "hand.csv"
    )
    assert done.returncode == 0, done.stderr
    assert {name[:16] for name in ids(named / "hand.csv")} == set(ids(named / "again.csv"))


def test_without_a_key_one_line_says_where_to_put_it(run: Run, named: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SFUMATO_PSEUDONYM_KEY")
    done = run("anonymize", "data.csv", "--policy", "policy.yaml", "-o", "out")
    assert done.returncode == 2
    (line,) = done.stderr.strip().splitlines()
    assert line.startswith("error: column 'id', pseudonym: there is no key for the pseudonyms")
    assert "the environment variable SFUMATO_PSEUDONYM_KEY is not set; put at least 16 random bytes there" in line
    assert not (named / "out").exists()


def test_a_wrong_entry_is_refused_with_its_line(run: Run, named: Path) -> None:
    (named / "policy.yaml").write_text(NAMED.replace("length: 16", f"key: '{KEY}'"))
    done = run("anonymize", "data.csv", "--policy", "policy.yaml", "-o", "out")
    assert done.returncode == 2
    assert done.stderr.startswith(
        "error: policy.yaml, line 3: column 'id', pseudonym.key: a key never stands in a policy"
    )
    assert KEY not in done.stderr


def test_the_schema_and_the_description(run: Run) -> None:
    assert "pseudonym" in json.loads(run("schema").stdout)["$defs"]["ColumnPolicy"]["properties"]
    described = run("describe", "pseudonymization").stdout
    assert "A pseudonym is not anonymity" in described
    assert "pseudonym: true" in described
