"""Files that commands write: texts that a spreadsheet would compute are told of, or marked."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Run

DATA = "id,age,note\n" + "".join(f"p{i},{i % 8},{('=1+1', 'fine')[i // 2 % 2]}\n" for i in range(40))
POLICY = """\
version: 1
columns:
  id: {role: identifier}
  age: {role: quasi-identifier}
  note: {role: sensitive}
requirements:
  - {id: k-anonymity, k: 3}
algorithm: {id: mondrian}
"""
COMMANDS = {
    "anonymize": (["anonymize", "data.csv", "--policy", "policy.yaml", "-o", "out"], "out/public/data.csv"),
    "perturb": (["perturb", "data.csv", "--with", "rank-swapping column=age p=50", "-o", "out.csv"], "out.csv"),
    "pseudonymize": (
        ["pseudonymize", "data.csv", "--columns", "id", "--key-file", "key", "-o", "out.csv"],
        "out.csv",
    ),
}


@pytest.mark.parametrize("safe", [False, True], ids=["as it is", "excel-safe"])
@pytest.mark.parametrize(("command", "written"), COMMANDS.values(), ids=list(COMMANDS))
def test_formulas_are_told_of_or_marked(tmp_path: Path, run: Run, command: list[str], written: str, safe: bool) -> None:
    (tmp_path / "data.csv").write_text(DATA)
    (tmp_path / "policy.yaml").write_text(POLICY)
    (tmp_path / "key").write_bytes(bytes(range(32)))
    done = run(*command, *(["--excel-safe"] if safe else []))
    assert done.returncode == 0, done.stderr
    assert ("formulas" in done.stderr) is not safe
    assert done.stderr.count("formulas") <= 1
    assert ("'=1+1" in (tmp_path / written).read_text()) is safe


def test_the_endings_of_a_file_tell_its_format_and_errors_name_it(tmp_path: Path, run: Run) -> None:
    (tmp_path / "data.csv").write_text(DATA)
    (tmp_path / "key").write_bytes(bytes(range(32)))
    command = COMMANDS["pseudonymize"][0][:-1]
    packed = run(*command, "out.csv.gz")
    assert packed.returncode == 0, packed.stderr
    assert (tmp_path / "out.csv.gz").read_bytes()[:2] == b"\x1f\x8b"
    for wrong in ("nowhere/out.csv", "out.strange"):
        refused = run(*command, wrong)
        assert refused.returncode == 2
        assert refused.stderr.splitlines()[-1].startswith(f"error: {wrong}: ")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data.csv", "key", "out.csv.gz"]
