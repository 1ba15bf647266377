"""Whether a file survives being read: tried in a child process, because a damaged one may end the process that reads it."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from pathlib import Path
from time import monotonic, sleep

from sfumato.engines.footers import refuse_durations, refuse_unlike
from sfumato.engines.parts import files
from sfumato.engines.sources import Source
from sfumato.errors import BadRequest

__all__ = ["identity", "note_sound", "refuse_damaged"]

_WHOLE = 1 << 26  # bytes up to which all of a file is tried; of larger ones what describes them
_SECONDS = 60.0
_SOUND: set[tuple[int, int, int, int]] = set()  # files of this process's own, and those that were tried
_MOST = 10_000


def refuse_damaged(source: Source, *, described: bool = False) -> None:
    """Refuse a Parquet or Arrow file that cannot be read to its end, types it only hints at, and parts that are no one table.

    Where there are no forks a file is taken to be sound. What is read elsewhere ends nobody here: then it is enough that files
    are well ``described``.
    """
    probe = {"parquet": _parquet, "arrow": _arrow}.get(source.format)
    if probe is None:
        return
    paths = files(source.file)
    for path in paths if hasattr(os, "fork") else ():
        if identity(path) in _SOUND:
            continue
        whole = not described and path.stat().st_size <= _WHOLE
        if not _survived(probe, path, whole):
            raise BadRequest(f"cannot be read as {source.format} (the file is damaged)", where=source.where)
        if not described:
            note_sound(path)
    if source.format == "parquet":
        refuse_durations(paths[0], source.where)
        refuse_unlike(paths, source.where)


def note_sound(path: Path) -> None:
    """Note that a file was just written by this process, or was read to its end: as it is, it need not be tried again."""
    if len(_SOUND) >= _MOST:
        _SOUND.clear()
    _SOUND.add(identity(path))


def identity(path: Path) -> tuple[int, int, int, int]:
    """Return what changes when a file does."""
    told = path.stat()
    return told.st_dev, told.st_ino, told.st_size, told.st_mtime_ns


def _survived(probe: Callable[[Path, bool], None], path: Path, whole: bool) -> bool:
    # The modules are there before the fork: a child of a process with threads should not import.
    import pyarrow.ipc
    import pyarrow.parquet  # noqa: F401

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # threads do not follow; the child needs none
        child = os.fork()
    if child == 0:
        code = 1
        try:
            silent = os.open(os.devnull, os.O_WRONLY)
            os.dup2(silent, 1)
            os.dup2(silent, 2)
            probe(path, whole)
            code = 0
        finally:
            os._exit(code)
    until = monotonic() + _SECONDS
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return status == 0
        if monotonic() > until:
            os.kill(child, 9)
            os.waitpid(child, 0)
            return True  # a slow disk is no damage
        sleep(0.002)


def _parquet(path: Path, whole: bool) -> None:
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        told = file.metadata
        if sum(told.row_group(at).num_rows for at in range(told.num_row_groups)) != told.num_rows:
            raise ValueError("some rows would not be found")
        texts = [field.name for field in file.schema_arrow if str(field.type) in ("string", "large_string")]
    for read_dictionary in ([], texts):  # both ways in which columns are read
        with pq.ParquetFile(path, read_dictionary=read_dictionary) as file:
            # One row group after the other: all rows together take several times the room, and as much longer.
            for at in range(file.num_row_groups if whole else 0):
                file.read_row_group(at, use_threads=False).validate(full=True)


def _arrow(path: Path, whole: bool) -> None:
    import pyarrow as pa

    with pa.memory_map(str(path)) as file:
        reader = pa.ipc.open_file(file)
        for at in range(reader.num_record_batches if whole else 0):
            reader.get_batch(at).validate(full=True)
