"""Running the real command: in this process, or in one of its own where that matters."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from command_line import sfumato_in

SFUMATO = [sys.executable, "-c", "from sfumato.cli.main import run; run()"]
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Return a function that runs ``sfumato ...`` inside a fresh folder, in this process."""
    return partial(sfumato_in, tmp_path)


@pytest.fixture
def run_apart(tmp_path: Path) -> Run:
    """Return a function that runs ``sfumato ...`` inside a fresh folder, in a process of its own as a user does."""

    def call(*arguments: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "COLUMNS": "200", "NO_COLOR": "1"}
        return subprocess.run([*SFUMATO, *arguments], cwd=tmp_path, capture_output=True, text=True, env=environment)

    return call


GOOD_DATA = "id,age,job,class\n" + "".join(
    f"{i},{20 + i % 7},{('cook', 'nurse', 'clerk')[i % 3]},{('y', 'n')[i % 2]}\n" for i in range(60)
)
GOOD_POLICY = """\
version: 1
columns:
  id: {role: identifier}
  age: {role: quasi-identifier}
  job: {role: quasi-identifier, hierarchy: {id: taxonomy, tree: {ANY: [cook, nurse, clerk]}}}
  class: {role: target}
requirements:
  - {id: k-anonymity, k: 3}
"""


@pytest.fixture
def good(tmp_path: Path) -> Path:
    """A folder with a table and a policy that work together."""
    (tmp_path / "data.csv").write_text(GOOD_DATA)
    (tmp_path / "policy.yaml").write_text(GOOD_POLICY)
    return tmp_path


PEOPLE = "name,age,job,illness\n" + "".join(
    f"person{i},{20 + i % 7},{('cook', 'nurse', 'clerk')[i % 3]},{('flu', 'ulcer')[i % 2]}\n" for i in range(60)
)
POLICY = """\
version: 1
columns:
  name: {role: identifier}
  age: {role: quasi-identifier}
  job: {role: quasi-identifier, hierarchy: {id: taxonomy, tree: {ANY: [cook, nurse, clerk]}}}
  illness: {role: sensitive}
requirements:
  - {id: k-anonymity, k: 5}
"""


@pytest.fixture
def published(tmp_path: Path, run: Run) -> Path:
    """Return a folder with people.csv, policy.yaml and their release ``out``."""
    (tmp_path / "people.csv").write_text(PEOPLE)
    (tmp_path / "policy.yaml").write_text(POLICY)
    done = run("anonymize", "people.csv", "--policy", "policy.yaml", "--out", "out")
    assert done.returncode == 0, done.stderr
    return tmp_path
