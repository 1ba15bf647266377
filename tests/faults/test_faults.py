"""Killed runs, full disks, places that cannot be written, several writers: the first of those that ``make trial`` tries."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from .trial import bad, filled, full, killed, started, together, usual_seconds

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and limits of POSIX")

KILLS, SEED = 20, 16


@pytest.mark.slow
def test_a_run_that_is_killed_leaves_no_bad_folder() -> None:
    seconds = usual_seconds()
    assert {n: found for n in range(KILLS) if (found := killed(SEED, n, seconds)[1])} == {}


@pytest.mark.slow
def test_of_several_writers_one_wins() -> None:
    assert together(3) == []


@pytest.mark.slow
@pytest.mark.parametrize("number", range(4))
def test_a_full_disk_leaves_nothing(number: int) -> None:
    assert full(SEED, number) == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_place_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    filled(tmp_path)
    (tmp_path / "locked").mkdir(mode=0o500)
    run = started(tmp_path, out="locked/out")
    assert b"cannot be written" in run.communicate()[1]
    assert run.returncode == 2
    assert bad(tmp_path, "locked/out") == []
