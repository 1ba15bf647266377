"""Excel sheets into Arrow tables with fastexcel. Cells that hold text stay text, so codes keep their zeros."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from sfumato.contracts.engine import SourceOptions
from sfumato.engines.sources import Source, named_columns
from sfumato.errors import BadRequest, Unsupported

if TYPE_CHECKING:
    import fastexcel
    import pyarrow as pa

__all__ = ["read_sheet", "sheets", "top_and_end"]


def read_sheet(source: Source, options: SourceOptions) -> pa.Table:
    """Return the rows of a sheet as an Arrow table; with several sheets one must be named."""
    import pyarrow as pa

    with _opened(source, options) as (book, sheet):
        texts = _texts(book, sheet, options.skip_first)
        if not texts.num_rows:
            raise BadRequest("the sheet is empty", where=source.where)
        # The reader renames columns that share a name, so the header is looked at as it stands.
        header = named_columns([column[0].as_py() for column in texts.columns], source.where, options)
        headed = options.header is not False
        rows = texts.num_rows - headed - options.skip_last
        if rows < 1 and options.may_be_empty:
            return pa.table({name: pa.array([], pa.string()) for name in header})
        if rows < 1:
            raise BadRequest("has a header but no rows", where=source.where)
        # All rows decide on the types, not only the first ones.
        top = {"header_row": options.skip_first} if headed else {"header_row": None, "skip_rows": options.skip_first}
        batch = book.load_sheet(sheet, **top, n_rows=rows, schema_sample_rows=None).to_arrow()
        return pa.table(dict(zip(header, map(_plainer, batch.columns), strict=True)))


def sheets(source: Source) -> list[str]:
    """Return the names of all sheets of a file."""
    with _read(source) as book:
        return list(book.sheet_names)


def top_and_end(source: Source, options: SourceOptions, top: int, end: int) -> tuple[list[list[str]], list[list[str]]]:
    """Return the first and the last rows of a sheet as texts."""
    with _opened(source, options) as (book, sheet):
        texts = _texts(book, sheet, 0)
        rows = [[str(cell or "") for cell in row.values()] for row in texts.slice(0, top).to_pylist()]
        last = [[str(cell or "") for cell in row.values()] for row in texts.slice(max(0, len(texts) - end)).to_pylist()]
        return rows, last


def _texts(book: fastexcel.ExcelReader, sheet: str, skipped: int) -> pa.RecordBatch:
    return book.load_sheet(sheet, header_row=None, skip_rows=skipped, dtypes="string").to_arrow()


@contextmanager
def _read(source: Source) -> Iterator[fastexcel.ExcelReader]:
    try:
        import fastexcel
    except ImportError:
        raise Unsupported(
            "reading Excel needs the extra 'excel' (pip install 'sfumato[excel]')", thing="xlsx"
        ) from None
    try:
        yield fastexcel.read_excel(source.file)
    except fastexcel.FastExcelError as error:
        raise BadRequest(f"cannot be read as xlsx ({type(error).__name__})", where=source.where) from None


@contextmanager
def _opened(source: Source, options: SourceOptions) -> Iterator[tuple[fastexcel.ExcelReader, str]]:
    with _read(source) as book:
        names = list(book.sheet_names)
        sheet = options.sheet if options.sheet is not None else (names[0] if len(names) == 1 else None)
        if sheet is None:
            raise BadRequest("has several sheets; name one", parameter="sheet", available=names, where=source.where)
        if sheet not in names:
            raise BadRequest("is not a sheet", parameter="sheet", value=sheet, available=names, where=source.where)
        yield book, sheet


def _plainer(column: pa.Array) -> pa.Array:
    """Return numbers without a fraction as integers, moments without a time as days: a sheet knows one kind of each."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_timestamp(column.type) and column.null_count < len(column):
        days = column.cast(pa.date32(), safe=False)
        return days if pc.all(pc.equal(days.cast(column.type), column)).as_py() else column
    if not pa.types.is_floating(column.type):
        return column
    try:
        return column.cast(pa.int64())
    except pa.ArrowInvalid:
        return column
