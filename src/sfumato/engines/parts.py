"""A table in several Parquet files: a folder of parts under the name of one file, as Spark writes it and others read it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sfumato.errors import BadRequest

__all__ = ["files", "is_parts", "replacing"]


def is_parts(path: Path) -> bool:
    """Tell whether a path is a folder that holds Parquet files."""
    return path.is_dir() and any(one.suffix == ".parquet" and one.is_file() for one in path.iterdir())


def files(path: Path) -> list[Path]:
    """Return the files of a table in order: the one, or the parts of a folder; refuse a folder with anything else in it.

    What Hadoop leaves beside its parts (``_SUCCESS``, hidden checksums) is no part.
    """
    if not path.is_dir():
        return [path]
    found = sorted(one for one in path.iterdir() if not one.name.startswith(("_", ".")))
    for one in found:
        if one.suffix != ".parquet" or not one.is_file():
            raise BadRequest(
                "holds more than Parquet files; a table is read from a folder of nothing else", where=str(path)
            )
    return found


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a folder to write to beside the path; its parts, numbered, take the path's place only after a good end."""
    part = path.with_name(f".{path.name}.part")
    try:
        shutil.rmtree(part, ignore_errors=True)
        yield part
        for one in list(part.iterdir()):
            if one.name.startswith(("_", ".")):
                one.unlink()
        for number, one in enumerate(files(part)):
            one.rename(part / f"part-{number:05}.parquet")
        os.replace(part, path)
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else type(error).__name__
        raise BadRequest(f"cannot be written ({reason})", where=str(path)) from None
    finally:
        shutil.rmtree(part, ignore_errors=True)
