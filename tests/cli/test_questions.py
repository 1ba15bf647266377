"""``sfumato questions``: a table of answers, JSON, refusals in one line; no value of anybody is printed."""

from __future__ import annotations

import json
from pathlib import Path

from .conftest import Run


def test_three_answers_in_a_table(run: Run, good: Path) -> None:
    done = run("questions", "data.csv", "--policy", "policy.yaml")
    assert done.returncode == 0, done.stderr
    assert "30 records released, 30 held out as the control group; seed 0" in done.stdout
    assert "an outsider knows age, job and wants class" in done.stdout
    lines = done.stdout.splitlines()
    for question in ("Can a person be singled out?", "Can two sets of facts", "Can a sensitive value be inferred?"):
        (line,) = [line for line in lines if line.startswith(question)]
        assert " of 30 (" in line
        assert line.rstrip().endswith(("yes", "no", "undecided"))
    assert "which leaves a risk of" in done.stdout
    assert not any(secret in done.stdout for secret in ("cook", "nurse", "clerk"))


def test_json_and_parameters(run: Run, good: Path) -> None:
    asked = ("questions", "data.csv", "-p", "policy.yaml", "--json")
    done = run(*asked, "--aux", "age", "--attempts", "10", "--repetitions", "2", "--seed", "5", "--negligible", "0.5")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["aux"], told["sensitive"], told["seed"], told["repetitions"]) == (["age"], "class", 5, 2)
    singling, linking, inferring = told["questions"]
    assert singling["release_attempts"] == 20
    assert linking["answer"] == "not asked"
    assert inferring["negligible"] == 0.5
    assert 0 <= inferring["risk_low"] <= inferring["risk"] <= inferring["risk_high"] <= 1


def test_what_cannot_be_asked_is_told(run: Run, good: Path) -> None:
    done = run("questions", "data.csv", "-p", "policy.yaml", "--aux", "job")
    assert done.returncode == 0, done.stderr
    assert "Not asked: " in done.stdout


def test_wrong_requests_end_in_one_line(run: Run, good: Path) -> None:
    for option, value, word in (
        ("--aux", "nose", "aux"),
        ("--sensitive", "id", "sensitive"),
        ("--control", "1.5", "control"),
        ("--confidence", "1", "confidence"),
    ):
        done = run("questions", "data.csv", "-p", "policy.yaml", option, value)
        assert done.returncode == 2, done.stderr
        assert word in done.stderr
        assert len(done.stderr.strip().splitlines()) == 1


def test_too_few_records_for_the_policy(run: Run, good: Path) -> None:
    done = run("questions", "data.csv", "-p", "policy.yaml", "--control", "0.98")
    assert done.returncode == 3, done.stderr
