"""The book of jobs: one SQLite file, in which any process may ask, cancel and look, and one worker at a time holds a job.

Whoever takes on a job gets a lease and a fencing token (Gray and Cheriton 1989; Kleppmann 2017, chapter 8): a lease that is
not renewed is over, the next one who takes the job has a higher token, and what is told with an old token is refused.
"""

from __future__ import annotations

import json
import os
import sqlite3
import threading
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Literal

from sfumato.data.json import Json
from sfumato.errors import BadRequest, NotKnown, Taken
from sfumato.jobs.job import ENDED, Event, Job, State

__all__ = ["ATTEMPTS", "LEASE", "Crowded", "JobBook", "LeaseLost"]

LEASE = 15.0
"""Seconds after which a job whose worker has told nothing may be taken on by another."""

ATTEMPTS = 3
"""So often is a job begun whose workers vanish; one that kills every worker must not be begun for ever."""

_COLUMNS = ", ".join(field.name for field in fields(Job))
_SCHEMA = """
CREATE TABLE IF NOT EXISTS jobs (
  number INTEGER PRIMARY KEY AUTOINCREMENT, owner TEXT NOT NULL, task TEXT NOT NULL, asked TEXT NOT NULL, key TEXT,
  state TEXT NOT NULL, fence INTEGER NOT NULL, stop TEXT NOT NULL, stage TEXT NOT NULL, done REAL NOT NULL, total REAL,
  note TEXT NOT NULL, made REAL NOT NULL, begun REAL, ended REAL, result TEXT NOT NULL, error TEXT NOT NULL, lease REAL,
  UNIQUE (owner, key));
CREATE TABLE IF NOT EXISTS events (
  number INTEGER PRIMARY KEY AUTOINCREMENT, job INTEGER NOT NULL, at REAL NOT NULL, told TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS events_of_a_job ON events (job, number);
"""


class Crowded(BadRequest):
    """Whoever asks has as many jobs under way as may be."""


class LeaseLost(Exception):
    """Somebody else holds the job now; what this one did is thrown away."""


