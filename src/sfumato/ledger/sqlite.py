"""A ledger in one SQLite file: every append is on the disk before it counts, and any number of processes may append."""

from __future__ import annotations

import glob
import json
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from functools import cache, partial
from hashlib import file_digest
from pathlib import Path

from sfumato.errors import BadRequest, Taken
from sfumato.ledger.key import refuse_open_file
from sfumato.ledger.store import Damaged, Store, Value

__all__ = ["SqliteStore"]

_APPLICATION = 0x53464C47  # "SFLG", in the header of the file
_WAIT = 60.0  # seconds for other writers to be done
_NETWORKS = ("9p", "afs", "ceph", "cifs", "davfs", "gfs", "gluster", "lustre", "ncp", "nfs", "smb", "sshfs", "beegfs")

_SCHEMA = (
    "CREATE TABLE entries (number INTEGER PRIMARY KEY, at INTEGER NOT NULL, kind TEXT NOT NULL, series TEXT NOT NULL, "
    "about INTEGER NOT NULL, facts TEXT NOT NULL, body BLOB NOT NULL, head BLOB NOT NULL, signature BLOB NOT NULL)",
    "CREATE INDEX entries_by_kind ON entries (kind, series)",
    "CREATE INDEX entries_by_subject ON entries (about)",
    "CREATE TABLE bodies (number INTEGER PRIMARY KEY, kind TEXT NOT NULL, salt BLOB NOT NULL, content BLOB NOT NULL)",
    "CREATE TABLE charges (number INTEGER NOT NULL, budget TEXT NOT NULL, purpose TEXT NOT NULL, at INTEGER NOT NULL, "
    "epsilon INTEGER NOT NULL, delta INTEGER NOT NULL, UNIQUE (purpose, budget))",
    "CREATE INDEX charges_by_time ON charges (budget, at)",
    "CREATE TRIGGER entries_in_order BEFORE INSERT ON entries "
    "WHEN NEW.number <> (SELECT coalesce(max(number), 0) + 1 FROM entries) "
    "BEGIN SELECT RAISE(ABORT, 'entries are added at the end'); END",
    *(
        f"CREATE TRIGGER {table}_{what.lower()} BEFORE {what} ON {table} "
        f"BEGIN SELECT RAISE(ABORT, '{table} are never changed'); END"
        for table, what in (
            ("entries", "UPDATE"),
            ("entries", "DELETE"),
            ("charges", "UPDATE"),
            ("charges", "DELETE"),
            ("bodies", "UPDATE"),
        )
    ),
    "CREATE TRIGGER bodies_delete BEFORE DELETE ON bodies "
    "WHEN NOT EXISTS (SELECT 1 FROM entries WHERE kind = 'erased' AND about = OLD.number) "
    "BEGIN SELECT RAISE(ABORT, 'a body goes only when the ledger says so'); END",
)


_MADE = "SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_master ORDER BY rowid"


@cache
def _expected() -> list[tuple[Value, ...]]:
    """Return what the schema of a new ledger says of itself."""
    with closing(sqlite3.connect(":memory:")) as fresh:
        for statement in _SCHEMA:
            fresh.execute(statement)
        return fresh.execute(_MADE).fetchall()


