"""``sfumato explore`` as a user runs it: the list, the drawings, the chosen policy that publishes, and one-line refusals."""

from __future__ import annotations

import json
import re
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from sfumato.cli.main import run as main

from .conftest import Run

DATA = "id,age,job,class\n" + "".join(
    f"{i},{20 + i % 7},{('cook', 'nurse', 'clerk')[i % 3]},{('y', 'n')[i % 2]}\n" for i in range(60)
)
POLICY = """\
columns:
  id: {role: identifier}
  age: {role: quasi-identifier, hierarchy: {id: intervals, lower: 0, upper: 80, width: 5, fan_out: [4]}}
  job: {role: quasi-identifier, hierarchy: {id: taxonomy, tree: {ANY: [{service: [cook, clerk]}, nurse]}}}
  class: {role: target}
requirements:
  - {id: k-anonymity, k: 3}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a table, and a policy whose columns all have levels."""
    (tmp_path / "data.csv").write_text(DATA)
    (tmp_path / "policy.yaml").write_text(POLICY)
    return tmp_path


def test_the_best_choices_are_listed_and_one_of_them_published(run: Run, folder: Path) -> None:
    done = run(
        *("explore", "data.csv", "-p", "policy.yaml", "--top", "3", "--lattice", "lattice.svg", "--curve", "curve.svg"),
        *("--json", "found.json", "--choose", "2", "--write-policy", "chosen.yaml"),
    )
    assert done.returncode == 0, done.stderr
    found = json.loads((folder / "found.json").read_text())
    assert len(found["solutions"]) == 3
    listed = re.findall(r"(?m)^(\d+) +(\d+) +(\d+) +(\S+) +0 +(\d+) +(\d+)", done.stdout)
    assert [int(row[0]) for row in listed] == [1, 2, 3]
    for row, solution in zip(listed, found["solutions"], strict=True):
        assert [int(level) for level in row[1:3]] == list(solution["levels"].values())
        assert float(row[3]) == pytest.approx(solution["score"], rel=1e-5)
        assert (int(row[4]), int(row[5])) == (solution["groups_kept"], solution["smallest_group"])
    assert "proven to be the lowest" in done.stdout
    assert "why the first choice is not finer:" in done.stdout
    assert re.search(r"job, level 0 of 2: It is published as it is\.|the reason is k-anonymity", done.stdout)
    assert "as the policy asks" in done.stdout
    assert "wrote chosen.yaml" in done.stdout
    for name in ("lattice.svg", "curve.svg"):
        ET.fromstring((folder / name).read_text(encoding="utf-8"))

    published = run("anonymize", "data.csv", "-p", "chosen.yaml", "-o", "release")
    assert published.returncode == 0, published.stderr
    assert "The policy chose these levels" in published.stdout
    kept = json.loads((folder / "release" / "public" / "certificate.json").read_text())
    second = found["solutions"][1]
    assert {entry["metric"]: entry["value"] for entry in kept["metrics"]}["loss"] == pytest.approx(second["score"])
    assert kept["counts"]["groups_on_all_quasi_identifiers"] == second["groups_kept"]
    page = (folder / "release" / "private" / "report.html").read_text(encoding="utf-8")
    assert "Why these levels" in page
    assert "The policy chose these levels" in page


def test_raw_values_stay_out_of_what_is_printed(run: Run, folder: Path) -> None:
    done = run("explore", "data.csv", "-p", "policy.yaml", "--all")
    assert done.returncode == 0
    assert not re.search(r"cook|nurse|clerk|service", done.stdout)
    assert "as the policy asks" not in done.stdout  # nobody asked for the curve
    assert not done.stderr


def test_metric_and_ks(run: Run, folder: Path) -> None:
    arguments = ("explore", "data.csv", "-p", "policy.yaml", "--ks", "3,30", "--json", "found.json", "--quiet")
    done = run(*arguments, "--metric", "loss aggregate=maximum")
    assert (done.returncode, done.stdout) == (0, "")
    found = json.loads((folder / "found.json").read_text())
    assert found["metric"] == {"id": "loss", "aggregate": "maximum"}
    assert [point["k"] for point in found["curve"]] == [3, 30]


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["--choose", "2"], 2, "--write-policy: is needed beside --choose"),
        (["--write-policy", "new.yaml"], 2, "--choose: is needed beside --write-policy"),
        (["--choose", "99", "--write-policy", "new.yaml"], 2, "--choose: there are"),
        (["--lattice", "data.csv"], 5, "--lattice: exists already"),
        (["--curve", "no/such/folder.svg"], 2, "--curve: cannot be written"),
        (["--ks", "2,x"], 2, "--ks: must be whole numbers"),
        (["--ks", "0"], 2, "ks: must be whole numbers of at least 1"),
        (["--metric", "los"], 2, "did you mean 'loss'"),
        (["--metric", "loss aggregate"], 2, "--metric: must be key=value"),
        (["--metric", "igpl"], 2, "scores steps of a search"),
    ],
)
def test_refusals_are_one_line(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    code: int,
    words: str,
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "argv", ["sfumato", "explore", "data.csv", "-p", "policy.yaml", *arguments])
    with pytest.raises(SystemExit) as ended:  # in this process, which is quicker
        main()
    assert ended.value.code == code
    said = capsys.readouterr().err
    assert words in said
    assert len(said.strip().splitlines()) == 1
    assert not (folder / "new.yaml").exists()


def test_no_choice_satisfies(run: Run, folder: Path) -> None:
    (folder / "policy.yaml").write_text(POLICY.replace("k: 3", "k: 61"))
    done = run("explore", "data.csv", "-p", "policy.yaml", "--lattice", "lattice.svg")
    assert done.returncode == 3
    assert not (folder / "lattice.svg").exists()
