"""Sources into columns in memory, with Polars as the reader of files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

import polars as pl

from sfumato.contracts.engine import SourceOptions
from sfumato.data.ahead import ahead
from sfumato.data.schema import ColumnType
from sfumato.engines import frames
from sfumato.engines.columns import Column, code_all, from_categories, from_dictionaries
from sfumato.engines.delimited import Delimited, inspect
from sfumato.engines.formats import in_canonical_form
from sfumato.engines.inference import Guess, fits, is_nan, one_spelling, one_zero, spelled_apart
from sfumato.engines.parts import files
from sfumato.engines.probing import refuse_damaged
from sfumato.engines.sources import STATISTICAL, Source, check_columns, locate, misfit, refuse_spelled_apart
from sfumato.engines.unused import LARGE, give_back
from sfumato.errors import BadRequest

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

__all__ = ["as_asked", "columns_of", "open_source"]

_KEPT_PLAIN = 10_000
_SHORT = 1 << 16


def open_source(source: object, options: SourceOptions) -> tuple[dict[str, Column], str | None]:
    """Return the columns of a source, and the kind of frame it was."""
    if isinstance(source, (str, Path)):
        return read_file(locate(source, options), options), None
    if isinstance(source, (pl.DataFrame, pl.LazyFrame)):
        eager = source.collect() if isinstance(source, pl.LazyFrame) else source
        return columns_of(eager, "the frame", options), frames.kind_of(source)
    if hasattr(source, "read_next_batch"):  # a stream of Arrow
        return columns_of(_gathered(cast("pa.RecordBatchReader", source)), "the stream", options), None
    table, kind = frames.to_arrow(source)
    check_columns(list(table.column_names), "the frame", options)
    return columns_of(cast(pl.DataFrame, pl.from_arrow(table)), "the frame", options), kind


def read_file(source: Source, options: SourceOptions) -> dict[str, Column]:
    """Return the columns of a file or a database table."""
    if source.format in ("csv", "tsv"):
        dialect = inspect(source, options)
        return text_columns(read_delimited(dialect), source.where, options)
    refuse_damaged(source)
    try:
        held = _read_typed(source, options)
    except (pl.exceptions.PolarsError, OSError) as error:
        # The texts of these errors may quote rows; the kind of error is all that is told.
        raise BadRequest(f"cannot be read as {source.format} ({type(error).__name__})", where=source.where) from None
    return _columns(held, source.where, options)


_Read = list[tuple[str, pl.Series | Column]]
"""Columns by name, as they were read; what one was read as goes when it is coded."""


def _read_typed(source: Source, options: SourceOptions) -> _Read:
    if source.format == "parquet" and len(parts := files(source.file)) == 1:
        return _read_parquet(parts[0])
    return _named(_read_frame(source, options))


def _named(frame: pl.DataFrame) -> _Read:
    return [(series.name, series) for series in frame.rechunk().iter_columns()]


def _read_frame(source: Source, options: SourceOptions) -> pl.DataFrame:
    if source.format == "parquet":
        return pl.concat([_read_part(path) for path in files(source.file)])
    if source.format == "arrow":
        return _read_arrow(source)
    if source.format == "jsonl":
        if options.may_be_empty and not source.file.stat().st_size:
            return pl.DataFrame(schema=dict.fromkeys(options.types, pl.String))  # no row says what columns there are
        frame = pl.read_ndjson(source.file, infer_schema_length=None)
        refuse_spelled_apart(
            source, [name for name in options.as_written & {*frame.columns} if frame[name].dtype.is_float()]
        )
        return frame
    if source.format == "xlsx":
        from sfumato.engines.spreadsheets import read_sheet

        return cast(pl.DataFrame, pl.from_arrow(read_sheet(source, options)))
    if source.format in STATISTICAL:
        from sfumato.engines.statistical import read_statistical

        return cast(pl.DataFrame, pl.from_arrow(read_statistical(source, options)))
    from sfumato.engines.databases import read_table

    with read_table(source, options) as reader:
        return _gathered(reader)


def _gathered(reader: pa.RecordBatchReader) -> pl.DataFrame:
    """Take in batches as they come, so that no second form of all rows is held; refuse texts that are none."""
    import pyarrow as pa

    parts = [cast(pl.DataFrame, pl.from_arrow(pa.Table.from_batches([], reader.schema)))]
    for batch in reader:
        try:
            batch.validate(full=True)  # databases take any bytes
        except pa.ArrowInvalid as error:
            raise OSError(type(error).__name__) from None
        parts.append(cast(pl.DataFrame, pl.from_arrow(batch)))
    return pl.concat(parts, rechunk=True)


def _read_arrow(source: Source) -> pl.DataFrame:
    import pyarrow as pa

    try:
        with pa.memory_map(str(source.file)) as file:
            return cast(pl.DataFrame, pl.from_arrow(pa.ipc.open_file(file).read_all()))
    except (pa.ArrowException, UnicodeDecodeError) as error:  # names of columns may be any bytes
        raise OSError(type(error).__name__) from None


def _read_part(path: Path) -> pl.DataFrame:
    read = ((name, one.stored() if isinstance(one, Column) else one) for name, one in _read_parquet(path))
    frame = pl.DataFrame([series.alias(name) for name, series in read])
    return frame.with_columns(pl.col(pl.Categorical).cast(pl.String))  # another part may hold plain texts


def _read_parquet(path: Path) -> _Read:
    """Read with the dictionaries that texts have in the file: where they are short they need not be found again.

    Column by column: what is read and what it becomes lie side by side for one column only.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            names, large = file.schema_arrow.names, file.metadata.num_rows >= LARGE
            by_name = bool(names) and len(set(names)) == len(names) and not any("." in name for name in names)
            chosen = _short_dictionaries(file) if by_name else []  # dots name parts of columns
        if large:
            give_back()  # a release is read again beside all that was held to make it
        with pq.ParquetFile(path, read_dictionary=chosen) as file:
            if not by_name:
                return _named(cast(pl.DataFrame, pl.from_arrow(file.read())))
            held: _Read = []
            for table in ahead(file.read(columns=[name]) for name in names):
                (name,) = table.column_names
                if name in chosen:
                    held.append((name, from_dictionaries(table.column(0))))
                else:
                    held.append((name, cast(pl.DataFrame, pl.from_arrow(table)).to_series().rechunk()))
                if large:
                    del table
                    give_back()
            return held
    except pa.ArrowInvalid as error:
        raise OSError(type(error).__name__) from None


