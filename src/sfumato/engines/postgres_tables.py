"""Tables written to PostgreSQL: in one transaction, read back and compared before it is committed, so never in part."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

from sfumato.contracts.engine import SourceOptions, Table
from sfumato.data.frozen import frozen
from sfumato.engines import open_source
from sfumato.engines.databases import columns_query, connected, literal, quoted, rows_of, selection
from sfumato.engines.sources import Source, locate
from sfumato.errors import BadRequest, InternalError, Taken, Unsupported

if TYPE_CHECKING:
    import pyarrow as pa
    from adbc_driver_manager.dbapi import Connection

__all__ = ["Destination"]

_LONGEST = 63  # bytes of a name; PostgreSQL cuts longer ones without a word
_MARK = "sfumato release, content digest "


@frozen
class Destination:
    """A table of PostgreSQL that is to be written; a release of several parts is several tables, ``name_part`` each."""

    source: Source
    schema: str
    name: str

    @classmethod
    def of(cls, address: str, table: str | None) -> Destination:
        """Return where to write, checked as far as no server is needed."""
        if not address.startswith(("postgresql://", "postgres://")):
            told = f"{urlsplit(address).scheme}://..." if "://" in address else None
            raise BadRequest("must be a postgresql:// address", parameter="to", value=told)
        if not table:
            raise BadRequest("name the table to write, as schema.name", parameter="to_table")
        schema, dot, name = table.rpartition(".")
        made = cls(locate(address, SourceOptions()), schema if dot else "public", name)
        for text in (made.schema, made.name):
            _refuse_name(text, "to_table")
        return made

    def refuse_taken(self, parts: tuple[str, ...], if_exists: Literal["fail", "skip", "replace"]) -> None:
        """Refuse a schema that is not there and tables that are, before any work; only a release may be replaced."""
        with self._connected() as connection:
            self._refuse_taken(connection, parts, if_exists)

    def store(
        self, tables: Mapping[str, Table], if_exists: Literal["fail", "skip", "replace"], memory: int | None = None
    ) -> None:
        """Write all tables and commit, if what the database holds then has the content of what was given.

        With ``skip`` a table that holds these very rows already is left as it is.
        """
        for table in tables.values():
            table.as_rows()
            for column in table.columns:
                _refuse_name(column, "column")
        with self._connected() as connection:
            self._refuse_taken(connection, tuple(tables), if_exists)
            for part, table in tables.items():
                name, digest = self._name(part, len(tables)), table.content_digest()
                held = self._mark(connection, name)
                if held is not None and if_exists == "skip":
                    if self._content(connection, name, table, memory) != digest:
                        raise Taken("holds another release already", parameter="to_table", value=name)
                    continue
                if held is not None:
                    _run(connection, f"DROP TABLE {self._place(name)}")
                self._write(connection, name, table)
                if self._content(connection, name, table, memory) != digest:
                    raise InternalError("the database does not hold the rows of the release; nothing was committed")
                _run(connection, f"COMMENT ON TABLE {self._place(name)} IS {literal(_MARK + digest)}")
            connection.commit()

    # ---- inside the transaction --------------------------------------------------------------------------------------

    @contextmanager
    def _connected(self) -> Iterator[Connection]:
        """Give a connection whose transaction is undone unless it was committed."""
        with connected(self.source, "cannot write the table; nothing was committed") as connection:
            yield connection

    def _name(self, part: str, parts: int) -> str:
        return self.name if parts == 1 else f"{self.name}_{part}"

    def _place(self, name: str) -> str:
        return f"{quoted(self.schema)}.{quoted(name)}"

    def _refuse_taken(
        self, connection: Connection, parts: tuple[str, ...], if_exists: Literal["fail", "skip", "replace"]
    ) -> None:
        schemas = [str(row[0]) for row in rows_of(connection, "SELECT nspname::text FROM pg_namespace ORDER BY 1")]
        if self.schema not in schemas:
            known = [name for name in schemas if not name.startswith("pg_") and name != "information_schema"]
            raise BadRequest("is not a schema", parameter="to_table", value=self.schema, available=known)
        for name in (self._name(part, len(parts)) for part in parts):
            _refuse_name(name, "to_table")
            held, told = self._mark(connection, name), f"{self.schema}.{name}"
            if held is None:
                continue
            if if_exists == "fail":
                raise Taken("exists already; a release never overwrites anything", parameter="to_table", value=told)
            if not held.startswith(_MARK):
                raise Taken(
                    "exists already and is no release; only that can be replaced", parameter="to_table", value=told
                )

    def _mark(self, connection: Connection, name: str) -> str | None:
        """Return what is noted of whatever has the name of a table; nothing, if none has."""
        query = (
            "SELECT coalesce(obj_description(c.oid, 'pg_class'), '') FROM pg_class c JOIN pg_namespace n "
            f"ON n.oid = c.relnamespace WHERE n.nspname = {literal(self.schema)} AND c.relname = {literal(name)}"
        )
        return next((str(row[0]) for row in rows_of(connection, query)), None)

    def _write(self, connection: Connection, name: str, table: Table) -> None:
        import pyarrow as pa

        batches = table.batches()
        first = next(batches, None)
        if first is None:
            raise Unsupported("a table without rows is not written to a database", thing="postgresql")
        schema = pa.schema([pa.field(field.name, _storable(field.type)) for field in first.schema])

        def all_batches() -> Iterator[pa.RecordBatch]:
            yield first.cast(schema)
            for batch in batches:
                yield batch.cast(schema)

        with closing(connection.cursor()) as cursor:
            rows = pa.RecordBatchReader.from_batches(schema, all_batches())
            cursor.adbc_ingest(name, rows, mode="create", db_schema_name=self.schema)

    def _content(self, connection: Connection, name: str, table: Table, memory: int | None) -> str:
        """Return the digest of what the database holds under a name, as this transaction sees it."""
        columns = [(str(column), str(kind)) for column, kind in rows_of(connection, columns_query(self.schema, name))]
        query = selection(columns, self.schema, name, self.source.where)
        with closing(connection.cursor()) as cursor:
            cursor.execute(query)
            options = SourceOptions(types=table.types, may_be_empty=True)
            return open_source(cursor.fetch_record_batch(), table.home, options, memory).content_digest()


def _run(connection: Connection, statement: str) -> None:
    with closing(connection.cursor()) as cursor:
        cursor.execute(statement)


def _storable(kind: pa.DataType) -> pa.DataType:
    """Return the type in which a database holds values: it has no numbers without sign."""
    import pyarrow as pa

    if pa.types.is_unsigned_integer(kind):
        return pa.int64()
    if pa.types.is_decimal(kind):
        return pa.float64()  # as numeric is read
    return pa.string() if pa.types.is_null(kind) else kind


def _refuse_name(text: str, parameter: str) -> None:
    if not text or "\0" in text:
        raise BadRequest("is not a name in a database", parameter=parameter, value=text)
    if len(text.encode()) > _LONGEST:
        raise BadRequest(
            f"is longer than the {_LONGEST} bytes of a name in PostgreSQL", parameter=parameter, value=text
        )
