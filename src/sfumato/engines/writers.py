"""One writer for all engines: the same rows give the same bytes, whatever the engine, its threads and its batches.

Rows come as a stream of Arrow tables. They are cut into portions of a fixed size and brought into one form before they are
written, so that nothing of their history is left: no file holds a time of writing, an engine's name or a leftover of a
dictionary. Delimited text quotes only where it must, ends lines with a line feed and leaves missing values empty. A file
appears under its name when it is complete, and not before.
"""

from __future__ import annotations

import gzip
import io
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from decimal import Decimal
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

import numpy as np

from sfumato.data.ahead import ahead
from sfumato.data.frozen import frozen
from sfumato.engines.frames import whole_numbers
from sfumato.engines.probing import note_sound
from sfumato.engines.sources import format_of, refuse_without_arrow
from sfumato.errors import BadRequest, Unsupported

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

__all__ = ["PORTION", "Target", "plain_batches", "target", "write", "write_frames"]

PORTION = 1 << 18
"""Rows per portion: the row group of Parquet, the batch of Arrow files."""

_EXCEL_ROWS = 1_048_575
_EXCEL_EXACT = 1 << 53
_SQLITE_TYPES = {"int": "INTEGER", "uint": "INTEGER", "double": "REAL", "float": "REAL", "bool": "INTEGER"}


@frozen
class Target:
    """A file to be written: its format, and for delimited text the separator."""

    path: Path
    format: str
    separator: str = ","
    compressed: bool = False

    @property
    def as_text(self) -> bool:
        """Whether columns that were read as text are written as they were read."""
        return self.format in ("csv", "tsv")


def target(path: Path, format: str | None = None, separator: str = ",") -> Target:  # noqa: A002
    """Return what is to be written where; the suffix decides unless a format is named."""
    path = Path(path)
    name, compressed = format_of(path, format)
    if name not in _WRITERS:
        raise BadRequest("is not a format that can be written", parameter="format", value=name, available=_WRITERS)
    if len(separator) != 1 or separator in '"\r\n' or not separator.isascii():
        raise BadRequest("must be one character, no quote or line end", parameter="separator", value=separator)
    if path.is_dir():
        raise BadRequest("is a folder, not a file", where=str(path))
    made = Target(path, name, "\t" if name == "tsv" else separator, compressed)
    if not made.as_text:
        refuse_without_arrow(f"writing {name}")
    return made


def write(where: Target, tables: Iterator[pa.Table]) -> None:
    """Write a stream of Arrow tables (at least one, for the columns) to a file."""
    portions = _rechunk(tables)
    with _replacing(where.path) as path:
        _WRITERS[where.format](where, path, portions)
    note_sound(where.path)


def write_frames(where: Target, frames: Iterator[pl.DataFrame]) -> None:
    """Write a stream of Polars frames of the portion size (at least one, for the columns) as delimited text, without Arrow."""
    with _replacing(where.path) as path:
        _write_texts(where, path, frames)
    note_sound(where.path)


def plain_batches(tables: Iterator[pa.Table]) -> Iterator[pa.RecordBatch]:
    """Yield record batches of plain columns of a fixed size."""
    for table in _rechunk(tables):
        yield from _plain(table).to_batches()


@contextmanager
def _replacing(path: Path) -> Iterator[Path]:
    """Give a name to write to beside the path; it takes the path's place only after a good end."""
    part = path.with_name(f".{path.name}.part")
    try:
        yield part
        os.replace(part, path)
    except OSError as error:
        # The text of the error may carry more than the reason; only the reason is passed on.
        reason = os.strerror(error.errno) if error.errno else type(error).__name__
        raise BadRequest(f"cannot be written ({reason})", where=str(path)) from None
    finally:
        with suppress(OSError):
            part.unlink()


# ---- one form for rows -----------------------------------------------------------------------------------------------


def _rechunk(tables: Iterator[pa.Table]) -> Iterator[pa.Table]:
    """Cut a stream of tables into portions of a fixed size; the last one may be shorter, an empty one comes alone."""
    import pyarrow as pa

    waiting: list[pa.Table] = []
    count = 0
    sent = False
    for table in tables:
        waiting.append(table)
        count += table.num_rows
        while count >= PORTION:
            joined = waiting[0] if len(waiting) == 1 else pa.concat_tables(waiting)
            yield joined.slice(0, PORTION)
            sent = True
            count -= PORTION
            waiting = [joined.slice(PORTION)]
    if count or not sent:
        yield waiting[0] if len(waiting) == 1 else pa.concat_tables(waiting)


def _plain_type(kind: pa.DataType) -> pa.DataType:
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if pa.types.is_large_string(kind) or pa.types.is_string_view(kind) or pa.types.is_null(kind):
        return pa.string()
    return kind


