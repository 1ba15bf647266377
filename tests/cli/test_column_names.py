"""Whatever a file calls its columns, nothing that is printed can move a cursor, change colours or turn a line round."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import GOOD_DATA, Run

EVIL = "job\x1b[2J\x1b]0;owned\x07\u202e\x9b31m"
POLICY = """\
version: 1
columns:
  id: {role: identifier}
  age: {role: quasi-identifier}
  "job\\x1b[2J\\x1b]0;owned\\x07\\u202e\\x9b31m":
    role: quasi-identifier
    hierarchy: {id: taxonomy, tree: {ANY: [cook, nurse, clerk]}}
  class: {role: target}
requirements:
  - {id: k-anonymity, k: 3}
"""
COMMANDS = {
    "profile": ["profile", "data.csv"],
    "detect": ["detect", "data.csv"],
    "init": ["init", "data.csv", "-o", "drafted.yaml"],
    "check": ["check", "data.csv", "--policy", "policy.yaml"],
    "check by hand": ["check", "data.csv", "--require", "k-anonymity k=2", "--qid", f"age,{EVIL}"],
    "refusal": ["check", "data.csv", "--require", "k-anonymity k=2", "--qid", "work"],
    "anonymize": ["anonymize", "data.csv", "--policy", "policy.yaml", "-o", "out"],
}


@pytest.mark.parametrize("command", COMMANDS.values(), ids=list(COMMANDS))
def test_names_of_columns_do_nothing_to_a_terminal(tmp_path: Path, run: Run, command: list[str]) -> None:
    (tmp_path / "data.csv").write_text(GOOD_DATA.replace("job", EVIL, 1), encoding="utf-8")
    (tmp_path / "policy.yaml").write_text(POLICY, encoding="utf-8")
    done = run(*command, encoding="utf-8")
    said = done.stdout + done.stderr
    assert done.returncode in (0, 1, 2), said
    assert "internal error" not in said
    assert not {"\x1b", "\x07", "\x9b", "\u202e"} & {*said}
    if command[0] not in ("init", "detect"):
        assert "job\\x1b" in said
