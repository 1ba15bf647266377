"""A private DuckDB database with a temporary folder: what memory may not hold waits there, and goes with its last table."""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from itertools import count
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, TypedDict

from sfumato.data.amounts import amount_text, bytes_of
from sfumato.data.content import cell_text
from sfumato.data.leftovers import TemporaryFolder
from sfumato.engines.texts import as_text
from sfumato.errors import BadRequest, TooLittle, Unsupported

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

__all__ = ["Bounds", "Session", "literal"]


def literal(text: str) -> str:
    """Return a text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


# DuckDB evaluates the annotations of its functions, where pyarrow is not imported yet.
def _texts(values: Any) -> Any:
    import polars as pl
    import pyarrow as pa

    return as_text(pl.Series(values=values)).to_arrow().cast(pa.string())


_cell = lru_cache(1 << 16)(cell_text)


def _cells(values: Any) -> Any:
    import pyarrow as pa

    coded = values.combine_chunks().dictionary_encode()
    texts = pa.array([_cell(value) for value in coded.dictionary.to_pylist()], pa.string())
    return texts.take(coded.indices)


_FUNCTIONS = (
    ("number_text", "DOUBLE", _texts),
    ("single_text", "FLOAT", _texts),
    ("moment_text", "TIMESTAMP", _texts),
    ("number_cell", "DOUBLE", _cells),
)


_LOOKED_AFTER = 0.02  # seconds
_THREAD = 125_000_000  # bytes that DuckDB wants for each of its threads
_PRESSED = "Query interrupted"  # what DuckDB says when Ctrl-C ends a query


class Bounds(TypedDict):
    """What a database may use."""

    memory_limit: str | None
    threads: int | None
    directory: str | None
    temp: str | None


class Session:
    """A connection, the folder behind it, and names for the small tables that queries join with."""

    def __init__(self, bounds: Bounds) -> None:
        try:
            import duckdb
        except ImportError:
            raise Unsupported(
                "the DuckDB engine needs the extra 'duckdb' (pip install 'sfumato[duckdb]')", thing="duckdb"
            ) from None
        self._duckdb = duckdb
        self.bounds, directory = bounds, bounds["directory"]
        self.error: type[Exception] = duckdb.Error  # the base class of what DuckDB raises
        try:
            owned = TemporaryFolder(directory)
        except OSError as error:
            raise BadRequest(
                f"cannot be used for temporary files ({error.strerror})", parameter="duckdb.directory", value=directory
            ) from None
        self.folder = owned.path
        # Nothing is fetched at run time: what is not in the package is not there.
        config: dict[str, str | int] = {
            "temp_directory": str(self.folder / "spill"),
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "preserve_insertion_order": True,
        }
        config |= {"memory_limit": bounds["memory_limit"]} if bounds["memory_limit"] is not None else {}
        config |= {"threads": bounds["threads"]} if bounds["threads"] is not None else {}
        config |= {"max_temp_directory_size": bounds["temp"]} if bounds["temp"] is not None else {}
        try:
            # Within a bound rows wait on disk; without one they stay in memory, and spill where most of the machine's is taken.
            place = ":memory:" if bounds["memory_limit"] is None else str(self.folder / "rows.db")
            self._connection = duckdb.connect(place, config=config)
        except duckdb.Error:
            owned.remove()
            fine = bounds["memory_limit"] is None or bytes_of(bounds["memory_limit"])
            wrong, value = ("temp", bounds["temp"]) if fine else ("memory_limit", bounds["memory_limit"])
            raise BadRequest(
                "is not an amount of memory such as 2GB", parameter=f"duckdb.{wrong}", value=value
            ) from None
        ended = Event()
        self._end = weakref.finalize(self, _close, self._connection, owned, ended)
        self._numbers = count()
        self._asked, self._overfull = set[Any](), False
        bound = None if bounds["temp"] is None else bytes_of(bounds["temp"])
        if bound is not None:
            Thread(target=_watch, args=(weakref.ref(self), self.folder / "spill", bound, ended), daemon=True).start()
        for name, kind, function in _FUNCTIONS:
            self._connection.create_function(name, function, [kind], "VARCHAR", type="arrow", null_handling="special")

    @property
    def most_numbers(self) -> int | None:
        """How many numbers may come to this process, ``None`` without a bound.

        Of a bound on the whole DuckDB gets three fifths (see :mod:`sfumato.tables.open`); of the other two a number takes four
        bytes, and three copies of it are made.
        """
        limit = None if self.bounds["memory_limit"] is None else bytes_of(self.bounds["memory_limit"])
        return None if limit is None else limit * 2 // 3 // 12

    def name(self) -> str:
        """Return a name that is not in use."""
        return f"t{next(self._numbers)}"

    @contextmanager
    def _limits(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            told = self._refusal(error)
            if told is not None:
                raise told from None
            if type(error) is RuntimeError and str(error) == _PRESSED:
                raise KeyboardInterrupt from None
            raise
        if self._overfull:  # it ended before it could be interrupted
            raise self._too_little_space()

    def _too_little_space(self) -> TooLittle:
        return TooLittle("is too little for the temporary files of this table", parameter="duckdb.temp")

    def _refusal(self, error: Exception) -> BadRequest | None:
        """Return what bound an error is about, if it is about one."""
        full = isinstance(error, self._duckdb.OutOfMemoryException)
        if self._overfull or (full and "max_temp_directory_size" in str(error)):
            return self._too_little_space()
        if full:
            threads = self.bounds["threads"] or os.cpu_count() or 1
            held = self.bounds["memory_limit"] and bytes_of(self.bounds["memory_limit"])
            needed = max(threads * _THREAD, 2 * (held or 0))
            return TooLittle(
                f"is too little for this table: DuckDB has {amount_text(held) if held else 'most of this machine'} of it, and "
                f"asks for {amount_text(threads * _THREAD)} or more to sort and count in files with {threads} thread(s); "
                f"limits.memory: {amount_text(needed * 5 // 3)} may serve",
                parameter="limits.memory",
            )
        if isinstance(error, self._duckdb.IOException) and "space left" in str(error):
            return BadRequest("has no space left for temporary files", parameter="duckdb.directory")
        return None

    @contextmanager
    def _asking(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """Give a connection of its own to each question: several threads may ask at once."""
        cursor = self._connection.cursor()
        self._asked.add(cursor)
        try:
            with self._limits():
                yield cursor
        finally:
            self._asked.discard(cursor)
            cursor.close()

    def run(self, query: str) -> list[tuple[Any, ...]]:
        """Run a statement and return its rows."""
        with self._asking() as cursor:
            return list(cursor.execute(query).fetchall())

    def arrow(self, query: str) -> pa.Table:
        """Return a result that is small by nature as an Arrow table."""
        with self._asking() as cursor:
            return cursor.sql(query).to_arrow_table()

    def stream(self, query: str, size: int) -> Iterator[pa.Table]:
        """Yield a result as Arrow tables; the first one may be empty and carries the columns."""
        import pyarrow as pa

        with self._asking() as cursor:
            reader = cursor.sql(query).to_arrow_reader(size)
            yield pa.Table.from_batches([], reader.schema)  # an empty array would load pandas, if there is one
            for batch in reader:
                yield pa.Table.from_batches([batch])

    def store(self, rows: pa.Table | pa.RecordBatchReader, **kinds: str) -> str:
        """Keep an Arrow table or a stream of batches as a table, some columns in other types, and return its name."""
        name = self.name()
        other = ", ".join(f"CAST({column} AS {kind}) AS {column}" for column, kind in kinds.items())
        self._made(f"CREATE TABLE {name} AS SELECT *{f' REPLACE ({other})' if kinds else ''} FROM {{}}", rows)
        return name

    def enumeration(self, texts: Iterable[str]) -> str:
        """Make a type of distinct texts, in their order, and return its name."""
        import polars as pl

        # Given a list, Arrow loads pandas, if there is one, to ask whether it is a pandas object.
        name, given = self.name(), pl.DataFrame({"v": pl.Series([*texts], dtype=pl.String)}).with_row_index("place")
        self._made(f"CREATE TYPE {name} AS ENUM (SELECT v FROM {{}} ORDER BY place)", given.to_arrow())
        return name

    def _made(self, statement: str, rows: pa.Table | pa.RecordBatchReader) -> None:
        """Run a statement that reads Arrow rows under a name that is filled in."""
        given = self.name()
        with self._asking() as cursor:
            cursor.register(given, rows)
            cursor.execute(statement.format(given))

    def relation(self, query: str) -> duckdb.DuckDBPyRelation:
        """Return a relation for the caller to work with; the database then lives as long as the process."""
        _HANDED_OUT.append(self)
        return self._connection.sql(query)


def _watch(session: weakref.ref[Session], spill: Path, bound: int, ended: Event) -> None:
    """End what a session does when it spills more than it may: DuckDB keeps its own bound of temporary files loosely."""
    while not ended.wait(_LOOKED_AFTER):
        held = session()
        if held is None:
            return
        with suppress(OSError):  # files come and go
            if sum(path.stat().st_size for path in spill.iterdir()) > bound:
                held._overfull = True
                for connection in list(held._asked):
                    connection.interrupt()
        del held


_HANDED_OUT: list[Session] = []


def _close(connection: duckdb.DuckDBPyConnection, owned: TemporaryFolder, ended: Event) -> None:
    ended.set()
    with suppress(Exception):
        for name, _, _ in _FUNCTIONS:
            connection.remove_function(name)
    with suppress(Exception):
        connection.close()
    owned.remove()