def _short_dictionaries(file: pq.ParquetFile) -> list[str]:
    import pyarrow as pa

    texts = {field.name for field in file.schema_arrow if field.type in (pa.string(), pa.large_string())}
    for number in range(file.metadata.num_row_groups):
        group = file.metadata.row_group(number)
        for at in range(group.num_columns):
            chunk = group.column(at)
            start = chunk.dictionary_page_offset if chunk.has_dictionary_page else None
            if start is None or chunk.data_page_offset - start > _SHORT:
                texts.discard(chunk.path_in_schema)
    return sorted(texts)


# ---- delimited text --------------------------------------------------------------------------------------------------


def read_delimited(dialect: Delimited) -> pl.DataFrame:
    """Return the texts of a delimited file; short and long rows are refused by line.

    Polars refuses long rows itself but fills short ones with empty texts. A short row therefore shows as an empty text in the
    last column; only if there is one, the separators of the file are counted.
    """
    data = None if dialect.plain else b"".join(dialect.utf8())
    width = len(dialect.header)
    try:
        frame = pl.scan_csv(
            dialect.path if data is None else data,
            schema=dict.fromkeys(dialect.header, pl.String),
            separator=dialect.separator,
            empty_string_is_null=False,
            eol_char="\r" if dialect.return_only else "\n",
            glob=False,
        ).collect(engine="streaming")
    except (pl.exceptions.PolarsError, OSError):
        return _slowly(dialect)
    if width > 1:
        frame = frame.head(max(0, len(frame) - dialect.trailing_blank_lines(data)))
        if (frame.to_series(width - 1) == "").any():
            expected = (len(frame) + 1) * (width - 1)
            if dialect.count_separators(data) != expected:
                return _slowly(dialect)
    return frame


