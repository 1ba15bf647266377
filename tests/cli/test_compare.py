"""``sfumato compare`` as a user runs it: the table, JSON, the picture, the best policy, and one-line refusals."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

from .conftest import Run


def test_algorithms_stand_side_by_side_and_the_best_is_published(run: Run, good: Path) -> None:
    done = run(
        *("compare", "data.csv", "-p", "policy.yaml", "-a", "tdr,mondrian,optimal", "-a", "mondrian strict=true"),
        *("--k", "3", "--picture", "risk.svg", "--html", "risk.html", "--write-policy", "best.yaml"),
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].split()[:3] == ["algorithm", "k", "k-anonymity"]
    assert [line.split()[0] for line in lines[1:4]] == ["tdr", "mondrian", "mondrian"]
    assert sum(line.rstrip().endswith("best") for line in lines) == 1
    assert "nothing: optimal (k = 3): " in done.stdout  # a number without hierarchy has no levels
    ET.fromstring((good / "risk.svg").read_text(encoding="utf-8"))
    page = (good / "risk.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert "<svg" in page
    assert "Best at k = 3: " in page
    assert "http" not in page.replace("http-equiv", "")
    assert "exists already" in run("compare", "data.csv", "-p", "policy.yaml", "--html", "risk.html").stderr
    published = run("anonymize", "data.csv", "-p", "best.yaml", "-o", "release")
    assert published.returncode == 0, published.stderr


def test_json_has_every_row(run: Run, good: Path) -> None:
    done = run("compare", "data.csv", "-p", "policy.yaml", "--algorithms", "tdr,mpalm", "--k", "2,5", "--json")
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["rows"]
    assert [(row["algorithm"], row["k"], row["reason"] is None) for row in rows] == [
        ("tdr", 2, True),
        ("mpalm", 2, False),
        ("tdr", 5, True),
        ("mpalm", 5, False),
    ]


def test_what_is_wrong_is_said_in_a_line(run: Run, good: Path) -> None:
    done = run("compare", "data.csv", "-p", "policy.yaml", "-a", "tdr", "--k", "2,5", "--write-policy", "best.yaml")
    assert (done.returncode, done.stdout) == (2, "")
    assert "give one k" in done.stderr
    done = run("compare", "data.csv", "-p", "policy.yaml", "-a", "tdr", "--k", "100")
    assert done.returncode == 3
    assert "nothing: tdr (k = 100): " in done.stdout
    done = run("compare", "data.csv", "-p", "policy.yaml", "-a", "tdr", "--k", "two")
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
