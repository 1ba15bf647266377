"""``sfumato detect``: shares and reasons, never a value; the exit code answers the Safe Harbor question."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]

PEOPLE = "contact,zip,age,note\n" + "".join(
    f"canary{i}@example.org,{90210 + i},{20 + i},call (212) 555-01{i:02} or not\n" for i in range(30)
)
MASKED = "zip,born,age\n902**,1980-1989,[30-40)\n100**,1990-1999,90+\n"


@pytest.fixture
def people(tmp_path: Path) -> Path:
    (tmp_path / "people.csv").write_text(PEOPLE)
    (tmp_path / "masked.csv").write_text(MASKED)
    return tmp_path


def test_a_table_without_values(run: Run, people: Path) -> None:
    done = run("detect", "people.csv")
    assert done.returncode == 0, done.stderr
    for word in ("contact", "email", "us-zip", "phone", "quasi-identifier", "100.0%"):
        assert word in done.stdout
    for secret in ("canary", "90215", "555-01"):
        assert secret not in done.stdout


def test_json(run: Run, people: Path) -> None:
    done = run("detect", "people.csv", "--json", "--columns", "contact,zip")
    found = json.loads(done.stdout)
    assert [(one["column"], one["identifier"], one["category"]) for one in found] == [
        ("contact", "email", "F"),
        ("zip", "us-zip", "B"),
    ]
    assert found[0]["role"] == "identifier"
    assert found[0]["records"] == 1.0
    assert "canary" not in done.stdout


def test_countries(run: Run, people: Path) -> None:
    (people / "numbers.csv").write_text("x\n" + "".join(f"219-09-{i:04}\n" for i in range(1, 30)))
    assert "us-ssn" in run("detect", "numbers.csv", "--country", "US,DE").stdout
    assert "us-ssn" not in run("detect", "numbers.csv", "--country", "DE").stdout


def test_safe_harbor_says_no(run: Run, people: Path) -> None:
    done = run("detect", "people.csv", "--safe-harbor", "--year", "2026")
    assert done.returncode == 1, done.stderr
    assert "found in 3 of 18 categories" in done.stdout
    assert "canary" not in done.stdout


def test_safe_harbor_finds_nothing(run: Run, people: Path) -> None:
    done = run("detect", "masked.csv", "--safe-harbor", "--year", "2026")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "nothing was found" in done.stdout
    assert "cannot be seen" in done.stdout
    answer = json.loads(run("detect", "masked.csv", "--safe-harbor", "--json").stdout)
    assert answer["nothing_found"] is True
    assert [one["category"] for one in answer["categories"]] == list("ABCDEFGHIJKLMNOPQR")


def test_nothing_recognised(run: Run, people: Path) -> None:
    done = run("detect", "masked.csv")
    assert done.returncode == 0, done.stderr
    assert "no identifier was recognised" in done.stdout


def test_bad_requests(run: Run, people: Path) -> None:
    for arguments, said in (
        (("people.csv", "--country", "XX"), "countries"),
        (("people.csv", "--columns", "shoe"), "shoe"),
        (("people.csv", "--year", "2026"), "--year"),
        (("people.csv", "--safe-harbor", "--country", "US"), "--safe-harbor"),
        (("nowhere.csv",), "nowhere.csv"),
    ):
        done = run("detect", *arguments)
        assert done.returncode == 2, done.stderr
        assert said in done.stderr
        assert len(done.stderr.strip().splitlines()) == 1
