"""``sfumato ledger`` and ``anonymize --ledger``: the whole thread, and what is refused."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner

from nursery import ran
from sfumato.cli import commands  # noqa: F401  (importing registers the commands)
from sfumato.cli.main import app
from sfumato.errors import SfumatoError, Taken
from sfumato.ledger.ledger import Ledger

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def test_the_thread(good: Path, run: Run) -> None:
    made = run("ledger", "init", "people.ledger", "--json")
    assert len(json.loads(made.stdout)["origin"]) == 32, made.stderr
    kept = ["--ledger", "people.ledger", "--series", "patients"]
    for name, words in (("march", "release 1 of patients, entry 2"), ("april", "release 2 of patients, entry 5")):
        done = run("anonymize", "data.csv", "--policy", "policy.yaml", "--out", name, *kept)
        assert done.returncode == 0, done.stderr
        assert f"recorded: {words} of the ledger" in done.stdout
    assert "was not compared with the releases before it" in done.stdout
    assert "release 2 of patients: ledger " in run("verify", "april").stdout

    listed = run("ledger", "list", "people.ledger", "--series", "patients").stdout.splitlines()
    assert [line.split()[3] for line in listed] == ["reserved", "prepared", "released"] * 2
    entries = json.loads(run("ledger", "list", "people.ledger", "--json").stdout)
    assert [entry["number"] for entry in entries] == list(range(1, 8))
    whole = json.loads(run("ledger", "show", "people.ledger", "--json").stdout)
    assert (whole["size"], whole["series"]) == (7, {"patients": 2})
    one = run("ledger", "show", "people.ledger", "2").stdout
    assert "kind: reserved" in one
    assert 'body: {"kind": "place"' in one
    assert "march" not in one, "bodies are private"
    assert run("ledger", "show", "people.ledger", "99").returncode == 2

    seen = run("ledger", "verify", "people.ledger", "--against", "march", "--against", "april/public/certificate.json")
    assert seen.returncode == 0, seen.stdout
    assert "march: agrees at entry 2; the ledger is longer by 5 entries" in seen.stdout
    told = json.loads(run("ledger", "verify", "people.ledger", "--against", "march", "--json").stdout)
    assert (told["verified"], told["size"], told["witnesses"][0]["standing"]) == (True, 7, "longer")
    exported = run("ledger", "export", "people.ledger").stdout.splitlines()
    assert json.loads(exported[-1])["head"] == whole["head"]
    assert run("ledger", "export", "people.ledger", "--out", "ledger.jsonl").returncode == 0
    assert (good / "ledger.jsonl").read_text().splitlines() == exported

    with closing(sqlite3.connect(good / "people.ledger")) as other, other:  # the end is cut off, and nothing else
        for (name,) in other.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            other.execute(f"DROP TRIGGER {name}")
        for table in ("entries", "bodies"):
            other.execute(f"DELETE FROM {table} WHERE number > 4")
    cut = run("ledger", "verify", "people.ledger", "--against", "april")
    assert cut.returncode == 1
    assert "april: the ledger is shorter: it ends at entry 4, and the certificate saw 5" in cut.stdout


def test_a_witness_does_not_agree_with_a_chain_that_is_broken_before_it(good: Path, run: Run) -> None:
    kept = ["--ledger", "people.ledger", "--series", "patients", "--quiet"]
    assert run("ledger", "init", "people.ledger").returncode == 0
    for out in ("march", "april"):
        assert run("anonymize", "data.csv", "--policy", "policy.yaml", "--out", out, *kept).returncode == 0
    with closing(sqlite3.connect(good / "people.ledger")) as other, other:  # one entry is changed, its head stays
        for (name,) in other.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            other.execute(f"DROP TRIGGER {name}")
        other.execute("UPDATE entries SET at = at + 1 WHERE number = 2")
    seen = run("ledger", "verify", "people.ledger", "--against", "april")
    assert seen.returncode == 1
    assert "mismatch at entry 2" in seen.stdout
    assert "agrees" not in seen.stdout
    assert "does not follow from the entries before it, from entry 2 on" in seen.stdout


def test_folders_from_before_and_what_is_refused(good: Path, run: Run) -> None:
    assert run("ledger", "init", "people.ledger", "--signature", "hmac-sha256").returncode == 0
    assert run("anonymize", "data.csv", "--policy", "policy.yaml", "--out", "old", "-q").returncode == 0
    added = run("ledger", "add", "people.ledger", "old", "--series", "patients")
    assert "recorded: release 1 of patients, entry 2" in added.stdout, added.stderr
    refused = {
        "exists already": run("ledger", "init", "people.ledger"),
        "is in the ledger already": run("ledger", "add", "people.ledger", "old", "--series", "patients"),
        "says nothing of a ledger": run("ledger", "verify", "people.ledger", "--against", "old"),
        "there is no ledger": run("ledger", "list", "nobody.ledger"),
        "series: is required with a ledger": run(
            "anonymize", "data.csv", "--policy", "policy.yaml", "--out", "new", "--ledger", "people.ledger"
        ),
        "make one with sfumato ledger init": run(
            *("anonymize", "data.csv", "--policy", "policy.yaml", "--out", "new"),
            *("--ledger", "nobody.ledger", "--series", "patients"),
        ),
    }
    for words, done in refused.items():
        assert words in done.stderr, done.stderr
        assert done.returncode not in (0, 1, 70), words
    shutil.copy(good / "data.csv", good / "old/public/data.csv")
    changed = run("ledger", "add", "people.ledger", "old", "--series", "others")
    assert "was changed after it was certified" in changed.stderr


def test_a_release_that_was_begun_is_settled(good: Path, run: Run) -> None:
    assert run("ledger", "init", "people.ledger").returncode == 0
    begun = (
        "import os, signal, sfumato; sfumato.Ledger('people.ledger').reserve('patients', 'march'); "
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    ran(begun, cwd=good)
    kept = ["--ledger", "people.ledger", "--series", "patients", "--quiet"]
    again = run("anonymize", "data.csv", "--policy", "policy.yaml", "--out", "march", *kept)
    assert again.returncode == 2
    assert "sfumato ledger verify --repair settles it" in again.stderr
    assert "was begun and not ended" in run("ledger", "verify", "people.ledger").stdout
    settled = run("ledger", "verify", "people.ledger", "--repair")
    assert "release 1 of patients (entry 2): cancelled" in settled.stdout
    assert run("anonymize", "data.csv", "--policy", "policy.yaml", "--out", "march", *kept).returncode == 0


ODD = [
    ["init"],
    ["init", ""],
    ["init", "."],
    ["init", "none/people.ledger"],
    ["init", "data.csv"],
    ["init", "new.ledger", "--signature", "rot13"],
    ["init", "new.ledger", "--key", "."],
    ["init", "new.ledger", "--key", "data.csv"],
    ["init", "postgresql://127.0.0.1:1/x"],
    ["init", "postgresql://127.0.0.1:1/x", "--key", "team.key"],
    ["init", "postgresql://me:hunter2@127.0.0.1:1/x#Bad Name", "--key", "people.ledger.key"],
    ["list", "data.csv"],
    ["list", "people.ledger", "--series", "\x1b[2J"],
    ["list", "people.ledger", "--key", "data.csv"],
    ["list", "people.ledger", "--key", "none.key"],
    ["show", "people.ledger", "x"],
    ["show", "people.ledger", "0"],
    ["show", "people.ledger", "-1"],
    ["show", "people.ledger", "99999999999999999999999"],
    ["add", "people.ledger", "none", "--series", "s"],
    ["add", "people.ledger", ".", "--series", "s"],
    ["add", "people.ledger", ".", "--series", ""],
    ["verify", "people.ledger", "--against", "none"],
    ["verify", "people.ledger", "--against", "data.csv"],
    ["verify", "people.ledger", "--against", "."],
    ["verify", "policy.yaml"],
    ["verify", "short.ledger"],
    ["export", "people.ledger", "--out", "data.csv"],
    ["export", "people.ledger", "--out", "none/deep.jsonl"],
]


@pytest.mark.parametrize("words", ODD, ids=" ".join)
def test_odd_requests_are_refused_in_words(good: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]) -> None:
    monkeypatch.chdir(good)
    Ledger.create("people.ledger").close()
    (good / "short.ledger").write_bytes((good / "people.ledger").read_bytes()[:5000])
    (good / "short.ledger").chmod(0o600)
    before = {path.name for path in good.iterdir()}
    done = CliRunner().invoke(app, ["ledger", *words])
    code = done.exception.exit_code if isinstance(done.exception, SfumatoError) else done.exit_code
    assert isinstance(done.exception, (SfumatoError, SystemExit, type(None))), repr(done.exception)
    assert code in (0, 2, 4, Taken.exit_code), done.output
    assert (code == 0) == (words[:1] == ["list"] and "--series" in words)
    assert "hunter2" not in f"{done.output}{done.exception}"
    assert {path.name for path in good.iterdir()} - before <= {"team.key"}
