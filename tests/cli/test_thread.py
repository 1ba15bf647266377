"""The whole thread from the command line: profile, init, anonymize, verify, check, apply, demo."""

from __future__ import annotations

import csv
import json
import os
import pty
import select
import signal
import subprocess
import time
from pathlib import Path

import pytest

from sfumato.datasets import hospital

from .conftest import SFUMATO, Run


def test_from_a_csv_to_a_verified_release(run_apart: Run, run: Run, good: Path) -> None:
    done = run_apart("anonymize", "data.csv", "--policy", "policy.yaml", "-o", "out")
    assert done.returncode == 0, done.stderr
    assert "holds: k-anonymity (k=3)" in done.stdout
    public = {path.name for path in (good / "out" / "public").iterdir()}
    private = {path.name for path in (good / "out" / "private").iterdir()}
    assert public == {"data.csv", "schema.json", "certificate.json", "report.html"}
    kept = {"recoding.json", "policy.yaml", "trace.json", "run.json", "report.html"}
    assert private == kept | {"audit.json", "before.json", "utility.json"}
    with (good / "out" / "public" / "data.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 60
    assert list(rows[0]) == ["age", "job", "class"]
    assert rows == sorted(rows, key=lambda row: (row["age"], row["job"], row["class"]))
    certificate = json.loads((good / "out" / "public" / "certificate.json").read_text())
    assert certificate["requirements"][0]["measured"] >= 3
    assert "seed" not in json.dumps(certificate)
    verified = run_apart("verify", "out")
    assert verified.returncode == 0
    assert "verified: 60 rows" in verified.stdout
    assert run("verify", "out/public").returncode == 0


@pytest.mark.parametrize("name", ["data.csv", "schema.json", "certificate.json"])
def test_any_changed_byte_fails_verification(run: Run, good: Path, name: str) -> None:
    assert run("anonymize", "data.csv", "--policy", "policy.yaml", "-o", "out", "-q").returncode == 0
    path = good / "out" / "public" / name
    original = path.read_bytes()
    for changed in (original + b"\n", original[:40] + bytes([original[40] ^ 1]) + original[41:], original[:-1]):
        path.write_bytes(changed)
        done = run("verify", "out")
        assert done.returncode == 2
        assert done.stderr.startswith("error: ")
    path.write_bytes(original)
    assert run("verify", "out").returncode == 0


def test_check_answers_with_its_exit_code_and_shows_no_value(run: Run, good: Path) -> None:
    done = run("check", "data.csv", "--policy", "policy.yaml")
    assert done.returncode == 1
    assert "FAILS" in done.stdout
    assert "shared by" in done.stdout
    assert "nurse" not in done.stdout
    machine = run("check", "data.csv", "--policy", "policy.yaml", "--json")
    assert json.loads(machine.stdout)["satisfied"] is False
    assert "nurse" not in machine.stdout
    (good / "policy.yaml").write_text((good / "policy.yaml").read_text().replace("k: 3", "k: 1"))
    assert run("check", "data.csv", "--policy", "policy.yaml").returncode == 0


def test_check_takes_a_release_that_lost_its_identifiers(run: Run, good: Path) -> None:
    assert run("anonymize", "data.csv", "--policy", "policy.yaml", "-o", "out", "-q").returncode == 0
    (good / "policy.yaml").write_text(
        (good / "policy.yaml").read_text().replace(", hierarchy: {id: taxonomy, tree: {ANY: [cook, nurse, clerk]}}", "")
    )
    assert run("check", "out/public/data.csv", "--policy", "policy.yaml").returncode == 0


def test_apply_recounts_other_data(run: Run, good: Path) -> None:
    assert run("anonymize", "data.csv", "--policy", "policy.yaml", "-o", "out", "-q").returncode == 0
    same = run("apply", "out", "data.csv", "-o", "same.csv")
    assert same.returncode == 0
    assert (good / "same.csv").read_bytes() == (good / "out" / "public" / "data.csv").read_bytes()
    (good / "later.csv").write_text("id,age,job,class\n1,99,cook,y\n")
    later = run("apply", "out", "later.csv", "-o", "later_out.csv")
    assert later.returncode == 1
    assert "do not publish" in later.stdout
    assert "'age': 1 record holds values that are new" in later.stdout
    refused = run("apply", "out", "later.csv", "-o", "refused.csv", "--unknown", "refuse")
    assert refused.returncode == 2
    assert not (good / "refused.csv").exists()


def test_init_drafts_a_policy_that_runs(run: Run, tmp_path: Path) -> None:
    hospital(400, seed=3).write_csv(tmp_path / "h.csv")
    shown = run("profile", "h.csv")
    assert shown.returncode == 0
    assert "suggested role" in shown.stdout
    assert run("init", "h.csv", "-o", "p.yaml").returncode == 0
    text = (tmp_path / "p.yaml").read_text()
    assert "# " in text
    done = run("anonymize", "h.csv", "--policy", "p.yaml", "-o", "out")
    assert done.returncode == 0, done.stderr
    assert run("init", "h.csv", "-o", "p.yaml").returncode == 5


def test_init_handles_missing_values(run: Run, tmp_path: Path) -> None:
    rows = "".join(
        f"{20 + i % 5 if i % 10 else ''},{'a' if i % 3 else ''},{'x' if i % 2 else 'y'}\n" for i in range(80)
    )
    (tmp_path / "d.csv").write_text("age,city,label\n" + rows)
    assert run("init", "d.csv", "-o", "p.yaml").returncode == 0
    done = run("anonymize", "d.csv", "--policy", "p.yaml", "-o", "out")
    assert done.returncode == 0, done.stderr
    assert "80 of 80 records published" in done.stdout


def test_describe_lists_and_explains(run: Run) -> None:
    listed = run("describe")
    assert listed.returncode == 0
    for name in ("k-anonymity", "tdr", "igpl", "taxonomy", "loss", "value-suppression"):
        assert name in listed.stdout
    one = run("describe", "k-anonymity").stdout
    for word in ("adversary", "parameters", "closed_under_merge", "Samarati"):
        assert word in one


def test_schema_is_json_schema(run: Run) -> None:
    document = json.loads(run("schema").stdout)
    assert "requirements" in document["properties"]


def test_datasets(run: Run, tmp_path: Path) -> None:
    assert "hospital" in run("datasets").stdout
    assert run("datasets", "hospital", "--rows", "12", "-o", "h.csv").returncode == 0
    assert len((tmp_path / "h.csv").read_text().splitlines()) == 13
    words = ("datasets", "hospital-months", "--rows", "20", "--months", "2", "--leaves", "0.5", "--joins", "0")
    assert json.loads(run(*words, "--json").stdout)["files"] == {"2025-01.csv": 20, "2025-02.csv": 10}
    assert len((tmp_path / "hospital-months" / "2025-02.csv").read_text().splitlines()) == 11
    assert run(*words).returncode == 5


def test_demo(run: Run, tmp_path: Path) -> None:
    done = run("demo", "--out", "here")
    assert done.returncode == 0, done.stderr
    assert "report.html" in done.stdout
    assert run("verify", "here/release").returncode == 0


@pytest.mark.slow
def test_ctrl_c_during_the_search_leaves_nothing_or_the_best_valid_state(tmp_path: Path) -> None:
    """A real terminal, a real interrupt: the answer to the question decides."""
    hospital(100_000, seed=5).write_csv(tmp_path / "h.csv")
    policy = """\
columns:
  patient_id: {role: identifier}
  name: {role: identifier}
  birth_date: {role: quasi-identifier, hierarchy: {id: dates}}
  sex: {role: quasi-identifier}
  zip: {role: quasi-identifier}
  admission_date: {role: plain}
  department: {role: quasi-identifier}
  occupation: {role: quasi-identifier}
  insurance: {role: quasi-identifier}
  bmi: {role: quasi-identifier}
  diagnosis: {role: quasi-identifier}
  readmitted: {role: target}
requirements:
  - {id: k-anonymity, k: 2, qid: [sex, zip]}
  - {id: k-anonymity, k: 2, qid: [bmi, department]}
  - {id: k-anonymity, k: 2, qid: [birth_date, insurance]}
  - {id: k-anonymity, k: 2, qid: [occupation, diagnosis]}
"""
    (tmp_path / "p.yaml").write_text(policy)
    assert _interrupted(tmp_path, "no", answer=b"n\n") == 130
    assert not (tmp_path / "no").exists()
    assert not [path for path in tmp_path.iterdir() if "unverified" in path.name]
    assert _interrupted(tmp_path, "yes", answer=b"y\n") == 0
    certificate = json.loads((tmp_path / "yes" / "public" / "certificate.json").read_text())
    assert certificate["algorithm"]["stopped"] == "interrupted"
    assert all(entry["satisfied"] for entry in certificate["requirements"])


def _interrupted(folder: Path, out: str, answer: bytes) -> int:
    """Run in a pseudo-terminal, interrupt once the search has taken a step, answer the question, return the exit code."""
    leader, follower = pty.openpty()
    command = [*SFUMATO, "anonymize", "h.csv", "--policy", "p.yaml", "-o", out]
    process = subprocess.Popen(
        command,
        cwd=folder,
        stdin=follower,
        stdout=follower,
        stderr=follower,
        close_fds=True,
        env={**os.environ, "COLUMNS": "100", "TERM": "xterm"},
    )
    os.close(follower)
    seen, sent, answered, end = b"", False, False, time.monotonic() + 120
    while process.poll() is None and time.monotonic() < end:
        if select.select([leader], [], [], 0.02)[0]:
            try:
                seen += os.read(leader, 65536)
            except OSError:
                break
        if b" groups" in seen and not sent:
            process.send_signal(signal.SIGINT)
            sent = True
        if b"publish the valid state" in seen and not answered:
            os.write(leader, answer)
            answered = True
    code = process.wait(timeout=30)
    os.close(leader)
    assert answered, seen[-2000:]
    return code
