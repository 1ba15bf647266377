"""Folders that last as long as the process that made them; what a killed one left behind is removed by the next.

The name of a folder holds the number of its process, and a lock on it tells whether that still lives, also where processes are
numbered apart (containers that share a disk).
"""

from __future__ import annotations

import logging
import os
import re
import shutil
import tempfile
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import time

__all__ = ["TemporaryFolder", "in_use", "remove_leftovers"]

_TEMPORARY = re.compile(r"sfumato-(\d+)-.+")
_YOUNG = 60.0  # seconds in which another process may have made a folder and not locked it yet
_MAKING = threading.Lock()


class TemporaryFolder:
    """A folder that only this user can open; it goes with this object, with :meth:`remove`, or with the process."""

    def __init__(self, directory: str | Path | None = None) -> None:
        with _MAKING:
            remove_leftovers(Path(directory or tempfile.gettempdir()), _TEMPORARY)
            self.path = Path(tempfile.mkdtemp(prefix=f"sfumato-{os.getpid()}-", dir=directory))
            self._end = weakref.finalize(self, _remove, self.path, _locked(self.path), os.getpid())

    def remove(self) -> None:
        """Remove the folder and what is in it."""
        self._end()

    def __enter__(self) -> Path:
        return self.path

    def __exit__(self, *error: object) -> None:
        self.remove()


def _remove(path: Path, lock: int | None, process: int) -> None:
    if process == os.getpid():  # a fork ends without the folder of its parent
        shutil.rmtree(path, ignore_errors=True)
    if lock is not None:
        with suppress(OSError):
            os.close(lock)


@contextmanager
def in_use(folder: Path) -> Iterator[None]:
    """Mark a folder with the number of this process in its name as being worked on."""
    lock = _locked(folder)
    try:
        yield
    finally:
        if lock is not None:
            os.close(lock)


def remove_leftovers(parent: Path, name: re.Pattern[str]) -> None:
    """Remove folders of this user whose name matches, with the number of a process in it that is no more; say which."""
    try:
        entries = list(os.scandir(parent))
    except OSError:
        return  # whoever needs the folder will be told
    for entry in entries:
        process = name.fullmatch(entry.name)
        with suppress(OSError):
            if process and entry.is_dir(follow_symlinks=False) and _left(entry, int(process[1])):
                shutil.rmtree(entry.path)
                logging.getLogger("sfumato").warning("removed %s: a run that was killed left it behind", entry.name)


def _left(entry: os.DirEntry[str], process: int) -> bool:
    if os.name != "posix":
        return False  # there is no harmless way to ask for a process
    found = entry.stat(follow_symlinks=False)
    if found.st_uid != os.geteuid():
        return False
    try:
        lock = _locked(Path(entry.path))
    except BlockingIOError:
        return False
    if lock is None:
        return not _running(process)
    os.close(lock)
    return process == os.getpid() or not _running(process) or time() - found.st_mtime > _YOUNG


def _locked(folder: Path) -> int | None:
    """Take the lock of a folder and return its handle, nothing if there are no locks here; refuse if somebody holds it."""
    if os.name != "posix":
        return None
    import fcntl

    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        raise
    except OSError:
        os.close(handle)
        return None
    return handle


def _running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        pass  # that of somebody else
    return True
