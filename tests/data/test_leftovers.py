"""Folders go with their process; what a killed one left is removed, and nothing else."""

from __future__ import annotations

import gc
import logging
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sfumato.data.leftovers import TemporaryFolder, in_use, remove_leftovers

pytestmark = pytest.mark.skipif(os.name != "posix", reason="processes can be asked for on POSIX only")

OPENING = """\
import sys, time
from sfumato.data.leftovers import TemporaryFolder
folder = TemporaryFolder(sys.argv[1])
(folder.path / "rows.db").write_text("rows")
print(folder.path, flush=True)
if sys.argv[2] == "wait":
    time.sleep(60)
if sys.argv[2] == "fail":
    raise ValueError
"""


def opened(where: Path, then: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", OPENING, str(where), then]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def number_of_nobody() -> int:
    done = subprocess.Popen([sys.executable, "-c", ""])
    done.wait()
    return done.pid


@pytest.mark.parametrize("then", ["end", "fail"])
def test_a_folder_goes_with_its_process(tmp_path: Path, then: str) -> None:
    opened(tmp_path, then).communicate()
    assert not list(tmp_path.iterdir())


def test_a_folder_goes_with_its_object(tmp_path: Path) -> None:
    folder = TemporaryFolder(tmp_path)
    assert folder.path.stat().st_mode & 0o777 == 0o700
    assert f"-{os.getpid()}-" in folder.path.name
    del folder
    gc.collect()
    assert not list(tmp_path.iterdir())
    with TemporaryFolder(tmp_path) as path:
        (path / "inside").mkdir()
    assert not list(tmp_path.iterdir())


def test_what_a_killed_process_left_is_removed_by_the_next(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    killed, alive = opened(tmp_path, "wait"), opened(tmp_path, "wait")
    assert killed.stdout is not None
    assert alive.stdout is not None
    left, held = Path(killed.stdout.readline().strip()), Path(alive.stdout.readline().strip())
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    try:
        assert (left / "rows.db").is_file()
        with caplog.at_level(logging.WARNING), TemporaryFolder(tmp_path) as mine:
            assert sorted(tmp_path.iterdir()) == sorted([held, mine])
        assert left.name in caplog.text
    finally:
        alive.kill()
        alive.communicate()
        killed.communicate()


def test_only_what_was_made_here_is_removed(tmp_path: Path) -> None:
    gone = number_of_nobody()
    kept = ["sfumato-postgres-1", f"other-{gone}-x", f"sfumato-{gone}", "sfumato-1-x"]
    for name in kept:
        (tmp_path / name).mkdir()
    (tmp_path / f"sfumato-{gone}-file").write_text("not a folder")
    (tmp_path / f"sfumato-{gone}-link").symlink_to(tmp_path / kept[0])
    (tmp_path / f"sfumato-{gone}-x").mkdir()
    with TemporaryFolder(tmp_path) as mine:
        left = {path.name for path in tmp_path.iterdir()} - {mine.name}
    assert left == {*kept, f"sfumato-{gone}-file", f"sfumato-{gone}-link"}


def test_a_lock_counts_more_than_the_number_of_a_process(tmp_path: Path) -> None:
    """In another container a process that lives may have a number that nobody has here."""
    gone = re.compile(r"(\d+)\.unverified")
    folder = tmp_path / f"{number_of_nobody()}.unverified"
    folder.mkdir()
    with in_use(folder):
        remove_leftovers(tmp_path, gone)
        assert folder.is_dir()
    remove_leftovers(tmp_path, gone)
    assert not folder.exists()


def test_the_same_number_may_come_again(tmp_path: Path) -> None:
    folder = tmp_path / f"{os.getpid()}.unverified"
    folder.mkdir()
    remove_leftovers(tmp_path, re.compile(r"(\d+)\.unverified"))
    assert not folder.exists()
