"""Killed runs, full disks, places that cannot be written, several writers: the first of those that ``make trial`` tries."""

from __future__ import annotations

import sys

import pytest

from .trial import full, killed, locked, together, usual_seconds

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and limits of POSIX")

KILLS, SEED = 4, 16


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


def test_a_place_that_cannot_be_written_is_refused() -> None:
    assert locked() == []