class SqliteStore(Store):
    """The tables in a file that only its owner can open, on a disk of this machine."""

    def __init__(self, path: Path, *, create: bool = False) -> None:
        super().__init__()
        self.where = path.name
        self._path, self._wrote = path, False
        if "\0" in str(path):
            raise BadRequest("is not the name of a file", parameter="ledger")
        _refuse_network(path)
        if create:
            _made(path)
        try:
            if not path.is_file():
                raise FileNotFoundError
            refuse_open_file(path, "ledger")
            self._connection = sqlite3.connect(path, timeout=_WAIT, isolation_level=None, check_same_thread=False)
        except (OSError, ValueError, sqlite3.Error):
            raise BadRequest(
                "there is no ledger; make one with sfumato ledger init", parameter="ledger", value=str(path)
            ) from None
        try:
            self._prepared(create)
        except BaseException:
            (self.discard if create else self.close)()
            raise

    def _prepared(self, create: bool) -> None:
        if create:
            self.run("PRAGMA journal_mode = WAL")
            with self.writing():
                for statement in _SCHEMA:
                    self.run(statement)
                self.run(f"PRAGMA application_id = {_APPLICATION}")
        for setting in ("synchronous = FULL", "secure_delete = ON", "trusted_schema = OFF", "cell_size_check = ON"):
            self.run(f"PRAGMA {setting}")
        if self.rows("PRAGMA application_id") != [(_APPLICATION,)]:
            raise Damaged("is not a ledger", parameter="ledger", value=self.where)

    # ---- asking and changing -----------------------------------------------------------------------------------------

    def rows(self, query: str, *values: Value) -> list[tuple[Value, ...]]:
        with self._alone, self._told():
            return self._connection.execute(query, values).fetchall()

    def run(self, statement: str, *values: Value) -> None:
        with self._alone, self._told():
            self._connection.execute(statement, values)

    @contextmanager
    def writing(self) -> Iterator[None]:
        yield from self._transaction("BEGIN IMMEDIATE")
        self._wrote = True

    @contextmanager
    def reading(self) -> Iterator[None]:
        yield from self._transaction("BEGIN")

    def _transaction(self, begin: str) -> Iterator[None]:
        with self._alone:
            self.run(begin)
            try:
                yield
                self.run("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    self._connection.execute("ROLLBACK")
                raise

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Say in words what SQLite says by a code; the code never holds data."""
        try:
            yield
        except (sqlite3.Error, UnicodeDecodeError, OverflowError) as error:
            code = getattr(error, "sqlite_errorname", type(error).__name__)
            if code.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
                raise BadRequest(
                    "is being written by others for too long; try again", parameter="ledger", value=self.where
                ) from None
            if code.startswith(("SQLITE_FULL", "SQLITE_READONLY", "SQLITE_IOERR", "SQLITE_CANTOPEN", "SQLITE_PERM")):
                raise BadRequest(f"cannot be written ({code})", parameter="ledger", value=self.where) from None
            raise Damaged(f"is damaged or not a ledger ({code})", parameter="ledger", value=self.where) from None

    def faults(self) -> list[str]:
        found = [str(row[0]) for row in self.rows("PRAGMA integrity_check") if row != ("ok",)]
        schema = self.rows(_MADE) != _expected()
        return ["integrity"] * bool(found) + ["schema"] * schema + ["bytes"] * (not self._as_sealed())

    def scrub(self) -> None:
        self.run(
            "PRAGMA wal_checkpoint(TRUNCATE)"
        )  # deleted content is zero in the file; it must not be left beside it

    def close(self) -> None:
        if self._wrote:
            self._wrote = False
            with suppress(OSError, BadRequest):
                self._seal()
        with suppress(sqlite3.Error):
            self._connection.close()

    def discard(self) -> None:
        self._wrote = False
        self.close()
        for ending in ("", "-wal", "-shm"):
            self._path.with_name(self._path.name + ending).unlink(missing_ok=True)

    # ---- every byte --------------------------------------------------------------------------------------------------

    # The chain holds what can be read. Spare bytes of pages hold nothing, and yet a file that somebody was at should not look
    # untouched: who closes a ledger leaves the digest of the whole file beside it, which counts until the next entry.

    def _seal(self) -> None:
        self.run("PRAGMA wal_checkpoint(TRUNCATE)")
        with self.writing():
            last = self.last()
            if last is None or self._beside_file():
                return
            told = {"size": last.number, "head": last.head.hex(), "sha256": self._digest()}
            aside = self._path.with_name(f".{self._path.name}.{os.getpid()}.seal")
            with os.fdopen(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="ascii") as file:
                file.write(json.dumps(told) + "\n")
            aside.replace(self._seal_file)  # never half of it, whoever is killed

    def _as_sealed(self) -> bool:
        try:
            text = self._seal_file.read_text("ascii")
        except FileNotFoundError:
            return True
        except (OSError, UnicodeDecodeError):
            return False
        last = self.last()
        try:
            told = json.loads(text)
            size, head, digest = told["size"], told["head"], told["sha256"]
        except (ValueError, KeyError, TypeError):
            return False
        if last is None or size < last.number or self._beside_file():
            return True  # somebody wrote since, and was killed or is still at it
        return (last.number, last.head.hex(), self._digest()) == (size, head, digest)

    @property
    def _seal_file(self) -> Path:
        return self._path.with_name(self._path.name + ".seal")

    def _beside_file(self) -> bool:
        """Tell whether entries lie in the log that SQLite keeps beside the file, and not yet in the file."""
        log = self._path.with_name(self._path.name + "-wal")
        return log.exists() and log.stat().st_size > 0

    def _digest(self) -> str:
        with self._path.open("rb") as file:
            return file_digest(file, "sha256").hexdigest()

    # ---- who is at work ----------------------------------------------------------------------------------------------

    def hold(self, token: str) -> Callable[[], None]:
        mark = self._mark(token)
        try:
            handle = os.open(mark, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        except OSError as error:
            raise BadRequest(f"cannot be written ({error.strerror})", parameter="ledger", value=self.where) from None
        if not _locked(handle) or not mark.exists():  # somebody who tidies up was quicker
            os.close(handle)
            return self.hold(token)
        return partial(_let_go, mark, handle)

    def under_way(self, token: str) -> bool:
        mark = self._mark(token)
        try:
            handle = os.open(mark, os.O_RDWR)
        except OSError:
            return False
        if not _locked(handle):
            os.close(handle)
            return True
        _let_go(mark, handle)
        return False

    def tidy(self) -> None:
        for mark in self._path.parent.glob(f".{glob.escape(self._path.name)}.*.reserved"):
            self.under_way(mark.name.split(".")[-2])
        for aside in self._path.parent.glob(f".{glob.escape(self._path.name)}.*.seal"):
            aside.unlink(missing_ok=True)

    def _mark(self, token: str) -> Path:
        return self._path.with_name(f".{self._path.name}.{token}.reserved")


def _made(path: Path) -> None:
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        raise Taken("exists already", parameter="ledger", value=str(path)) from None
    except OSError as error:
        raise BadRequest(f"cannot be written ({error.strerror})", parameter="ledger", value=str(path)) from None


def _locked(handle: int) -> bool:
    """Take the lock of a file; without locks (not POSIX) nobody is ever seen at work."""
    if os.name != "posix":
        return True
    import fcntl

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _let_go(mark: Path, handle: int) -> None:
    with suppress(OSError):
        mark.unlink()
    with suppress(OSError):
        os.close(handle)


def _refuse_network(path: Path, mounts: Path = Path("/proc/self/mountinfo")) -> None:
    """Refuse a file on a network file system: its locks and its memory are not shared, and two writers would both win."""
    try:
        lines = mounts.read_text("utf-8", "replace").splitlines()
    except OSError:
        return  # only Linux tells
    target, found, kind = Path(os.path.realpath(path.absolute().parent)), -1, ""
    for line in lines:
        before, _, after = line.partition(" - ")
        place = Path(before.split(" ")[4].replace("\\040", " "))
        if (place == target or place in target.parents) and len(place.parts) >= found:
            found, kind = len(place.parts), after.split(" ")[0]
    if kind.removeprefix("fuse.").startswith(_NETWORKS):
        raise BadRequest(
            f"lies on a network file system ({kind}), where two writers could both win; use a local disk, or PostgreSQL",
            parameter="ledger",
            value=path.name,
        )