def _plain(table: pa.Table) -> pa.Table:
    """Return a table of plain columns: texts as strings, no dictionaries, no metadata."""
    import pyarrow as pa

    schema = pa.schema([pa.field(field.name, _plain_type(field.type)) for field in table.schema])
    return table.cast(schema).combine_chunks()


def _clean(table: pa.Table) -> pa.Table:
    """Return a table of plain columns in which nothing lies under a missing value, where Arrow may leave what was there."""
    import pyarrow as pa

    plain = _plain(table)
    return pa.table(
        {name: _clean_column(column) for name, column in zip(plain.column_names, plain.columns, strict=True)}
    )


def _clean_column(column: pa.ChunkedArray) -> pa.Array:
    import pyarrow as pa

    kind = column.type
    array = pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], kind)
    absent = array.is_null().to_numpy(zero_copy_only=False)
    if pa.types.is_boolean(kind):
        return pa.array(array.fill_null(False).to_numpy(zero_copy_only=False), mask=absent)
    if not absent.any():
        return pa.array([], kind) if not len(array) else pa.concat_arrays([array.slice(0, 0), array])
    if pa.types.is_string(kind):
        empty = pa.scalar("", kind)
    elif pa.types.is_decimal(kind):
        empty = pa.scalar(Decimal(0), kind)
    else:
        empty = pa.scalar(0, pa.int32() if kind.bit_width == 32 else pa.int64()).cast(kind)
    filled = pa.concat_arrays([array.slice(0, 0), array.fill_null(empty)])
    present = pa.array(~absent).buffers()[1]
    return pa.Array.from_buffers(kind, len(array), [present, *filled.buffers()[1:]])


def _compact(table: pa.Table) -> pa.Table:
    """Return a table of whole columns whose texts are dictionaries of the texts that occur, in order."""
    import pyarrow as pa

    columns = []
    for column in table.columns:
        array = pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)
        if pa.types.is_string(_plain_type(column.type)):
            array = array if pa.types.is_dictionary(array.type) else array.cast(pa.string()).dictionary_encode()
            array = _compact_texts(array)
        columns.append(array)
    return pa.table(dict(zip(table.column_names, columns, strict=True)))


def _compact_texts(coded: pa.DictionaryArray) -> pa.DictionaryArray:
    import polars as pl
    import pyarrow as pa

    codes = whole_numbers(coded.indices)
    texts = cast(pl.Series, pl.from_arrow(coded.dictionary.cast(pa.large_string())))
    used = np.flatnonzero(np.bincount(codes + 1, minlength=len(texts) + 1)[1:])
    kept = texts.gather(used)
    entries = kept.unique().sort()
    table = np.full(len(texts) + 1, -1, np.int32)  # the last entry answers for -1
    table[used] = entries.search_sorted(kept).to_numpy() if len(kept) else []
    new = pl.Series(table[codes])
    indices = new.set(new < 0, None).to_arrow()
    return pa.DictionaryArray.from_arrays(indices, entries.to_arrow().cast(pa.string()))


# ---- formats ---------------------------------------------------------------------------------------------------------


@contextmanager
def _bytes(where: Target, path: Path) -> Iterator[IO[bytes]]:
    with path.open("wb") as file:
        if not where.compressed:
            yield file
            return
        with gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=file, mtime=0) as packed:
            yield cast(IO[bytes], packed)


def _write_delimited(where: Target, path: Path, portions: Iterator[pa.Table]) -> None:
    import polars as pl

    _write_texts(where, path, (cast(pl.DataFrame, pl.from_arrow(table)) for table in portions))


def _write_texts(where: Target, path: Path, frames: Iterator[pl.DataFrame]) -> None:
    import polars as pl

    from sfumato.engines.texts import as_text

    first = True
    with _bytes(where, path) as file:
        for frame in frames:
            _refuse_untold(where, frame)
            frame = frame.with_columns([as_text(column) for column in frame if isinstance(column.dtype, pl.Datetime)])
            text = frame.write_csv(
                include_header=first,
                separator=where.separator,
                quote_style="necessary",
                # A line without any text would not count as a record.
                null_value='""' if frame.width == 1 else "",
            )
            file.write(text.encode())
            first = False


def _refuse_untold(where: Target, frame: pl.DataFrame) -> None:
    """Refuse numbers that a format of texts has no form for, or that its readers take for something else."""
    import polars as pl

    for column in frame:
        what = ""
        if column.dtype.is_float() and column.is_infinite().any():
            what = "infinite numbers"
        elif where.as_text and column.dtype == pl.UInt64 and (column >= 1 << 63).any():
            what = "whole numbers of 2^63 or more"
        if what:
            raise BadRequest(
                f"holds {what}, which {where.format} cannot tell; write parquet or arrow", column=column.name
            )


