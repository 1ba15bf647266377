"""A newcomer's first hour: a messy German export becomes a verified, useful release in five commands, none of which fails."""

from __future__ import annotations

import csv
import json
from pathlib import Path

from messy import clinic

from .conftest import Run


def test_a_messy_export_becomes_a_useful_release_in_five_commands(run: Run, tmp_path: Path) -> None:
    clinic(tmp_path)
    told = {}
    for command in (
        ("profile", "clinic.csv"),
        ("init", "clinic.csv", "-o", "policy.yaml"),
        ("anonymize", "clinic.csv", "--policy", "policy.yaml", "-o", "out"),
        ("verify", "out"),
        ("measure", "clinic.csv", "out", "--metric", "loss", "--json"),
    ):
        done = run(*command)
        assert done.returncode == 0, (command, done.stderr)
        told[command[0]] = done
    for note in (
        "read as cp1252",
        "3 lines above the header",
        "1 line below",
        "column_36 and Wert_2",
        "k.A.",
        "dd.mm.yyyy",
        "1.234,5",
    ):
        assert note in told["profile"].stderr
    judged = run("check", "out/public/data.csv", "--policy", "policy.yaml")
    assert judged.returncode == 0, judged.stderr
    assert run("check", "clinic.csv", "--policy", "policy.yaml").returncode == 1
    draft = (tmp_path / "policy.yaml").read_text(encoding="utf-8")
    assert "60 records are like another one in every column" in draft
    with (tmp_path / "out" / "public" / "data.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 3060
    assert len(rows[0]) >= 28
    known = ("Geschlecht", "Geb.datum", "PLZ", "Familienstand", "Aufnahmedatum", "Entlassdatum")
    assert all(len({row[name] for row in rows}) > 2 for name in known)
    assert not {"Vorname", "Nachname", "Telefon", "E-Mail", "Versichertennummer", "Bemerkung"} & rows[0].keys()
    public = "".join(path.read_text(encoding="utf-8") for path in (tmp_path / "out" / "public").iterdir())
    assert not any(word in public for word in ("Müller", "@example.org", "Hauptstraße"))
    assert json.loads(told["measure"].stdout)


def test_options_of_reading_are_the_same_on_every_command(run: Run, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_bytes("Titel\nOrt;Größe\nKöln;1,5\nKöln;1,50\nBonn;2\nBonn;-\n".encode("cp1252"))
    said = ("--encoding", "cp1252", "--skip-first", "1", "--missing", "-", "--written", "Größe=1234,5")
    done = run("check", "x.csv", "--require", "k-anonymity k=2", "--qid", "Ort", *said)
    assert done.returncode == 0, done.stderr
    done = run("tabulate", "x.csv", "--by", "Ort", "--min-size", "1", "-o", "out", *said)
    assert done.returncode == 0, done.stderr
    assert "Köln,2" in (tmp_path / "out" / "public" / "data.csv").read_text(encoding="utf-8")
    done = run("check", "x.csv", "--require", "k-anonymity k=2", "--qid", "Ort", "--written", "Größe")
    assert done.returncode == 2
    assert "must be COLUMN=FORMAT" in done.stderr
