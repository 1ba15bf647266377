"""A ledger in a PostgreSQL database, for teams: the same tables, kept by triggers, in a schema of their own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from itertools import count
from typing import TYPE_CHECKING

from sfumato.engines.databases import no_connection
from sfumato.errors import BadRequest, Taken, Unsupported
from sfumato.ledger.store import Damaged, Store, Value

if TYPE_CHECKING:
    from adbc_driver_manager.dbapi import Connection

__all__ = ["PostgresStore"]

_PREFIX = "sfumato_ledger"
_SCHEMA = (
    "CREATE TABLE entries (number BIGINT PRIMARY KEY, at BIGINT NOT NULL, kind TEXT NOT NULL, series TEXT NOT NULL, "
    "about BIGINT NOT NULL, facts TEXT NOT NULL, body BYTEA NOT NULL, head BYTEA NOT NULL, signature BYTEA NOT NULL)",
    "CREATE INDEX entries_by_kind ON entries (kind, series)",
    "CREATE INDEX entries_by_subject ON entries (about)",
    "CREATE TABLE bodies (number BIGINT PRIMARY KEY, kind TEXT NOT NULL, salt BYTEA NOT NULL, content BYTEA NOT NULL)",
    "CREATE TABLE charges (number BIGINT NOT NULL, budget TEXT NOT NULL, purpose TEXT NOT NULL, at BIGINT NOT NULL, "
    "epsilon BIGINT NOT NULL, delta BIGINT NOT NULL, UNIQUE (purpose, budget))",
    "CREATE INDEX charges_by_time ON charges (budget, at)",
    "CREATE FUNCTION kept() RETURNS trigger LANGUAGE plpgsql AS "
    "$$ BEGIN RAISE EXCEPTION 'a ledger is never changed'; END $$",
    "CREATE FUNCTION ordered() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
    "IF NEW.number <> (SELECT coalesce(max(number), 0) + 1 FROM entries) THEN "
    "RAISE EXCEPTION 'entries are added at the end'; END IF; RETURN NEW; END $$",
    "CREATE FUNCTION erased() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
    "IF NOT EXISTS (SELECT 1 FROM entries WHERE kind = 'erased' AND about = OLD.number) THEN "
    "RAISE EXCEPTION 'a body goes only when the ledger says so'; END IF; RETURN OLD; END $$",
    "CREATE TRIGGER ordered BEFORE INSERT ON entries FOR EACH ROW EXECUTE FUNCTION ordered()",
    "CREATE TRIGGER kept BEFORE UPDATE OR DELETE OR TRUNCATE ON entries FOR EACH STATEMENT EXECUTE FUNCTION kept()",
    "CREATE TRIGGER kept BEFORE UPDATE OR DELETE OR TRUNCATE ON charges FOR EACH STATEMENT EXECUTE FUNCTION kept()",
    "CREATE TRIGGER kept BEFORE UPDATE OR TRUNCATE ON bodies FOR EACH STATEMENT EXECUTE FUNCTION kept()",
    "CREATE TRIGGER erased BEFORE DELETE ON bodies FOR EACH ROW EXECUTE FUNCTION erased()",
)
_TRIGGERS = [("bodies", "erased"), ("bodies", "kept"), ("charges", "kept"), ("entries", "kept"), ("entries", "ordered")]


class PostgresStore(Store):
    """The tables in the schema ``sfumato_ledger``, or ``sfumato_ledger_NAME`` for an address that ends with ``#NAME``."""

    def __init__(self, address: str, *, create: bool = False) -> None:
        super().__init__()
        uri, _, name = address.partition("#")
        if not re.fullmatch(r"[a-z0-9_]{0,40}", name):
            raise BadRequest("must be small letters, digits and underscores", parameter="ledger", value=f"#{name}")
        self.where = re.sub(r"//[^/@]*@", "//", address)
        self._schema = f"{_PREFIX}_{name}" if name else _PREFIX
        self._inside = False
        self._held: set[str] = set()
        self._connection = _connected(uri, self.where)
        try:
            self._prepared(create)
        except BaseException:
            self.close()
            raise

    def _prepared(self, create: bool) -> None:
        self._inside = True
        known = self.rows("SELECT 1 FROM information_schema.schemata WHERE schema_name = ?", self._schema)
        if create and known:
            raise Taken("exists already", parameter="ledger", value=self.where)
        if not create and not known:
            raise BadRequest(
                "there is no ledger; make one with sfumato ledger init", parameter="ledger", value=self.where
            )
        if create:
            self.run(f"CREATE SCHEMA {self._schema}")
        self.run(f"SET search_path TO {self._schema}")
        for statement in _SCHEMA if create else ():
            self.run(statement)
        self._end("commit")

    # ---- asking and changing -----------------------------------------------------------------------------------------

    def rows(self, query: str, *values: Value) -> list[tuple[Value, ...]]:
        with self._alone, self._told():
            return self._asked(query, values)

    def run(self, statement: str, *values: Value) -> None:
        with self._alone, self._told():
            self._asked(statement, values)

    def _asked(self, statement: str, values: tuple[Value, ...]) -> list[tuple[Value, ...]]:
        numbers = count(1)
        with self._connection.cursor() as cursor:
            cursor.execute(re.sub(r"\?", lambda _: f"${next(numbers)}", statement), values or None)
            found = list(cursor.fetchall()) if cursor.description else []
        if not self._inside:  # no transaction stays open behind a question
            self._connection.rollback()
        return found

    @contextmanager
    def writing(self) -> Iterator[None]:
        yield from self._transaction("LOCK TABLE entries IN EXCLUSIVE MODE")

    @contextmanager
    def reading(self) -> Iterator[None]:
        yield from self._transaction("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")

    def _transaction(self, begin: str) -> Iterator[None]:
        with self._alone:
            self._inside = True
            try:
                self.run(begin)
                yield
            except BaseException:
                self._end("rollback")
                raise
            self._end("commit")

    def _end(self, how: str) -> None:
        self._inside = False
        with self._told():
            getattr(self._connection, how)()

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Say in words what the database says by a code; its messages may quote values."""
        from adbc_driver_manager import Error

        try:
            yield
        except Error as error:
            code = error.sqlstate or type(error).__name__
            raise Damaged(f"the database refuses ({code})", parameter="ledger", value=self.where) from None

    def faults(self) -> list[str]:
        found = self.rows(
            "SELECT DISTINCT c.relname::text, t.tgname::text FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid "
            "JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = ? AND NOT t.tgisinternal AND t.tgenabled = 'O'",
            self._schema,
        )
        return ["schema"] if sorted(found) != _TRIGGERS else []

    def scrub(self) -> None:
        """Nothing to do: who runs the database decides when deleted rows and its own log are gone."""

    def tidy(self) -> None:
        """Nothing to do: locks end with their connection."""

    def close(self) -> None:
        with suppress(Exception):
            self._connection.close()

    def discard(self) -> None:
        with suppress(BadRequest), self.writing():
            self.run(f"DROP SCHEMA {self._schema} CASCADE")
        self.close()

    # ---- who is at work ----------------------------------------------------------------------------------------------

    def hold(self, token: str) -> Callable[[], None]:
        self.rows("SELECT pg_advisory_lock(?)::text", _number(token))
        self._held.add(token)
        return partial(self._let_go, token)

    def _let_go(self, token: str) -> None:
        self._held.discard(token)
        with suppress(BadRequest):
            self.rows("SELECT pg_advisory_unlock(?)", _number(token))

    def under_way(self, token: str) -> bool:
        if token in self._held:
            return True
        ((free,),) = self.rows("SELECT pg_try_advisory_lock(?)::int", _number(token))
        if free:
            self.rows("SELECT pg_advisory_unlock(?)", _number(token))
        return not free


def _number(token: str) -> int:
    return int(token, 16) >> 1  # what advisory locks are called by


def _connected(uri: str, where: str) -> Connection:
    try:
        from adbc_driver_manager import Error
        from adbc_driver_postgresql import dbapi
    except ImportError:
        raise Unsupported(
            "a ledger in a database needs the extra 'sql' (pip install 'sfumato[sql]')", thing="postgresql"
        ) from None
    try:
        connection: Connection = dbapi.connect(uri)
    except Error as error:
        raise no_connection(error, uri, where) from None
    return connection