class JobBook:
    """Jobs in a file that only its owner can open; every call is one transaction, and any thread may make it."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._mine = threading.local()  # a connection for each thread; it is closed with the thread
        try:
            os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))
            with self._open() as book:
                book.executescript(_SCHEMA)
        except (OSError, sqlite3.Error) as error:
            raise BadRequest(
                f"cannot be a book of jobs ({type(error).__name__})", parameter="jobs", value=self.path.name
            ) from None

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        if getattr(self._mine, "book", None) is None:
            book = sqlite3.connect(self.path, timeout=60.0, isolation_level=None)
            book.execute("PRAGMA journal_mode = WAL")
            book.execute("PRAGMA synchronous = NORMAL")
            self._mine.book = book
        yield self._mine.book

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._open() as book:
            book.execute("BEGIN IMMEDIATE")
            try:
                yield book
            except BaseException:
                book.execute("ROLLBACK")
                raise
            book.execute("COMMIT")

    # ---- asking --------------------------------------------------------------------------------------------------------

    def submit(
        self, task: str, asked: Mapping[str, Json], *, owner: str = "", key: str | None = None, most: int | None = None
    ) -> Job:
        """Ask for a piece of work; the same ``key`` of the same owner is the same job, and refuses another request.

        An owner may have at most ``most`` jobs that wait or are under way.
        """
        text = json.dumps(asked, sort_keys=True)
        with self._writing() as book:
            known = "SELECT number, task, asked FROM jobs WHERE owner = ? AND key = ?"
            held = None if key is None else book.execute(known, (owner, key)).fetchone()
            if held is not None and (held[1], held[2]) != (task, text):
                raise Taken("was used for another request", parameter="key", value=key)
            if held is not None:
                return self._job(book, held[0])
            if most is not None and self._under_way(book, owner) >= most:
                raise Crowded("as many as may wait or run for one token", parameter="jobs", value=most)
            made = book.execute(
                "INSERT INTO jobs (owner, task, asked, key, state, fence, stop, stage, done, note, made, result, error) "
                "VALUES (?, ?, ?, ?, 'waiting', 0, '', '', 0, '', ?, '{}', '')",
                (owner, task, text, key, time.time()),
            )
            number = int(made.lastrowid or 0)
            _note(book, number, {"state": "waiting"})
            return self._job(book, number)

    def cancel(self, number: int, how: Literal["keep", "discard"] = "discard", *, owner: str = "") -> Job:
        """Ask for the end of a job; one that nobody has begun ends at once, one that is over stays as it is."""
        with self._writing() as book:
            job = self._owned(book, number, owner)
            if job.state == "waiting":
                book.execute("UPDATE jobs SET state = 'cancelled', ended = ? WHERE number = ?", (time.time(), number))
                _note(book, number, {"state": "cancelled"})
            elif job.state == "running" and job.stop != "discard":
                book.execute("UPDATE jobs SET stop = ? WHERE number = ?", (how, number))
            return self._job(book, number)

    # ---- looking -------------------------------------------------------------------------------------------------------

    def job(self, number: int, *, owner: str = "") -> Job:
        """Return a job; that of another owner is as unknown as one that never was."""
        with self._open() as book:
            return self._owned(book, number, owner)

    def jobs(self, *, owner: str = "") -> list[Job]:
        """Return all jobs of an owner, in the order they were asked for."""
        with self._open() as book:
            rows = book.execute(f"SELECT {_COLUMNS} FROM jobs WHERE owner = ? ORDER BY number", (owner,)).fetchall()
        return [_read(row) for row in rows]

    def events(self, number: int, after: int = 0, *, owner: str = "") -> list[Event]:
        """Return what happened to a job after an event that was seen."""
        with self._open() as book:
            self._owned(book, number, owner)
            rows = book.execute(
                "SELECT number, job, at, told FROM events WHERE job = ? AND number > ? ORDER BY number", (number, after)
            ).fetchall()
        return [Event(int(row[0]), int(row[1]), float(row[2]), json.loads(row[3])) for row in rows]

    def under_way(self, *, owner: str = "") -> int:
        """Return how many jobs of an owner wait or are under way."""
        with self._open() as book:
            return self._under_way(book, owner)

    def _under_way(self, book: sqlite3.Connection, owner: str) -> int:
        asked = "SELECT count(*) FROM jobs WHERE owner = ? AND state IN ('waiting', 'running')"
        return int(book.execute(asked, (owner,)).fetchone()[0])

    def forget(self, before: float) -> int:
        """Leave out jobs that ended before a time, with what was told of them, and return how many."""
        with self._writing() as book:
            old = "SELECT number FROM jobs WHERE ended < ?"
            book.execute(f"DELETE FROM events WHERE job IN ({old})", (before,))
            return book.execute("DELETE FROM jobs WHERE ended < ?", (before,)).rowcount

    # ---- working -------------------------------------------------------------------------------------------------------

    def claim(self, tasks: Collection[str] | None = None) -> Job | None:
        """Take on the oldest job that waits, or whose worker has vanished; ``None`` if there is nothing to do.

        ``tasks`` names those that whoever asks is there for, all if not given.
        """
        now = time.time()
        mine = "" if tasks is None else f" AND task IN ({', '.join('?' for _ in tasks)})"
        found = f"SELECT number FROM jobs WHERE (state = 'waiting' OR (state = 'running' AND lease < ?)){mine} "
        oldest, given = f"{found}ORDER BY number LIMIT 1", (now, *(tasks or ()))
        with self._open() as book:  # whoever looks for work five times a second does not keep others from writing
            if book.execute(oldest, given).fetchone() is None:
                return None
        with self._writing() as book:
            book.execute(
                "UPDATE jobs SET state = 'failed', ended = ?, error = 'its workers vanished' "
                "WHERE state = 'running' AND lease < ? AND fence >= ?",
                (now, now, ATTEMPTS),
            )
            # Whoever asked for the end of a job whose worker vanished has it.
            book.execute(
                "UPDATE jobs SET state = 'cancelled', ended = ? WHERE state = 'running' AND lease < ? AND stop <> ''",
                (now, now),
            )
            row = book.execute(oldest, given).fetchone()
            if row is None:
                return None
            book.execute(
                "UPDATE jobs SET state = 'running', fence = fence + 1, lease = ?, begun = ?, stage = '', done = 0, "
                "total = NULL, note = '' WHERE number = ?",
                (now + LEASE, now, row[0]),
            )
            _note(book, row[0], {"state": "running"})
            return self._job(book, row[0])

    def renew(self, job: Job) -> Job:
        """Go on holding a job, and return what somebody asked for meanwhile."""
        with self._held(job) as book:
            book.execute("UPDATE jobs SET lease = ? WHERE number = ?", (time.time() + LEASE, job.number))
            return self._job(book, job.number)

    def tell(self, job: Job, stage: str, done: float, total: float | None, note: str) -> None:
        """Tell how far a job is."""
        with self._held(job) as book:
            book.execute(
                "UPDATE jobs SET stage = ?, done = ?, total = ?, note = ?, lease = ? WHERE number = ?",
                (stage, done, total, note, time.time() + LEASE, job.number),
            )
            _note(book, job.number, {"stage": stage, "done": done, "total": total, "note": note})

    def finish(self, job: Job, state: State, result: Mapping[str, Json] | None = None, error: str = "") -> Job:
        """Tell what came of a job."""
        if state not in ENDED:
            raise BadRequest("is no end", parameter="state", value=state, available=ENDED)
        with self._held(job) as book:
            book.execute(
                "UPDATE jobs SET state = ?, ended = ?, result = ?, error = ?, lease = NULL WHERE number = ?",
                (state, time.time(), json.dumps(result or {}), error, job.number),
            )
            _note(book, job.number, {"state": state, "error": error})
            return self._job(book, job.number)

    @contextmanager
    def _held(self, job: Job) -> Iterator[sqlite3.Connection]:
        with self._writing() as book:
            now = self._job(book, job.number)
            if now.fence != job.fence or now.state != "running":
                raise LeaseLost
            yield book

    def _job(self, book: sqlite3.Connection, number: int) -> Job:
        row = book.execute(f"SELECT {_COLUMNS} FROM jobs WHERE number = ?", (number,)).fetchone()
        if row is None:
            raise NotKnown("is not a job", parameter="job", value=number)
        return _read(row)

    def _owned(self, book: sqlite3.Connection, number: int, owner: str) -> Job:
        job = self._job(book, number)
        if job.owner != owner:
            raise NotKnown("is not a job", parameter="job", value=number)
        return job


def _note(book: sqlite3.Connection, number: int, told: Mapping[str, Json]) -> None:
    book.execute("INSERT INTO events (job, at, told) VALUES (?, ?, ?)", (number, time.time(), json.dumps(told)))


def _read(row: tuple[object, ...]) -> Job:
    held: dict[str, object] = dict(zip((field.name for field in fields(Job)), row, strict=True))
    for name in ("asked", "result"):
        held[name] = json.loads(str(held[name]))
    return Job(**held)  # type: ignore[arg-type]
