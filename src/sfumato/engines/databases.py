"""Tables of SQLite, DuckDB and PostgreSQL as streams of Arrow batches; through ADBC, but for DuckDB."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, unquote, urlsplit

from sfumato.contracts.engine import SourceOptions
from sfumato.engines.sources import Source
from sfumato.errors import BadRequest, Unsupported

if TYPE_CHECKING:
    import pyarrow as pa
    from adbc_driver_manager.dbapi import Connection
    from duckdb import DuckDBPyConnection

__all__ = [
    "columns_query",
    "connected",
    "literal",
    "no_connection",
    "place_of",
    "quoted",
    "read_table",
    "rows_of",
    "selection",
    "table_names",
]

# Types that Arrow has too; numeric becomes a floating number, anything else its text.
_MOMENTS = frozenset({"date", "timestamp without time zone", "timestamp with time zone"})
_POSTGRES = frozenset(
    {
        "smallint",
        "integer",
        "bigint",
        "real",
        "double precision",
        "boolean",
        "date",
        "timestamp without time zone",
        "timestamp with time zone",
        "text",
        "character varying",
    }
)


_DUCKDB = frozenset(
    {"BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "FLOAT", "DOUBLE"}
    | {"DATE", "TIMESTAMP", "VARCHAR"}
)
_PORTION = 100_000


def no_connection(error: Exception, uri: str | None, where: str) -> BadRequest:
    """Return the refusal of a database that cannot be reached: the server's own reason, never with a password in it."""
    reason = str(error).partition("Failed to connect: ")[2].partition("\n")[0].replace("FATAL: ", "")
    parts = urlsplit(uri or "")
    secrets = [parts.password or "", *parse_qs(parts.query).get("password", ())]
    told = any(secret and (secret in reason or unquote(secret) in reason) for secret in secrets)
    # Behind a second @ the server's library takes the end of a password for the name of a computer.
    if not reason or told or parts.netloc.count("@") > 1:
        return BadRequest("cannot connect to the database", where=where)
    return BadRequest(f"cannot connect to the database: {' '.join(reason.split())}", where=where)


@contextmanager
def read_table(source: Source, options: SourceOptions) -> Iterator[pa.RecordBatchReader]:
    """Give an Arrow batch reader on a database table while the context is open."""
    if source.format == "duckdb":
        with _duckdb(source) as opened:
            table = _asked(_duckdb_tables(opened), source, options)
            yield opened.sql(_duckdb_query(opened, table, source.where, options.unread)).to_arrow_reader(_PORTION)
        return
    with connected(source) as connection:
        table = _asked(_tables(connection, source.format), source, options)
        query, skip = (_sqlite if source.format == "sqlite" else _postgres)(
            connection, table, source.where, options.unread
        )
        with closing(connection.cursor()) as cursor:
            cursor.execute(query)
            yield _without_first(cursor.fetch_record_batch()) if skip else cursor.fetch_record_batch()


def table_names(source: Source) -> list[str]:
    """Return the tables of a database, in the order of their names."""
    if source.format == "duckdb":
        with _duckdb(source) as opened:
            return _duckdb_tables(opened)
    with connected(source) as connection:
        return _tables(connection, source.format)


def _asked(names: list[str], source: Source, options: SourceOptions) -> str:
    """Return the table that was asked for; of several, one must be named."""
    table = options.table if options.table is not None else (names[0] if len(names) == 1 else None)
    if table is None:
        raise BadRequest("name the table to read", parameter="table", available=names, where=source.where)
    if table not in names:
        raise BadRequest("is not a table", parameter="table", value=table, available=names, where=source.where)
    return table


@contextmanager
def _duckdb(source: Source) -> Iterator[DuckDBPyConnection]:
    """Open a DuckDB file to read it; another process may read it at the same time."""
    try:
        import duckdb
    except ImportError:
        raise Unsupported(
            "reading DuckDB files needs the extra 'duckdb' (pip install 'sfumato[duckdb]')", thing="duckdb"
        ) from None
    try:
        with duckdb.connect(str(source.file), read_only=True) as connection:
            yield connection
    except duckdb.Error as error:  # what it says may hold values
        raise BadRequest(f"cannot be read as a DuckDB file ({type(error).__name__})", where=source.where) from None