def _slowly(dialect: Delimited) -> pl.DataFrame:
    columns: list[tuple[str, ...]] = list(zip(*dialect.records(), strict=True))
    if not columns:
        columns = [()] * len(dialect.header)
    return pl.DataFrame(
        dict(zip(dialect.header, columns, strict=True)), schema_overrides=dict.fromkeys(dialect.header, pl.String)
    )


def text_columns(frame: pl.DataFrame, where: str, options: SourceOptions) -> dict[str, Column]:
    """Find the type of each column of texts; columns with few distinct texts are coded on the way."""
    if not frame.height and not options.may_be_empty:
        raise BadRequest("has a header but no rows", where=where)
    tokens = pl.Series(options.missing, dtype=pl.String)
    read = [name for name in frame.columns if name not in options.ignored]
    found = frame.select(pl.col(read).unique().implode())
    out: dict[str, Column] = {}
    few: list[tuple[Column, pl.Series]] = []
    for name in frame.columns:
        if name in options.ignored:
            out[name] = Column(ColumnType.TEXT, series=frame[name])
            continue
        distinct = found[name][0].alias(name).drop_nulls()
        known = distinct.filter(~distinct.is_in(tokens.implode()))
        canonical = in_canonical_form(known, name, options, where, frame[name])
        if canonical is not None:
            frame = frame.with_columns(frame[name].replace(known, canonical))
            distinct = pl.concat([distinct.filter(distinct.is_in(tokens.implode())), canonical.unique()])
            known = canonical.unique()
        kind = options.types.get(name)
        if kind is None:
            guess = Guess()
            guess.see(known)
            kind = guess.type()
        else:
            bad = known.filter(~fits(known, kind))
            if len(bad):
                cells = frame[name].is_in(bad.implode())
                raise misfit(name, kind, int(cells.sum()), where, cells.arg_max())
        if kind.numeric:
            known = known.filter(~is_nan(known))
        series, gone = frame[name], len(known) != len(distinct)
        apart = spelled_apart(known, kind)
        if name in options.as_written and (apart or len(distinct) - len(known) > 1):
            kind, known, gone = ColumnType.TEXT, distinct.filter(distinct != ""), True
        elif apart:
            spelled = one_spelling(known, kind)
            series, known = series.replace(known, spelled), spelled.unique()
        column = Column(kind, series=series)
        if len(known) * 2 <= max(frame.height, _KEPT_PLAIN):
            few.append((column, known))
        else:
            series = series.rechunk()
            column = Column(kind, series=series.set(~series.is_in(known.implode()), None) if gone else series)
        out[name] = column
    code_all([column for column, _ in few], [known for _, known in few])
    return out


# ---- typed sources ---------------------------------------------------------------------------------------------------


def columns_of(frame: pl.DataFrame, where: str, options: SourceOptions | None = None) -> dict[str, Column]:
    """Return the columns of a typed frame; types that have no logical type are refused by column.

    Such sources know missing values themselves, so texts count as missing only where the caller names them.
    """
    return _columns(_named(frame), where, options or SourceOptions())


