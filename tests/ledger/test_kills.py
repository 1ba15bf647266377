"""Publishing that is killed with a ledger at work: the first of those that ``make trial`` tries."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from nursery import ran

from .trial import killed, usual_points

KILLS, STEPS, SEED = 4, 100, 18


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_ledger_and_folders_agree_after_a_repair(tmp_path: Path) -> None:
    points = usual_points(tmp_path)
    ends = [killed(tmp_path, SEED, number, points) for number in range(KILLS)]
    assert {number: found for number, (_, found) in enumerate(ends) if found} == {}
    assert len({state for state, _ in ends}) > 1, "killed at different points"


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_steps_that_are_killed_can_be_settled() -> None:
    trial = Path(__file__).with_name("trial.py")
    done = ran(trial.read_text(encoding="utf-8"), "--kills", "0", "--steps", str(STEPS), name=str(trial))
    assert done.returncode == 0, done.stdout + done.stderr
    assert all(words in done.stdout for words in ("with its name, committed", "without a name, cancelled"))
