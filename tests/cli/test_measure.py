"""``sfumato measure`` as a user runs it: on a release folder, on a released file, with chosen metrics."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from command_line import sfumato_in

Run = Callable[..., "subprocess.CompletedProcess[str]"]

DATA = "id,age,job,class\n" + "".join(
    f"{i},{20 + i % 7},{('cook', 'nurse', 'clerk')[i % 3]},{('y', 'n')[i % 2]}\n" for i in range(60)
)
POLICY = """\
version: 1
columns:
  id: {role: identifier}
  age: {role: quasi-identifier}
  job: {role: quasi-identifier, hierarchy: {id: taxonomy, tree: {ANY: [cook, {care: [nurse, clerk]}]}}}
  class: {role: target}
requirements:
  - {id: k-anonymity, k: 3}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made: Path = tmp_path_factory.mktemp("measure")
    (made / "data.csv").write_text(DATA)
    (made / "policy.yaml").write_text(POLICY)
    return made


@pytest.fixture(scope="module")
def run(folder: Path) -> Run:
    """Return a function that runs ``sfumato ...`` beside a release."""
    call = partial(sfumato_in, folder)
    assert call("anonymize", "data.csv", "--policy", "policy.yaml", "-o", "out", "-q").returncode == 0
    return call


def test_a_folder_and_its_file_measure_alike(run: Run) -> None:
    release = run("measure", "data.csv", "out", "--json")
    assert release.returncode == 0, release.stderr
    file = run("measure", "data.csv", "out/public/data.csv", "--policy", "policy.yaml", "--json")
    assert file.returncode == 0, file.stderr
    assert json.loads(file.stdout) == json.loads(release.stdout)
    found = {entry["metric"]: entry for entry in json.loads(release.stdout)["metrics"]}
    assert json.loads(release.stdout)["not_measured"] == {}
    assert set(found["loss"]["by_attribute"]) == {"age", "job"}
    assert 0 <= found["loss"]["normalised"] <= 1
    assert 0 < found["classification-metric"]["value"] < 1


def test_it_says_what_the_certificate_says(run: Run, folder: Path) -> None:
    certificate = json.loads((folder / "out" / "public" / "certificate.json").read_text())
    found = {
        entry["metric"]: entry for entry in json.loads(run("measure", "data.csv", "out", "--json").stdout)["metrics"]
    }
    assert certificate["metrics"]
    for entry in certificate["metrics"]:
        assert found[entry["metric"]]["value"] == pytest.approx(entry["value"])
        assert found[entry["metric"]]["by_attribute"] == pytest.approx(entry["by_column"])


def test_chosen_metrics_as_a_table(run: Run) -> None:
    done = run("measure", "data.csv", "out", "-m", "loss aggregate=sum", "-m", "discernibility")
    assert done.returncode == 0, done.stderr
    head, *rows = done.stdout.splitlines()
    assert head.split() == ["metric", "total", "normalised", "by", "attribute"]
    assert [row.split()[0] for row in rows] == ["loss", "discernibility"]
    assert "job " in rows[0]


def test_records_left_out_are_charged(run: Run, folder: Path) -> None:
    public = folder / "out" / "public" / "data.csv"
    lines = public.read_text().splitlines()
    (folder / "shorter.csv").write_text("\n".join(lines[:-5]) + "\n")
    whole, less = (
        json.loads(run("measure", "data.csv", name, "-p", "policy.yaml", "-m", "loss", "--json").stdout)["metrics"][0]
        for name in ("out/public/data.csv", "shorter.csv")
    )
    assert less["value"] > whole["value"]


def test_what_does_not_apply_is_said(run: Run) -> None:
    done = run("measure", "data.csv", "data.csv", "--qid", "age,job")
    assert done.returncode == 0, done.stderr
    assert "not measured: classification-metric needs a class" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["data.csv", "out", "-m", "nope"], "is not a known metric"),
        (["data.csv", "out", "-m", "loss sum"], "--metric: must be key=value"),
        (["data.csv", "out", "-m", "igpl"], "scores steps of a search"),
        (["data.csv", "out/public/data.csv"], "needs the columns that were masked"),
        (["data.csv", "out/public"], "give a whole release folder"),
        (["data.csv", "out/public/data.csv", "--qid", "age,job"], "no raw value of the column"),
        (["data.csv", "nowhere.csv", "--qid", "age"], "nowhere.csv"),
    ],
)
def test_wrong_requests_end_in_one_line(run: Run, arguments: list[str], words: str) -> None:
    done = run("measure", *arguments)
    assert done.returncode == 2, done.stdout + done.stderr
    assert done.stderr.startswith("error: ")
    assert len(done.stderr.splitlines()) == 1
    assert words in done.stderr