def _columns(held: _Read, where: str, options: SourceOptions) -> dict[str, Column]:
    """Return typed columns, which are taken out of the list one by one."""
    check_columns([name for name, _ in held], where, options)
    if not held:
        raise BadRequest("has no columns", where=where)
    if not len(held[0][1]) and not options.may_be_empty:
        raise BadRequest("has no rows", where=where)
    out: dict[str, Column] = {}
    held.reverse()
    while held:
        name, one = held.pop()
        column = one if isinstance(one, Column) else _stored(one, where)
        if name in options.formats:
            column = _rewritten(column, name, options, where)
        if column.type is ColumnType.TEXT and options.missing != SourceOptions().missing:
            texts = column.stored()
            column = Column(ColumnType.TEXT, series=texts.set(texts.is_in([*options.missing]), None))
        out[name] = as_asked(column, name, options, where)
    return out


def _rewritten(column: Column, name: str, options: SourceOptions, where: str) -> Column:
    """Return a column whose texts, or whole numbers, are written in a format of their own, in the type they have then."""
    texts = column.texts().stored()
    known = texts.drop_nulls().unique()
    known = known.filter(~known.is_in([*options.missing]))
    canonical = in_canonical_form(known, name, options, where)
    if canonical is None:
        return column
    guess = Guess()
    guess.see(canonical.unique())
    kind, series = guess.type(), texts.replace_strict(known, canonical, default=None, return_dtype=pl.String)
    return Column(kind, series=series.replace(canonical, one_spelling(canonical, kind)))


def _stored(series: pl.Series, where: str) -> Column:
    """Return a column in the one form that all engines store."""
    dtype = series.dtype
    if dtype.is_integer():
        return Column(ColumnType.INTEGER, series=series)
    if dtype.is_float():
        wide = series if dtype in (pl.Float32, pl.Float64) else series.cast(pl.Float32)
        return Column(ColumnType.NUMBER, series=one_zero(wide.fill_nan(None)))
    if isinstance(dtype, pl.Decimal):
        return Column(ColumnType.NUMBER, series=series)
    if dtype == pl.Boolean:
        return Column(ColumnType.BOOLEAN, series=series)
    if dtype == pl.Date:
        return Column(ColumnType.DATE, series=series)
    if isinstance(dtype, pl.Datetime):
        if dtype.time_zone is not None:
            series = series.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
        return Column(ColumnType.DATETIME, series=series.dt.cast_time_unit("us"))
    if dtype in (pl.Categorical, pl.Enum):
        return from_categories(series)
    if dtype in (pl.String, pl.Null):
        return Column(ColumnType.TEXT, series=series.cast(pl.String))
    raise BadRequest(
        "holds a type that cannot be grouped or published", column=series.name, value=str(dtype).lower(), where=where
    )


def as_asked(column: Column, name: str, options: SourceOptions, where: str) -> Column:
    """Return a column in the type that is asked for; refuse values that it lacks."""
    kind = options.types.get(name, column.type)
    if kind is column.type:
        return column
    stored = column.stored()
    if kind is ColumnType.TEXT:
        return column.texts()
    if column.type is ColumnType.TEXT:
        known = stored.drop_nulls()
        bad = int((~fits(known, kind)).sum())
        if bad:
            raise misfit(name, kind, bad, where)
        stored = stored.set(is_nan(stored), None) if kind.numeric else stored
        known = stored.drop_nulls().unique()
        if not spelled_apart(known, kind):
            return Column(kind, series=stored)
        if name in options.as_written:
            return column
        return Column(kind, series=stored.replace(known, one_spelling(known, kind)))
    stored = column.typed()
    if column.type is ColumnType.INTEGER and kind is ColumnType.NUMBER:
        return Column(kind, series=stored.cast(pl.Float64))
    if column.type is ColumnType.NUMBER and kind is ColumnType.INTEGER:
        whole = stored.cast(pl.Float64).cast(pl.Int64, strict=False)
        bad = int((whole.cast(pl.Float64) != stored.cast(pl.Float64)).fill_null(True).sum()) - stored.null_count()
        if bad:
            raise misfit(name, kind, bad, where)
        return Column(kind, series=whole)
    raise BadRequest(
        f"holds {column.type.value} values, which cannot be read as {kind.value}", column=name, where=where
    )