def _duckdb_tables(connection: DuckDBPyConnection) -> list[str]:
    query = "SELECT table_schema, table_name FROM information_schema.tables ORDER BY 1, 2"
    return [name if schema == "main" else f"{schema}.{name}" for schema, name in connection.execute(query).fetchall()]


def _duckdb_query(connection: DuckDBPyConnection, table: str, where: str, unread: Set[str]) -> str:
    """Return a query whose columns have types that Arrow and all engines have; decimals become floating numbers."""
    schema, _, name = table.rpartition(".")
    place = f"{quoted(schema or 'main')}.{quoted(name)}"
    parts = []
    for column, kind, *_ in connection.execute(f"DESCRIBE {place}").fetchall():
        if column in unread:
            parts.append(f"NULL::VARCHAR AS {quoted(column)}")
            continue
        if kind == "BLOB":
            raise BadRequest("holds a type that cannot be grouped or published", column=column, value=kind, where=where)
        cast = "" if kind in _DUCKDB else "::DOUBLE" if kind.startswith("DECIMAL") else "::VARCHAR"
        parts.append(f"{quoted(column)}{cast} AS {quoted(column)}")
    return f"SELECT {', '.join(parts)} FROM {place}"


@contextmanager
def connected(source: Source, failed: str = "cannot read the table") -> Iterator[Connection]:
    """Give a connection; what goes wrong is told by its kind, as the text of the database may hold values."""
    connect = _driver(source.format)
    from adbc_driver_manager import Error

    try:
        connection = connect(source.uri if source.uri is not None else f"file:{source.file.resolve()}?mode=ro")
    except Error as error:
        raise no_connection(error, source.uri, source.where) from None
    with closing(connection):
        try:
            yield connection
        except Error as error:
            raise BadRequest(f"{failed} ({type(error).__name__})", where=source.where) from None


def _driver(name: str) -> Callable[[str], Connection]:
    try:
        if name == "sqlite":
            from adbc_driver_sqlite import dbapi
        else:
            from adbc_driver_postgresql import dbapi
    except ImportError:
        raise Unsupported("reading databases needs the extra 'sql' (pip install 'sfumato[sql]')", thing=name) from None
    connect: Callable[[str], Connection] = dbapi.connect
    return connect


def rows_of(connection: Connection, query: str) -> list[tuple[Any, ...]]:
    """Return the rows that answer a question, few by nature."""
    with closing(connection.cursor()) as cursor:
        cursor.execute(query)
        return list(cursor.fetchall())


def quoted(text: str) -> str:
    """Return a name as SQL writes it."""
    return '"' + text.replace('"', '""') + '"'


def literal(text: str) -> str:
    """Return a text as SQL writes it."""
    return "'" + text.replace("'", "''") + "'"


def _tables(connection: Connection, kind: str) -> list[str]:
    if kind == "sqlite":
        rows = rows_of(
            connection,
            "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%' ORDER BY name",
        )
        return [str(row[0]) for row in rows]
    rows = rows_of(
        connection,
        "SELECT table_schema::text, table_name::text FROM information_schema.tables "
        "WHERE table_schema NOT IN ('pg_catalog', 'information_schema') ORDER BY 1, 2",
    )
    return [name if schema == "public" else f"{schema}.{name}" for schema, name in rows]


