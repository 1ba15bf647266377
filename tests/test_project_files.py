"""What stands beside the code agrees with it: versions, constraints, the workflow, decisions, the history of benchmarks."""

from __future__ import annotations

import csv
import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from ruamel.yaml import YAML

import sfumato

ROOT = Path(__file__).resolve().parents[1]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_one_version_everywhere() -> None:
    version = PROJECT["version"]
    assert sfumato.__version__ == version
    assert YAML(typ="safe").load(text("CITATION.cff"))["version"] == version
    newest = re.findall(r"(?m)^## (\S+) \((.+)\)$", text("CHANGELOG.md"))[0]
    assert newest[0] == version.partition(".dev")[0]
    assert (newest[1] == "unreleased") == (".dev" in version)


def test_constraints_fix_one_version_of_everything_that_is_asked_for() -> None:
    lines = [line for line in text("constraints.txt").splitlines() if not line.startswith("#")]
    assert [line for line in lines if not re.fullmatch(r"[\w.-]+==[\w.+!]+", line)] == []
    fixed = {canonicalize_name(name): version for name, version in (line.split("==") for line in lines)}
    extras = PROJECT["optional-dependencies"]
    asked = [
        Requirement(line) for line in [*PROJECT["dependencies"], *(one for some in extras.values() for one in some)]
    ]
    for requirement in asked:
        name = canonicalize_name(requirement.name)
        if name != "sfumato":
            assert requirement.specifier.contains(fixed[name]), name


def test_the_workflow_runs_every_python_that_is_promised() -> None:
    workflow = YAML(typ="safe").load(text(".github/workflows/test.yml"))
    pythons = workflow["jobs"]["test"]["strategy"]["matrix"]["python"]
    assert pythons == ["3.11", "3.12", "3.13", "3.14"]
    assert all(SpecifierSet(PROJECT["requires-python"]).contains(python) for python in pythons)
    assert {f"Programming Language :: Python :: {python}" for python in pythons} <= set(PROJECT["classifiers"])


def test_hooks_fetch_nothing() -> None:
    for repository in YAML(typ="safe").load(text(".pre-commit-config.yaml"))["repos"]:
        assert repository["repo"] == "local"
        assert all(hook["language"] == "system" for hook in repository["hooks"])


@pytest.mark.parametrize("path", sorted((ROOT / "docs/decisions").glob("*.md")), ids=lambda path: path.stem)
def test_a_decision_says_why_and_at_what_price(path: Path) -> None:
    number = int(path.name[:4])
    written = path.read_text(encoding="utf-8")
    assert written.startswith(f"# {number}. ")
    assert re.findall(r"(?m)^\*\*(\w+)\.\*\*", written) == ["Question", "Decision", "Why", "Price"]


def test_decisions_are_numbered_without_gaps() -> None:
    numbers = [int(path.name[:4]) for path in sorted((ROOT / "docs/decisions").glob("*.md"))]
    assert numbers == list(range(1, len(numbers) + 1))


def test_the_history_of_benchmarks_is_ratios_of_scripts_that_exist() -> None:
    with (ROOT / "benchmarks/history.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows
    for row in rows:
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", row["date"])
        assert re.fullmatch(r"[0-9a-f]{7,40}", row["commit"])
        assert (ROOT / "benchmarks" / f"{row['benchmark'].partition(':')[0]}.py").is_file(), row["benchmark"]
        if row["ours"] and row["peer"]:
            assert float(row["ours"]) / float(row["peer"]) == pytest.approx(float(row["ratio"]), rel=0.03)


def test_make_knows_its_targets() -> None:
    phony = re.findall(r"(?m)^\.PHONY: (.+)$", text("Makefile"))[0].split()
    done = subprocess.run(["make", "-n", "-o", "setup", *phony], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