def _write_parquet(where: Target, path: Path, portions: Iterator[pa.Table]) -> None:
    import pyarrow.parquet as pq

    writer = None
    with path.open("wb") as file:
        for table in ahead(map(_compact, portions)):
            if writer is None:
                # The schema is not stored a second time: it would turn texts into dictionaries for the reader.
                writer = pq.ParquetWriter(
                    file, table.schema, compression="zstd", write_statistics=False, store_schema=False
                )
            writer.write_table(table, row_group_size=PORTION)
        if writer is not None:
            writer.close()


def _write_arrow(where: Target, path: Path, portions: Iterator[pa.Table]) -> None:
    import pyarrow as pa

    writer = None
    with path.open("wb") as file:
        for portion in portions:
            table = _clean(portion)
            if writer is None:
                options = pa.ipc.IpcWriteOptions(compression="zstd", use_threads=False)
                writer = pa.ipc.new_file(file, table.schema, options=options)
            writer.write_table(table)
        if writer is not None:
            writer.close()


def _write_jsonl(where: Target, path: Path, portions: Iterator[pa.Table]) -> None:
    import polars as pl

    from sfumato.engines.texts import as_text

    with _bytes(where, path) as file:
        for portion in portions:
            frame = cast(pl.DataFrame, pl.from_arrow(_plain(portion)))
            _refuse_untold(where, frame)
            frame = frame.with_columns([as_text(column) for column in frame if column.dtype.is_temporal()])
            file.write(frame.write_ndjson().encode())


def _write_xlsx(where: Target, path: Path, portions: Iterator[pa.Table]) -> None:
    import datetime

    try:
        import xlsxwriter
    except ImportError:
        raise Unsupported(
            "writing Excel needs the extra 'excel' (pip install 'sfumato[excel]')", thing="xlsx"
        ) from None
    # The packer of the format does not survive a full disk, so it works in memory.
    packed = io.BytesIO()
    with xlsxwriter.Workbook(packed, {"constant_memory": True, "strings_to_formulas": False}) as book:
        book.set_properties({"created": datetime.datetime(2000, 1, 1)})
        sheet = book.add_worksheet("data")
        date = book.add_format({"num_format": "yyyy-mm-dd"})
        moment = book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss"})
        row = 0
        for portion in portions:
            table = _plain(portion)
            if row + table.num_rows > _EXCEL_ROWS:
                raise BadRequest(
                    f"an Excel sheet holds at most {_EXCEL_ROWS} rows below its header", where=str(where.path)
                )
            if not row:
                for at, name in enumerate(table.column_names):
                    sheet.write_string(0, at, name)
            for record in zip(*(column.to_pylist() for column in table.columns), strict=True):
                row += 1
                for at, value in enumerate(record):
                    if isinstance(value, bool):
                        sheet.write_boolean(row, at, value)
                    elif isinstance(value, int) and abs(value) > _EXCEL_EXACT:
                        sheet.write_string(row, at, str(value))
                    elif isinstance(value, str):
                        sheet.write_string(row, at, value)
                    elif isinstance(value, datetime.datetime):
                        sheet.write_datetime(row, at, value, moment)
                    elif isinstance(value, datetime.date):
                        sheet.write_datetime(row, at, value, date)
                    elif value is not None:
                        sheet.write_number(row, at, value)
    path.write_bytes(packed.getbuffer())


def _write_sqlite(where: Target, path: Path, portions: Iterator[pa.Table]) -> None:
    import datetime
    import sqlite3

    def stored(value: object) -> object:
        if isinstance(value, (datetime.date, datetime.datetime)):
            return value.isoformat()
        return float(value) if isinstance(value, Decimal) else value

    path.unlink(missing_ok=True)
    path.touch()
    connection = sqlite3.connect(path)
    try:
        names = ""
        for portion in portions:
            table = _plain(portion)
            if not names:
                kinds = [
                    next((sql for start, sql in _SQLITE_TYPES.items() if str(field.type).startswith(start)), "TEXT")
                    for field in table.schema
                ]
                quoted = ['"' + name.replace('"', '""') + '"' for name in table.column_names]
                names = ", ".join(quoted)
                declared = ", ".join(f"{name} {kind}" for name, kind in zip(quoted, kinds, strict=True))
                connection.execute(f'CREATE TABLE "data" ({declared})')
            marks = ", ".join("?" * table.num_columns)
            records = zip(*([stored(value) for value in column.to_pylist()] for column in table.columns), strict=True)
            connection.executemany(f'INSERT INTO "data" ({names}) VALUES ({marks})', records)
        connection.commit()
    except sqlite3.OperationalError as error:
        raise OSError(None, str(error)) from None
    finally:
        connection.close()


_WRITERS: dict[str, Callable[[Target, Path, Iterator[pa.Table]], None]] = {
    "csv": _write_delimited,
    "tsv": _write_delimited,
    "parquet": _write_parquet,
    "arrow": _write_arrow,
    "jsonl": _write_jsonl,
    "xlsx": _write_xlsx,
    "sqlite": _write_sqlite,
}
