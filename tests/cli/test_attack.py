"""``sfumato attack``: counts by default, names only when asked, nothing written."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def files(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_counts_without_names(run: Run, published: Path) -> None:
    before = files(published)
    done = run("attack", "out", "--external", "people.csv", "--name-column", "name", "--before", "people.csv")
    assert done.returncode == 0, done.stderr
    assert "linked by age, job" in done.stdout
    assert "record disclosures" in done.stdout
    assert "person" not in done.stdout.replace("persons", "")
    assert files(published) == before


def test_names_on_demand(run: Run, published: Path) -> None:
    done = run(
        "attack",
        "out",
        *("--with", "breach-probability"),
        *("--external", "people.csv", "--name-column", "name", "--show-persons"),
    )
    assert done.returncode == 0, done.stderr
    assert "person7: " in done.stdout
    assert "stay in the house" in done.stderr


def test_json(run: Run, published: Path) -> None:
    done = run("attack", "out", "--external", "people.csv", "--name-column", "name", "--before", "people.csv", "--json")
    answer = json.loads(done.stdout)
    assert answer["attack"] == "linking-attack"
    assert answer["linked_by"] == ["age", "job"]
    assert answer["release"]["persons"] == answer["before"]["persons"] == 60
    assert answer["release"]["least_matching_rows"] >= 5
    assert answer["before"]["least_matching_rows"] < 5
    assert "persons" not in answer


def test_bad_requests(run: Run, published: Path) -> None:
    for arguments, said in (
        (("--name-column", "nobody"), "names its persons"),
        (("--name-column", "name", "--with", "no-such"), "is not a known attack"),
        (("--name-column", "name", "--with", "linking-attack loud"), "--with"),
        (("--name-column", "name", "--qid", "shoe"), "shoe"),
    ):
        done = run("attack", "out", "--external", "people.csv", *arguments)
        assert done.returncode == 2, done.stderr
        assert said in done.stderr
        assert len(done.stderr.strip().splitlines()) == 1
