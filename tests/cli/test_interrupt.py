"""Ctrl-C during the search for the best levels, with the answer given on the command line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

from nursery import ran
from sfumato.cli import commands, main
from sfumato.errors import Cancelled

# The process interrupts itself as soon as its search tells of a valid node: no other moment is as sure to be inside it.
PRESSING = """\
import os, signal
from sfumato.cli.progress import TerminalProgress

def tick(self, done, note=""):
    if note.startswith("best"):
        os.kill(os.getpid(), signal.SIGINT)

TerminalProgress.tick = tick
from sfumato.cli.main import run
run()
"""
POLICY = """\
version: 1
columns:
  a: {role: quasi-identifier, hierarchy: {id: taxonomy, tree: {ANY: {A: [a0, a1], B: [a2, a3], C: [a4]}}}}
  b: {role: quasi-identifier, hierarchy: {id: taxonomy, tree: {ANY: {A: [b0, b1], B: [b2], C: [b3]}}}}
  c: {role: quasi-identifier, hierarchy: {id: taxonomy, tree: {ANY: {A: [c0, c1], B: [c2]}}}}
  d: {role: plain}
requirements:
  - {id: k-anonymity, k: 3}
algorithm: {id: optimal}
"""


def pressed(folder: Path, *more: str) -> subprocess.CompletedProcess[str]:
    """Run a command that interrupts itself."""
    (folder / "data.csv").write_text(
        "a,b,c,d\n" + "".join(f"a{i * i // 3 % 5},b{i * i // 5 % 4},c{i * i // 7 % 3},{i % 2}\n" for i in range(50))
    )
    (folder / "policy.yaml").write_text(POLICY)
    return ran(PRESSING, "anonymize", "data.csv", "--policy", "policy.yaml", "-o", "out", *more, cwd=folder)


def test_keep_publishes_the_best_levels_so_far(tmp_path: Path) -> None:
    done = pressed(tmp_path, "--on-interrupt", "keep")
    assert done.returncode == 0, done.stderr
    certificate = json.loads((tmp_path / "out" / "public" / "certificate.json").read_text())
    assert certificate["algorithm"] == {"id": "optimal", "optimal": False, "stopped": "interrupted"}
    assert all(entry["satisfied"] for entry in certificate["requirements"])


# Where nobody can be asked, nothing is published.
@pytest.mark.parametrize("more", [("--on-interrupt", "discard"), ()])
def test_discard_leaves_nothing(tmp_path: Path, more: tuple[str, ...]) -> None:
    done = pressed(tmp_path, *more)
    assert done.returncode == 130
    assert "interrupted: nothing was written" in done.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"data.csv", "policy.yaml"}


def test_work_that_was_cancelled_ends_like_ctrl_c(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def cancelled() -> None:
        raise Cancelled

    assert commands.COMMANDS, "commands are registered before the command line is replaced"
    monkeypatch.setattr(main, "app", cancelled)
    with pytest.raises(SystemExit) as ended:
        main.run()
    assert ended.value.code == 130
    assert capsys.readouterr().err == "interrupted: nothing was written\n"


# ---- ended from outside --------------------------------------------------------------------------------------------------

ENDING = """\
import os, signal
from sfumato.cli.progress import TerminalProgress

def stage(self, name, total=None):
    if name == "attacking":
        os.kill(os.getpid(), signal.{signal})

TerminalProgress.stage = stage
from sfumato.cli.main import run
run()
"""


def ended(folder: Path, how: str) -> subprocess.CompletedProcess[str]:
    """Run a command that is ended when its release is written aside and its rows wait in a database."""
    (folder / "tmp").mkdir(exist_ok=True)
    (folder / "data.csv").write_text("a,d\n" + "".join(f"{i % 5},{i % 2}\n" for i in range(50)))
    (folder / "policy.yaml").write_text(
        "columns:\n  a: {role: quasi-identifier}\n  d: {role: plain}\n"
        "requirements: [{id: k-anonymity, k: 3}]\nengine: duckdb\n"
    )
    code = ENDING.format(signal=how) if how else "from sfumato.cli.main import run; run()"
    words = ("anonymize", "data.csv", "--policy", "policy.yaml", "-o", "out")
    return ran(code, *words, cwd=folder, env={**os.environ, "TMPDIR": str(folder / "tmp")})


@pytest.mark.parametrize("how", ["SIGTERM", "SIGHUP"])
def test_whoever_is_terminated_leaves_nothing(tmp_path: Path, how: str) -> None:
    done = ended(tmp_path, how)
    assert done.returncode == 128 + getattr(signal, how)
    assert done.stderr.strip() == "terminated: nothing was written"
    assert {path.name for path in tmp_path.iterdir()} == {"data.csv", "policy.yaml", "tmp"}
    assert not list((tmp_path / "tmp").iterdir())


def test_what_a_killed_run_leaves_is_removed_and_named_by_the_next(tmp_path: Path) -> None:
    assert ended(tmp_path, "SIGKILL").returncode == -signal.SIGKILL
    (aside,) = (path for path in tmp_path.iterdir() if path.name.endswith(".unverified"))
    assert aside.stat().st_mode & 0o777 == 0o700  # nobody else reads what was never verified
    held = list((tmp_path / "tmp").iterdir())
    assert held
    assert not (tmp_path / "out").exists()
    again = ended(tmp_path, "")
    assert again.returncode == 0, again.stderr
    (tmp_path / "usual").mkdir()
    assert (tmp_path / "out").stat().st_mode == (tmp_path / "usual").stat().st_mode
    (tmp_path / "usual").rmdir()
    for left in (aside, *held):
        assert f"removed {left.name}: a run that was killed left it behind" in again.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"data.csv", "policy.yaml", "tmp", "out"}
    assert not list((tmp_path / "tmp").iterdir())


# A library that is interrupted takes whatever raised for Ctrl-C; one that panics raises what is no Exception.
TURNED = """\
import signal
from sfumato.cli import main

def app():
    try:
        signal.raise_signal(signal.SIGTERM)
    except SystemExit:
        raise SystemExit(130)

main.app = app
main.run()
"""
PANICKING = """\
from sfumato.cli import main

class Panic(BaseException):
    pass

def app():
    raise Panic("row 7 of Tilda Orvang")

main.app = app
main.run()
"""


def test_an_end_that_a_library_turns_into_an_interrupt_keeps_its_code(tmp_path: Path) -> None:
    done = ran(TURNED, cwd=tmp_path)
    assert (done.returncode, done.stderr.strip()) == (143, "terminated: nothing was written")


def test_a_library_that_panics_is_our_failure_in_one_line(tmp_path: Path) -> None:
    done = ran(PANICKING, cwd=tmp_path)
    assert done.returncode == 70
    assert done.stderr.strip() == "internal error: Panic; run again with --debug for the trace"