def _sqlite(connection: Connection, table: str, where: str, unread: Set[str]) -> tuple[str, bool]:
    """Return a query whose columns have one type each, and that its first row only carries the types.

    SQLite types values, not columns, and the driver guesses from the first rows. So each column is cast to the type that
    holds all its values, and a row of examples goes first.
    """
    names = [str(row[1]) for row in rows_of(connection, f"PRAGMA table_info({literal(table)})")]
    casts, examples = [], []
    for name in names:
        column = quoted(name)
        if name in unread:
            casts.append(f"CAST(NULL AS TEXT) AS {column}")
            examples.append(f"'' AS {column}")
            continue
        kinds = {
            str(row[0]) for row in rows_of(connection, f"SELECT DISTINCT typeof({column}) FROM {quoted(table)}")
        } - {"null"}
        if "blob" in kinds:
            raise BadRequest("holds a type that cannot be grouped or published", column=name, value="blob", where=where)
        kind, example = ("TEXT", "''")
        if kinds and kinds <= {"integer"}:
            kind, example = "INTEGER", "0"
        elif kinds and kinds <= {"integer", "real"}:
            kind, example = "REAL", "0.5"
        casts.append(f"CAST({column} AS {kind}) AS {column}")
        examples.append(f"{example} AS {column}")
    return f"SELECT {', '.join(examples)} UNION ALL SELECT {', '.join(casts)} FROM {quoted(table)}", True


def _postgres(connection: Connection, table: str, where: str, unread: Set[str]) -> tuple[str, bool]:
    schema, name = place_of(table)
    columns = [(str(column), str(kind)) for column, kind in rows_of(connection, columns_query(schema, name))]
    _refuse_endless(
        connection, [column for column, kind in columns if kind in _MOMENTS and column not in unread], table, where
    )
    return selection(columns, schema, name, where, unread), False


def _refuse_endless(connection: Connection, columns: Sequence[str], table: str, where: str) -> None:
    """Refuse moments that PostgreSQL has and nobody else: infinite ones, and those of years before 1 or after 9999."""
    if not columns:
        return
    schema, name = place_of(table)
    strange = "bool_or(NOT isfinite({0}) OR {0} < DATE '0001-01-01' OR {0} >= DATE '10000-01-01')"
    asked = ", ".join(strange.format(quoted(column)) for column in columns)
    (found,) = rows_of(connection, f"SELECT {asked} FROM {quoted(schema)}.{quoted(name)}")
    for column, bad in zip(columns, found, strict=True):
        if bad:
            raise BadRequest(
                "holds moments that are infinite or of a year before 1 or after 9999, which no file can tell",
                column=column,
                where=where,
            )


def place_of(table: str) -> tuple[str, str]:
    """Return the schema and the name of a table of PostgreSQL.

    >>> place_of("visits"), place_of("clinic.visits")
    (('public', 'visits'), ('clinic', 'visits'))
    """
    schema, dot, name = table.rpartition(".")
    return schema if dot else "public", name


def columns_query(schema: str, name: str) -> str:
    """Return the question for the columns of a table of PostgreSQL and their types, in order."""
    return (
        "SELECT column_name::text, data_type::text FROM information_schema.columns "
        f"WHERE table_schema = {literal(schema)} AND table_name = {literal(name)} ORDER BY ordinal_position"
    )


def selection(
    columns: Iterable[tuple[str, str]], schema: str, name: str, where: str, unread: Set[str] = frozenset()
) -> str:
    """Return the query for a table of PostgreSQL, each column in a type that all engines have."""
    parts = []
    for column, kind in columns:
        if column in unread:
            parts.append(f"NULL::text AS {quoted(column)}")
            continue
        if kind == "bytea":
            raise BadRequest("holds a type that cannot be grouped or published", column=column, value=kind, where=where)
        cast = "" if kind in _POSTGRES else "::double precision" if kind == "numeric" else "::text"
        parts.append(f"{quoted(column)}{cast} AS {quoted(column)}")
    return f"SELECT {', '.join(parts)} FROM {quoted(schema)}.{quoted(name)}"


def _without_first(reader: pa.RecordBatchReader) -> pa.RecordBatchReader:
    import pyarrow as pa

    def rest() -> Iterator[pa.RecordBatch]:
        first = True
        for batch in reader:
            yield batch.slice(1) if first and batch.num_rows else batch
            first = first and not batch.num_rows

    return pa.RecordBatchReader.from_batches(reader.schema, rest())
