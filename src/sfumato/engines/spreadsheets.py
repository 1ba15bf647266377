"""Excel sheets into Arrow tables with fastexcel. Cells that hold text stay text, so codes keep their zeros."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sfumato.contracts.engine import SourceOptions
from sfumato.engines.sources import Source, check_columns
from sfumato.errors import BadRequest, Unsupported

if TYPE_CHECKING:
    import fastexcel
    import pyarrow as pa

__all__ = ["read_sheet"]


def read_sheet(source: Source, options: SourceOptions) -> pa.Table:
    """Return the rows of a sheet as an Arrow table; with several sheets one must be named."""
    try:
        import fastexcel
    except ImportError:
        raise Unsupported(
            "reading Excel needs the extra 'excel' (pip install 'sfumato[excel]')", thing="xlsx"
        ) from None
    try:
        return _sheet(fastexcel.read_excel(source.file), source, options)
    except fastexcel.FastExcelError as error:
        raise BadRequest(f"cannot be read as xlsx ({type(error).__name__})", where=source.where) from None


def _sheet(book: fastexcel.ExcelReader, source: Source, options: SourceOptions) -> pa.Table:
    import pyarrow as pa

    names = list(book.sheet_names)
    sheet = options.sheet if options.sheet is not None else (names[0] if len(names) == 1 else None)
    if sheet is None:
        raise BadRequest("has several sheets; name one", parameter="sheet", available=names, where=source.where)
    if sheet not in names:
        raise BadRequest("is not a sheet", parameter="sheet", value=sheet, available=names, where=source.where)
    # The reader renames columns that share a name, so the header is looked at as it stands.
    top = book.load_sheet(sheet, header_row=None, n_rows=1, dtypes="string").to_arrow()
    if not top.num_rows:
        raise BadRequest("the sheet is empty", where=source.where)
    header = [column[0].as_py() or "" for column in top.columns]
    check_columns(header, source.where, options)
    # All rows decide on the types, not only the first ones.
    batch = book.load_sheet(sheet, header_row=0, schema_sample_rows=None).to_arrow()
    if not batch.num_rows:
        raise BadRequest("has a header but no rows", where=source.where)
    return pa.table(dict(zip(header, map(_whole, batch.columns), strict=True)))


def _whole(column: pa.Array) -> pa.Array:
    """Return numbers without a fraction as integers: a sheet knows only one kind of number."""
    import pyarrow as pa

    if not pa.types.is_floating(column.type):
        return column
    try:
        return column.cast(pa.int64())
    except pa.ArrowInvalid:
        return column
