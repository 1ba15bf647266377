"""Sources into queries: Parquet is queried where it lies, everything else is kept in the session's database."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import polars as pl

from sfumato.contracts.engine import SourceOptions
from sfumato.data.schema import ColumnType
from sfumato.engines import frames
from sfumato.engines.duckdb_delimited import open_delimited
from sfumato.engines.duckdb_fields import PORTION, Field, Opened, canonical_pairs, path_literal, spelled_twice, stamp_of
from sfumato.engines.duckdb_session import Session, literal
from sfumato.engines.inference import Guess, fits
from sfumato.engines.parts import files
from sfumato.engines.probing import refuse_damaged
from sfumato.engines.sources import STATISTICAL, Source, check_columns, locate, misfit, refuse_spelled_apart
from sfumato.errors import BadRequest

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["as_asked", "open_source"]

_MOST_IN_A_FILE = 1 << 40
_TYPES = {
    ColumnType.INTEGER: ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"),
    ColumnType.NUMBER: ("FLOAT", "DOUBLE"),
    ColumnType.BOOLEAN: ("BOOLEAN",),
    ColumnType.DATE: ("DATE",),
    ColumnType.DATETIME: (
        "TIMESTAMP",
        "TIMESTAMP_NS",
        "TIMESTAMP_MS",
        "TIMESTAMP_S",
        "TIMESTAMP WITH TIME ZONE",
        "TIMESTAMPTZ_NS",
    ),
    ColumnType.TEXT: ("VARCHAR", "UUID", '"NULL"'),
}
_JSON = {pl.String: "VARCHAR", pl.Int64: "BIGINT", pl.Float64: "DOUBLE", pl.Boolean: "BOOLEAN", pl.Null: "VARCHAR"}


def open_source(session: Session, source: object, options: SourceOptions) -> Opened:
    """Return the query behind a source."""
    if not isinstance(source, (str, Path)):
        return _frame(session, source, options)
    place = locate(source, options)
    refuse_damaged(place)
    try:
        if place.format in ("csv", "tsv"):
            return open_delimited(session, place, options)
        if place.format == "parquet":
            return _parquet(session, place, options)
        if place.format == "jsonl":
            return _jsonl(session, place, options)
        if place.format == "arrow":
            return _ipc(session, place, options)
        if place.format == "xlsx":
            from sfumato.engines.spreadsheets import read_sheet

            return _stream(session, read_sheet(place, options).to_reader(), place.where, options)
        if place.format in STATISTICAL:
            from sfumato.engines.statistical import read_statistical

            return _stream(session, read_statistical(place, options).to_reader(), place.where, options)
        from sfumato.engines.databases import read_table

        with read_table(place, options) as reader:
            return _stream(session, reader, place.where, options)
    except (session.error, pl.exceptions.PolarsError, OSError) as error:
        # The texts of these errors may quote rows; the kind of error is all that is told.
        raise BadRequest(f"cannot be read as {place.format} ({type(error).__name__})", where=place.where) from None


# ---- typed sources ---------------------------------------------------------------------------------------------------


def _parquet(session: Session, place: Source, options: SourceOptions) -> Opened:
    import pyarrow as pa
    import pyarrow.parquet as pq

    parts = files(place.file)
    try:
        names = list(pq.read_schema(parts[0]).names)
    except pa.ArrowInvalid as error:
        raise BadRequest(f"cannot be read as parquet ({type(error).__name__})", where=place.where) from None
    # Statistics in the file say nothing of NaN; without the hint tests for it are taken as settled.
    listed = ", ".join(map(path_literal, parts))
    rows = f"read_parquet([{listed}], file_row_number=true, hive_partitioning=false, can_have_nan=true)"
    # Rows are numbered file by file; together both numbers name a row.
    number = "file_row_number" if len(parts) == 1 else f"file_row_number + file_index * {_MOST_IN_A_FILE}"
    return _typed(session, names, rows, number, place.where, options, file=place.file)


def _jsonl(session: Session, place: Source, options: SourceOptions) -> Opened:
    if options.may_be_empty and not place.file.stat().st_size:
        empty = pl.DataFrame(schema=dict.fromkeys(options.types, pl.String))  # no row says what columns there are
        return _stream(session, empty.to_arrow().to_reader(), place.where, options)
    schema = pl.scan_ndjson(place.file, infer_schema_length=None).collect_schema()
    columns = []
    for name, dtype in schema.items():
        kind = _JSON.get(dtype.base_type())
        if kind is None:
            raise _unfit(name, str(dtype), place.where)
        columns.append(f"{literal(name)}: '{kind}'")
    check_columns(list(schema), place.where, options)
    refuse_spelled_apart(place, [name for name in options.as_written & {*schema} if schema[name].is_float()])
    table = session.name()
    session.run(
        f"CREATE TABLE {table} AS SELECT * FROM read_json({path_literal(place.file)}, format='newline_delimited', "
        f"columns={{{', '.join(columns)}}})"
    )
    return _typed(session, list(schema), table, "rowid", place.where, options)


def _ipc(session: Session, place: Source, options: SourceOptions) -> Opened:
    import pyarrow as pa

    try:
        with pa.memory_map(str(place.file)) as file:
            reader = pa.ipc.open_file(file)
            batches = (reader.get_batch(at) for at in range(reader.num_record_batches))
            return _stream(session, pa.RecordBatchReader.from_batches(reader.schema, batches), place.where, options)
    except pa.ArrowException as error:
        raise BadRequest(f"cannot be read as arrow ({type(error).__name__})", where=place.where) from None


def _frame(session: Session, source: Any, options: SourceOptions) -> Opened:
    if hasattr(source, "read_next_batch"):  # a stream of Arrow
        return _stream(session, source, "the stream", options)
    kind = frames.kind_of(source)
    if kind == "duckdb":
        opened = _stream(session, source.to_arrow_reader(PORTION), "the frame", options)
    else:
        table, kind = frames.to_arrow(source)
        opened = _stream(session, table.to_reader(), "the frame", options)
    return Opened(opened.query, opened.fields, kind)


def _stream(session: Session, reader: pa.RecordBatchReader, where: str, options: SourceOptions) -> Opened:
    """Store a stream of Arrow batches; columns get numbers for names, as SQL does not tell ``Age`` from ``age``."""
    import pyarrow as pa

    names = list(reader.schema.names)
    check_columns(names, where, options)
    if not names:
        raise BadRequest("has no columns", where=where)
    schema = pa.schema([pa.field(f"c{at}", _storable(field.type)) for at, field in enumerate(reader.schema)])

    def renamed() -> Iterator[pa.RecordBatch]:
        for batch in reader:
            yield pa.RecordBatch.from_arrays(
                [column.cast(field.type) for column, field in zip(batch.columns, schema, strict=True)], schema=schema
            )

    table = session.store(pa.RecordBatchReader.from_batches(schema, renamed()))
    return _typed(session, names, table, "rowid", where, options)


def _storable(kind: pa.DataType) -> pa.DataType:
    import pyarrow as pa

    if pa.types.is_null(kind) or pa.types.is_dictionary(kind):
        return pa.string()
    if pa.types.is_date64(kind):
        return pa.date32()
    return pa.float32() if pa.types.is_float16(kind) else kind


def _typed(
    session: Session,
    names: list[str],
    rows: str,
    number: str,
    where: str,
    options: SourceOptions,
    file: Path | None = None,
) -> Opened:
    """Return the query over rows that have types, each column in the one form that all engines store."""
    check_columns(names, where, options)
    found = session.run(f"DESCRIBE SELECT * FROM {rows}")
    if not options.may_be_empty and not session.run(f"SELECT count(*) FROM {rows}")[0][0]:
        raise BadRequest("has no rows", where=where)
    fields, parts = {}, []
    for at, (name, (held, stored, *_)) in enumerate(zip(names, found, strict=False)):
        column, key = '"' + held.replace('"', '""') + '"', f"c{at}"
        kind, stored, expression = _form(name, str(stored), column, where)
        if kind is ColumnType.TEXT and options.missing and options.missing != SourceOptions().missing:
            tokens = ", ".join(map(literal, options.missing))
            expression = f"CASE WHEN {expression} IN ({tokens}) THEN NULL ELSE {expression} END"
        if name in options.formats:
            kind, stored, expression = _rewritten(session, rows, name, Field(column, kind, stored), options, where)
        asked = options.types.get(name, kind)
        if asked is not kind:
            field = Field(column, kind, stored)
            kind, stored, expression = as_asked(session, rows, name, field, expression, options, where)
        fields[name] = Field(key, kind, stored)
        parts.append(f"{expression} AS {key}")
    stamp = () if file is None else stamp_of(file)
    return Opened(f"SELECT {', '.join(parts)}, {number} AS r FROM {rows}", fields, file=file, stamp=stamp)


def _rewritten(
    session: Session, rows: str, name: str, field: Field, options: SourceOptions, where: str
) -> tuple[ColumnType, str, str]:
    """Return type, storage and SQL of a column whose texts, or whole numbers, are written in a format of their own."""
    text = field.text
    lost = ", ".join(map(literal, options.missing)) or "NULL"
    pairs = canonical_pairs(
        session, f"FROM {rows} WHERE {text} IS NOT NULL AND {text} NOT IN ({lost})", text, name, options, where
    )
    if pairs is None:
        return field.type, field.stored, field.key
    guess = Guess()
    guess.see(cast(pl.DataFrame, pl.from_arrow(session.arrow(f"SELECT DISTINCT v FROM {pairs}")))["v"])
    kind = guess.type()
    return kind, "VARCHAR", f"(SELECT {Field('p.v', kind).cell} FROM {pairs} AS p WHERE p.k = {text})"


def _form(name: str, stored: str, column: str, where: str) -> tuple[ColumnType, str, str]:
    if stored.startswith("DECIMAL"):
        return ColumnType.NUMBER, stored, column
    if stored.startswith("ENUM"):
        return ColumnType.TEXT, "VARCHAR", f"CAST({column} AS VARCHAR)"
    kind = next((kind for kind, known in _TYPES.items() if stored in known), None)
    if kind is None:
        raise _unfit(name, stored, where)
    if kind is ColumnType.NUMBER:
        return kind, stored, f"CASE WHEN isnan({column}) THEN NULL WHEN {column} = 0 THEN 0 ELSE {column} END"
    if kind is ColumnType.DATETIME and stored.endswith("_NS"):
        ticks = f"epoch_ns({column})"  # a cast would round, as no other engine does
        return kind, "TIMESTAMP", f"make_timestamp(({ticks} - ({ticks} % 1000 + 1000) % 1000) // 1000)"
    if kind is ColumnType.DATETIME:
        utc = f"({column} AT TIME ZONE 'UTC')" if stored.endswith("ZONE") else column
        return kind, "TIMESTAMP", f"CAST({utc} AS TIMESTAMP)"
    if kind is ColumnType.TEXT and stored != "VARCHAR":
        return kind, "VARCHAR", f"CAST({column} AS VARCHAR)"
    return kind, stored, column


def _unfit(name: str, stored: str, where: str) -> BadRequest:
    return BadRequest(
        "holds a type that cannot be grouped or published", column=name, value=stored.lower(), where=where
    )


def as_asked(
    session: Session, rows: str, name: str, field: Field, expression: str, options: SourceOptions, where: str
) -> tuple[ColumnType, str, str]:
    """Return type, storage and SQL of a column that the caller wants in another type."""
    asked = options.types[name]
    if asked is ColumnType.TEXT:
        return asked, "VARCHAR", Field(f"({expression})", field.type, field.stored).text
    if field.type is ColumnType.TEXT:
        query = f"SELECT {expression} AS c, count(*) AS n FROM {rows} WHERE {expression} IS NOT NULL GROUP BY 1"
        bad = 0
        for table in session.stream(query, PORTION):
            portion = cast(pl.DataFrame, pl.from_arrow(table))
            bad += int(portion.filter(~fits(portion["c"], asked))["n"].sum())
        if bad:
            raise misfit(name, asked, bad, where)
        if asked.numeric:
            expression = f"CASE WHEN lower({expression}) = 'nan' THEN NULL ELSE {expression} END"
        if not spelled_twice(session, f"SELECT {expression} AS c FROM {rows}", asked):
            return asked, "VARCHAR", expression
        if name in options.as_written:
            return ColumnType.TEXT, "VARCHAR", expression
        one = Field(f"({expression})", asked)
        return asked, "VARCHAR", f"CASE WHEN {one.key} IS NULL THEN NULL ELSE {one.cell} END"
    if field.type is ColumnType.INTEGER and asked is ColumnType.NUMBER:
        return asked, "DOUBLE", f"CAST({expression} AS DOUBLE)"
    if field.type is ColumnType.NUMBER and asked is ColumnType.INTEGER:
        number = f"CAST({expression} AS DOUBLE)"
        whole = f"TRY_CAST({number} AS BIGINT)"
        test = f"{expression} IS NOT NULL AND ({whole} IS NULL OR CAST({whole} AS DOUBLE) <> {number})"
        bad = session.run(f"SELECT count(*) FROM {rows} WHERE {test}")[0][0]
        if bad:
            raise misfit(name, asked, int(bad), where)
        return asked, "BIGINT", whole
    raise BadRequest(
        f"holds {field.type.value} values, which cannot be read as {asked.value}", column=name, where=where
    )
