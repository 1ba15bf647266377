"""A table in several Parquet files: a folder of parts under the name of one file, as Spark writes it and others read it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from sfumato.errors import BadRequest
from sfumato.groups.cells import Cells

__all__ = ["files", "is_parts", "replacing", "streamed_counts"]


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


def streamed_counts(path: Path, columns: Sequence[str]) -> Cells:
    """Count the combinations of some columns of Parquet files with Polars, in portions: memory holds groups, not rows."""
    import polars as pl

    rows = pl.scan_parquet(files(path), glob=False, hive_partitioning=False).select(columns)
    real = [name for name, kind in rows.collect_schema().items() if kind.is_float()]
    # NaN is missing, and -0.0 is 0.0.
    rows = rows.with_columns((pl.col(name).fill_nan(None) + 0.0).alias(name) for name in real)
    counted = rows.group_by(columns).agg(pl.len().alias("")) if columns else rows.select(pl.len().alias(""))
    found = counted.collect(engine="streaming").sort(list(columns), nulls_last=False)
    return Cells.of(columns, [found[name].to_list() for name in columns], found[""].to_numpy())


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
