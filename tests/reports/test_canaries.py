"""No identifier and no value of a single person is on a page, in a public file, in what an audit wrote, or on the terminal."""

from __future__ import annotations

import sys
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

import sfumato
from sfumato.cli.main import run as main
from sfumato.tables.policy import Policy

# One person with values that nobody else has, in columns of every type.
CANARIES = {
    "name": "Wilhelmina Canaryfeather",
    "number": "PID-7739148-QX",
    "steps": "48271",
    "height": "173.8125",
    "born": "1871-03-17",
    "zip": "ZQ9X7",
    "town": "Canaryholm",
}
COMMON = ["Ashford", "Birchley", "Cedarham"]
# Hierarchies and the learned recoding hold the raw values they stand for: they are private, and say so. So is the trace.
HOLDERS = ("recoding.json", "policy.yaml", "trace.json")


def rows() -> list[list[Any]]:
    out: list[list[Any]] = []
    for i in range(240):
        born = date(1950, 1, 1) + timedelta(days=97 * (i % 120))
        out.append(
            [
                f"Person {i:03}",
                f"PID-{1000 + i}",
                1000 + 40 * (i % 60),
                150 + (i % 50) / 2,
                born.isoformat(),
                f"{'ABC'[i % 3]}{i % 4}{i % 7}00",
                COMMON[i % 3],
                "flu" if i % 4 else "ulcer",
                "yn"[i % 2],
            ]
        )
    mine = [CANARIES[name] for name in ("name", "number", "steps", "height", "born", "zip", "town")]
    return [*out, [*mine, "flu", "y"]]


def policy(algorithm: dict[str, Any]) -> dict[str, Any]:
    towns = {"ANY": [{"Valley": ["Ashford", "Birchley"]}, {"Coast": ["Cedarham", CANARIES["town"]]}]}
    hierarchies = {
        "steps": {"id": "intervals", "lower": 0, "upper": 64000, "width": 500},
        "height": {"id": "intervals", "lower": 100, "upper": 228, "width": 2},
        "born": {"id": "dates"},
        "zip": {"id": "redaction"},
        "town": {"id": "taxonomy", "tree": towns},
    }
    return {
        "title": "Walks",
        "columns": {
            "name": {"role": "identifier"},
            "number": {"role": "identifier"},
            **{name: {"role": "quasi-identifier", "hierarchy": spec} for name, spec in hierarchies.items()},
            "illness": {"role": "sensitive"},
            "smokes": {"role": "target"},
        },
        "requirements": [{"id": "k-anonymity", "k": 5}],
        "limits": {"suppress_at_most": 0.05} if algorithm["id"] == "optimal" else {},
        "algorithm": algorithm,
    }


def command(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> None:
    """Run the command line in this process, which is quicker; what it says is captured."""
    monkeypatch.setattr(sys, "argv", ["sfumato", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code


def search(where: str, text: str) -> None:
    for column, value in CANARIES.items():
        assert value not in text, f"{where} holds the {column} of a single person"


@pytest.mark.parametrize("algorithm", [{"id": "tdr"}, {"id": "optimal"}], ids=lambda spec: spec["id"])
def test_nothing_of_a_single_person_gets_out(
    algorithm: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("DEBUG")
    header = ["name", "number", "steps", "height", "born", "zip", "town", "illness", "smokes"]
    lines = [",".join(map(str, row)) for row in [header, *rows()]]
    (tmp_path / "walks.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (tmp_path / "policy.yaml").write_text(Policy.of(policy(algorithm)).to_yaml(), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    command(monkeypatch, "anonymize", "walks.csv", "--policy", "policy.yaml", "--out", "out")
    command(monkeypatch, "verify", "out")
    command(monkeypatch, "audit", "out", "--raw", "walks.csv", "--write", "found.json")
    command(monkeypatch, "report", "out", "--raw", "walks.csv", "--out", "full.html")
    command(monkeypatch, "report", "out", "--edition", "public", "--out", "public.html")
    heard = capfd.readouterr()
    said = heard.out + heard.err + caplog.text
    assert "holds: k-anonymity" in said
    search("the terminal", said)
    out = tmp_path / "out"
    files = [path for path in out.rglob("*") if path.is_file() and path.name not in HOLDERS]
    names = {path.relative_to(out).as_posix() for path in files}
    assert {"public/report.html", "private/report.html", "private/audit.json", "private/before.json"} <= names
    for path in [*files, tmp_path / "full.html", tmp_path / "public.html", tmp_path / "found.json"]:
        search(path.name, path.read_text(encoding="utf-8"))
    # The search would find them: they are in the input, and in the hierarchies.
    assert all(value in (tmp_path / "walks.csv").read_text() for value in CANARIES.values())
    assert CANARIES["town"] in (out / "private" / "policy.yaml").read_text()


def test_an_error_about_one_value_tells_nothing_else_of_its_owner() -> None:
    """A value that a hierarchy lacks is named, for somebody has to add it; no other value of that person is."""
    asked = policy({"id": "tdr"})
    asked["columns"]["town"]["hierarchy"]["tree"] = {"ANY": [*COMMON, "Elsewhere"]}
    table = sfumato.from_rows(
        ["name", "number", "steps", "height", "born", "zip", "town", "illness", "smokes"],
        [(*row[:2], int(row[2]), float(row[3]), *row[4:]) for row in rows()],
    )
    with pytest.raises(sfumato.SfumatoError) as error:
        sfumato.anonymize(table, asked)
    for column in ("name", "number", "steps", "height", "born", "zip"):
        assert CANARIES[column] not in str(error.value)


def test_a_label_that_only_left_out_records_carry_is_nowhere(tmp_path: Path) -> None:
    """Recodings know the labels of all values; those of people who were left out must not be told."""
    rows = [("Ashford",)] * 6 + [("Birchley",)] * 6 + [("Cedarham",)] * 3 + [("Dunmere",)] * 3 + [("Canaryholm",)]
    tree = {
        "ANY": [
            {"Valley": ["Ashford", "Birchley"]},
            {"Coast": ["Cedarham", "Dunmere"]},
            {"Canary Isle": ["Canaryholm"]},
        ]
    }
    for level in (0, 1):
        policy = {
            "columns": {"town": {"role": "quasi-identifier", "hierarchy": {"id": "taxonomy", "tree": tree}}},
            "requirements": [{"id": "k-anonymity", "k": 3}],
            "limits": {"suppress_at_most": 0.1},
            "algorithm": {"id": "optimal", "levels": {"town": level}},
        }
        release = sfumato.anonymize(sfumato.from_rows(["town"], rows), policy)
        out = sfumato.publish(release, tmp_path / str(level))
        told = "".join(path.read_text(encoding="utf-8") for path in (out / "public").iterdir())
        told += (out / "private" / "report.html").read_text(encoding="utf-8")
        assert "Canary" not in told
        assert ("Ashford" if level == 0 else "Valley") in told
