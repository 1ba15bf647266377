"""Sources into queries of Spark: its own DataFrames, Parquet, delimited text and JDBC tables stay where they are.

Whatever else there is (spreadsheets, frames of this process) is small by nature, read in memory and handed over as Parquet.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from sfumato.contracts.engine import SourceOptions
from sfumato.data.schema import ColumnType
from sfumato.data.text import written_text
from sfumato.engines import frames, spark_jdbc
from sfumato.engines.delimited import inspect
from sfumato.engines.footers import narrow_columns, stored_types
from sfumato.engines.parts import files
from sfumato.engines.patterns import FORCED, PATTERNS
from sfumato.engines.probing import refuse_damaged
from sfumato.engines.sources import Source, check_columns, locate, misfit
from sfumato.engines.spark_counts import Counted, remembered
from sfumato.engines.spark_engine import SparkEngine, SparkTable
from sfumato.engines.spark_fields import SparkField, fresh_name, moment_in_utc
from sfumato.engines.spark_session import NANOSECONDS, private_folder, read_from, refusals, session
from sfumato.errors import BadRequest, Unsupported

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["open_source"]

_TYPES = {
    "tinyint": ColumnType.INTEGER,
    "smallint": ColumnType.INTEGER,
    "int": ColumnType.INTEGER,
    "bigint": ColumnType.INTEGER,
    "float": ColumnType.NUMBER,
    "double": ColumnType.NUMBER,
    "boolean": ColumnType.BOOLEAN,
    "date": ColumnType.DATE,
    "timestamp": ColumnType.DATETIME,
    "timestamp_ntz": ColumnType.DATETIME,
    "string": ColumnType.TEXT,
    "void": ColumnType.TEXT,
}
_UNSIGNED, _NANOSECONDS = "bitWidth=64, isSigned=false", "timeUnit=nanoseconds"
_UNREAD = {
    "Float16": "holds numbers of 16 bits, which the engine spark has no type for; use duckdb or polars",
    "Time(": "holds a type that cannot be grouped or published",
}


def open_source(engine: SparkEngine, source: object, options: SourceOptions) -> SparkTable:
    """Return the table of a source."""
    if isinstance(source, SparkTable):
        check_columns(list(source.types), "the table", options)
        return _as_asked(source, "the table", options)
    if frames.is_spark(source):
        return _typed(engine, cast("DataFrame", source), "the frame", options)
    spark = session(engine.master, engine.memory)
    if isinstance(source, str) and source.startswith("jdbc:"):
        frame, where = spark_jdbc.any_table(spark, source, options)
        return _typed(engine, frame, where, options)
    place = locate(source, options) if isinstance(source, (str, Path)) else None
    if place is not None and place.format == "postgresql":
        return _typed(engine, spark_jdbc.postgresql_table(spark, place, options), place.where, options)
    if place is not None and place.format == "parquet":
        refuse_damaged(place, described=True)
        types = stored_types(files(place.file)[0])
        _refuse_unread(spark, types, place.where)
        with refusals(place.where):
            frame = spark.read.parquet(*map(read_from, files(place.file)))
        known = remembered(place.file)
        known = known if known.about else replace(known, about=narrow_columns(files(place.file)))
        return _typed(engine, _as_meant(frame, types, place.where), place.where, options, known)
    if place is not None and place.format in ("csv", "tsv"):
        return _delimited(engine, place, options)
    from sfumato.engines.polars_engine import PolarsEngine

    small, path = PolarsEngine().open(source, options), Path(private_folder()) / "rows.parquet"
    small.write(path)
    with refusals("the frame"):
        frame = spark.read.parquet(read_from(path))
    return _typed(engine, frame, "the frame", SourceOptions(may_be_empty=options.may_be_empty))


# ---- typed sources ---------------------------------------------------------------------------------------------------


def _typed(
    engine: SparkEngine, frame: DataFrame, where: str, options: SourceOptions, known: Counted | None = None
) -> SparkTable:
    """Return rows that have types, each column in the one form that all engines count."""
    names = list(frame.columns)
    check_columns(names, where, options)
    if not names:
        raise BadRequest("has no columns", where=where)
    held = frame.toDF(*(f"c{at}" for at in range(len(names))))  # Spark does not tell `Age` from `age`
    lost = options.missing if options.missing != SourceOptions().missing else ()
    fields, parts = {}, []
    for at, (name, declared) in enumerate(zip(names, held.schema.fields, strict=True)):
        stored, key = declared.dataType.simpleString(), fresh_name()
        decimal = stored.startswith("decimal")
        kind = ColumnType.NUMBER if decimal else _TYPES.get(stored.partition("(")[0].replace("varchar", "string"))
        if kind is None:
            raise BadRequest("holds a type that cannot be grouped or published", column=name, value=stored, where=where)
        parts.append(f"{_form(f'c{at}', stored, kind)} AS {key}")
        fields[name] = SparkField(key, kind, decimal)
    with refusals(where):
        held = held.selectExpr(*parts)
        if not options.may_be_empty and held.isEmpty():
            raise BadRequest("has no rows", where=where)
    table = SparkTable(engine, held, fields, known)
    texts = [name for name in names if lost and table.types[name] is ColumnType.TEXT]
    return _as_asked(_without_tokens(table, texts, lost), where, options)


def _as_meant(frame: DataFrame, types: Mapping[str, str], where: str) -> DataFrame:
    """Return rows in the types that other engines read where Spark has none of its own.

    Whole numbers without a sign come as decimal numbers, moments in nanoseconds as whole numbers, nothing at all as well.
    """
    from pyspark.sql import functions as F

    names = list(frame.columns)
    keys = {f"c{at}": types.get(name, "") for at, name in enumerate(names)}  # dots would name parts of columns
    unsigned = [key for key, kind in keys.items() if _UNSIGNED in kind]
    meant = {key: F.col(key).cast("bigint") for key in unsigned}
    micros = "timestamp_micros(({0} - pmod({0}, 1000)) div 1000)"  # whole numbers: a fraction would round
    meant |= {key: F.expr(micros.format(key)) for key, kind in keys.items() if _NANOSECONDS in kind}
    meant |= {key: F.lit(None).cast("string") for key, kind in keys.items() if kind == "Null"}
    if not meant:
        return frame
    held = frame.toDF(*keys)
    with refusals(where):
        most = held.agg(*map(F.max, unsigned)).first() if unsigned else None
        for key, value in zip(unsigned, most or (), strict=False):
            if value is not None and value >= 1 << 63:
                raise BadRequest(
                    "holds whole numbers of 2^63 or more, which the engine spark has no type for; use duckdb or polars",
                    column=names[int(key[1:])],
                    where=where,
                )
        return held.withColumns(meant).toDF(*names)


def _refuse_unread(spark: SparkSession, types: Mapping[str, str], where: str) -> None:
    """Refuse by name what Spark does not read, or what a session that is not ours does not."""
    for name, kind in types.items():
        told = next((why for begin, why in _UNREAD.items() if kind.startswith(begin)), None)
        if told is None and _NANOSECONDS in kind and spark.conf.get(NANOSECONDS, "false") != "true":
            told = f"holds moments in nanoseconds, which this session of Spark reads with {NANOSECONDS}=true"
        if told is not None:
            raise BadRequest(told, column=name, where=where)


def _form(column: str, stored: str, kind: ColumnType) -> str:
    if stored in ("float", "double"):
        number = f"cast({column} AS double)"
        return f"if(isnan({column}), NULL, if({column} = 0, 0D, {number}))"
    if stored == "timestamp":
        return moment_in_utc(column)
    if kind is ColumnType.INTEGER:
        return f"cast({column} AS bigint)"
    return f"cast({column} AS string)" if kind is ColumnType.TEXT else column


def _without_tokens(table: SparkTable, names: Iterable[str], tokens: Iterable[str]) -> SparkTable:
    """Return a table in which texts that stand for a missing value are missing."""
    from pyspark.sql import functions as F

    unwanted = list(tokens)
    new = {name: table.field(name).key for name in names}
    cells = {key: F.when(~F.col(key).isin(unwanted), F.col(key)) for key in new.values()} if unwanted else {}
    return table.with_columns(cells) if cells else table


# ---- delimited text --------------------------------------------------------------------------------------------------


def _delimited(engine: SparkEngine, place: Source, options: SourceOptions) -> SparkTable:
    dialect = inspect(place, options)
    if not dialect.unpacked:
        raise Unsupported(
            "the engine spark reads UTF-8 with the header in the first line; write the file so, or as Parquet",
            thing="spark",
            alternatives=["duckdb", "polars"],
        )
    spark, address = session(engine.master, engine.memory), read_from(dialect.path)
    keys = [fresh_name() for _ in dialect.header]
    with refusals(place.where):
        # Where no line has an odd number of quotes, none goes on in the next one, and lines are read by many at a time.
        open_lines = spark.read.text(address).where("length(value) % 2 != length(replace(value, '\"', '')) % 2")
        reader = spark.read.option("multiLine", not open_lines.isEmpty()).option("header", True)
        reader = reader.options(sep=dialect.separator, quote='"', escape='"', mode="FAILFAST", enforceSchema=True)
        frame = reader.schema(", ".join(f"{key} STRING" for key in keys)).csv(address)
    if "" not in options.missing:
        frame = frame.na.fill("")
    fields = {name: SparkField(key, ColumnType.TEXT) for name, key in zip(dialect.header, keys, strict=True)}
    read = [name for name in fields if name not in options.ignored]
    table = _without_tokens(SparkTable(engine, frame, fields), read, [token for token in options.missing if token])
    try:
        table = _in_canonical_form(table, options, place.where) if options.formats else table
        types, rows = _guessed(table, read, options.types)
    except BadRequest:
        dialect.check()  # names the line, if it is the text that is at fault
        raise
    if not rows and not options.may_be_empty:
        raise BadRequest("has a header but no rows", where=place.where)
    return _as_asked(table, place.where, replace(options, types={**types, **options.types}))


def _in_canonical_form(table: SparkTable, options: SourceOptions, where: str) -> SparkTable:
    """Return a table with the texts of other formats as we write them; Polars, which no other run here needs, rewrites them."""
    import polars as pl

    from sfumato.engines.formats import in_canonical_form

    for name in options.formats:
        texts = pl.Series(name, list(table.dictionary(name).values), dtype=pl.String)
        canonical = in_canonical_form(texts, name, options, where)
        if canonical is not None:
            table = table.relabel([name], [[*texts, None]], {name: [*canonical, None]})
    return table


def _guessed(
    table: SparkTable, names: Iterable[str], given: Mapping[str, ColumnType]
) -> tuple[dict[str, ColumnType], int]:
    """Find the types that all texts of each column have, in one pass, as :class:`~sfumato.engines.inference.Guess` does."""
    asked = ["count(1)"]
    open_names = [name for name in names if name not in given]
    for name in open_names:
        key = table.field(name).key
        known = f"{key} IS NOT NULL AND NOT {_nan(key)}"
        asked += [f"count_if({known})", f"count_if({_nan(key)})"]
        asked += [f"count_if({known} AND NOT ({_fitting(key, kind, PATTERNS)}))" for kind in PATTERNS]
        whole = f"{key} RLIKE {_pattern(PATTERNS[ColumnType.INTEGER])}"
        asked.append(f"count_if({whole} AND try_cast({key} AS bigint) IS NULL)")
    rows, *found = table.figures(asked)
    types, each = dict[str, ColumnType](), len(PATTERNS) + 3
    for at, name in enumerate(open_names):
        seen, nan, *wrong, beyond = found[at * each : (at + 1) * each]
        fitting = {kind for kind, bad in zip(PATTERNS, wrong, strict=True) if not bad}
        # A whole number beyond 64 bits is a code: as a floating number it would lose digits.
        fitting -= {ColumnType.INTEGER, ColumnType.NUMBER} if beyond else set()
        fits = [kind for kind in ColumnType if kind in fitting and (kind.numeric or not nan)]
        types[name] = fits[0] if seen and fits else ColumnType.TEXT
    return types, rows


def _nan(key: str) -> str:
    return f"(lower({key}) <=> 'nan')"


def _pattern(pattern: str) -> str:
    # In Java a dollar sign also stands before the end of the last line.
    return "r'" + pattern.removesuffix("$") + "\\z'"


def _fitting(key: str, kind: ColumnType, patterns: Mapping[ColumnType, str]) -> str:
    value = _parsed(key, kind)
    finite = f" AND abs({value}) < double('infinity')" if kind is ColumnType.NUMBER else ""
    return f"{key} RLIKE {_pattern(patterns[kind])} AND {value} IS NOT NULL{finite}"


def _parsed(key: str, kind: ColumnType) -> str:
    """Return texts as values of a type, as SQL."""
    if kind is ColumnType.NUMBER:
        number = f"try_cast({key} AS double)"
        return f"if({number} = 0, 0D, if({_nan(key)}, NULL, {number}))"
    if kind is ColumnType.BOOLEAN:
        return f"(lower({key}) IN ('true', '1'))"
    name = {ColumnType.INTEGER: "bigint", ColumnType.DATE: "date", ColumnType.DATETIME: "timestamp_ntz"}[kind]
    return f"try_cast({key} AS {name})"


# ---- types that are asked for ----------------------------------------------------------------------------------------


def _as_asked(table: SparkTable, where: str, options: SourceOptions) -> SparkTable:
    """Return a table whose columns have the types that are asked for; refuse values that these lack, all in one pass."""
    other = {name: kind for name, kind in options.types.items() if table.types[name] is not kind}
    wrong, new = dict[str, str](), dict[str, tuple[ColumnType, str]]()
    for name, kind in other.items():
        field = table.field(name)
        key, value = field.key, field.value
        if kind is ColumnType.TEXT:
            continue
        if field.type is ColumnType.TEXT:
            bad = f"{key} IS NOT NULL AND NOT ({_fitting(key, kind, FORCED)})"
            wrong[name] = f"count_if({bad}{f' AND NOT {_nan(key)}' if kind.numeric else ''})"
            new[name] = kind, _parsed(key, kind)
        elif field.type is ColumnType.INTEGER and kind is ColumnType.NUMBER:
            new[name] = kind, f"cast({key} AS double)"
        elif field.type is ColumnType.NUMBER and kind is ColumnType.INTEGER:
            whole = f"try_cast({value} AS bigint)"
            wrong[name] = f"count_if({key} IS NOT NULL AND NOT ({whole} <=> {value}))"
            new[name] = kind, whole
        else:
            raise BadRequest(
                f"holds {field.type.value} values, which cannot be read as {kind.value}", column=name, where=where
            )
    apart = [name for name in options.as_written if name in new and table.types[name] is ColumnType.TEXT]
    spelled = [f"count(DISTINCT {part})" for name in apart for part in (table.field(name).key, new[name][1])]
    found = table.figures([*wrong.values(), *spelled]) if wrong or spelled else []
    for name, many in zip(wrong, found, strict=False):
        if many:
            raise misfit(name, other[name], many, where)
    for at, name in enumerate(apart):
        if found[len(wrong) + 2 * at] > found[len(wrong) + 2 * at + 1]:
            del new[name]  # rows that look different count as different
    table = table.retyped(new)
    for name, kind in other.items():
        if kind is ColumnType.TEXT:
            values = table.dictionary(name).values
            table = table.relabel([name], [[*values, None]], {name: [*map(written_text, values), None]})
    return table
