"""The house behind the routes: rooms, the book of jobs, who works, what may be used; one verb is one job."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from hashlib import sha256
from pathlib import Path
from secrets import token_hex
from typing import Self

from sfumato.data.frozen import frozen
from sfumato.data.json import Json
from sfumato.errors import BadRequest, NotKnown
from sfumato.jobs.book import Crowded, JobBook
from sfumato.jobs.crew import Crew
from sfumato.jobs.job import Job
from sfumato.service.api.answers import Absent, Failed, TooLarge
from sfumato.service.api.logbook import Logbook
from sfumato.service.api.rooms import Room
from sfumato.service.api.tokens import Token, TokenFile

__all__ = ["House", "Limits"]

_OURS = ".service"
_KEY = re.compile(r"[\x21-\x7e]{1,200}")
_SHORT = ("ask", "check", "draft", "profile", "report", "verify")


@frozen
class Limits:
    """What one request and one job may take: bytes of a file, unfolded, of a document; seconds; bytes of a worker."""

    largest: int = 2**30
    unfolded: int = 8 * 2**30
    document: int = 8 * 2**20
    body_seconds: float = 60.0
    upload_seconds: float = 3600.0
    wait: float = 20.0
    job_seconds: float = 3600.0
    job_memory: int = 8 * 2**30
    kept_days: float = 30.0


class House:
    """All that routes share; as a context manager there are workers inside, and none outside.

    Short verbs have workers of their own, so that nobody waits for a look at a table until a search is done.
    """

    def __init__(self, root: str | Path, tokens: TokenFile, limits: Limits | None = None, workers: int = 1) -> None:
        self.root, self.tokens, self.limits = Path(root).resolve(), tokens, limits or Limits()
        ours = self.root / _OURS
        try:
            ours.mkdir(mode=0o700, parents=True, exist_ok=True)
            ours.chmod(0o700)
        except OSError as error:
            raise BadRequest(f"cannot be a root ({error.strerror})", parameter="root", value=str(root)) from None
        if self.root in tokens.path.resolve().parents:
            raise BadRequest("must not lie under the root, where data lie", parameter="token file")
        self.book, self.log = JobBook(ours / "jobs.sqlite"), Logbook(ours / "log.jsonl")
        made, told = ours / "made", (self.limits.job_seconds, self.limits.job_memory)
        self.crew = Crew(self.book, made, workers, told[0], memory=told[1])
        self._quick = Crew(self.book, made, workers, told[0], memory=told[1], tasks=_SHORT)
        self._work = ExitStack()
        self._streams: Counter[str] = Counter()

    def __enter__(self) -> Self:
        self.sweep()
        self._work.enter_context(self.crew)
        self._work.enter_context(self._quick)
        return self

    def __exit__(self, *_: object) -> None:
        self._work.close()

    def sweep(self) -> None:
        """Forget jobs that ended long ago, with pages that they made; and what was brought by halves. Releases stay."""
        self.book.forget(time.time() - self.limits.kept_days * 86400)
        for place in self.crew.place.iterdir() if self.crew.place.is_dir() else ():
            if self.limits.kept_days * 86400 < time.time() - place.stat().st_mtime:
                shutil.rmtree(place, ignore_errors=True)
        for left in self.root.glob("*/data/.incoming-*"):
            left.unlink(missing_ok=True)

    @property
    def ready(self) -> bool:
        """Whether requests can be served: tokens are known, the book can be read, somebody works."""
        try:
            self.tokens.tokens()
            self.book.under_way()
        except Exception:  # whatever it is, nobody can be served
            return False
        return self.crew.alive and self._quick.alive and os.access(self.root, os.W_OK)

    # ---- rooms ---------------------------------------------------------------------------------------------------------

    def room(self, token: Token) -> Room:
        """Return the room that a token works in."""
        room = Room(self.root / token.room)
        room.open()
        return room

    def allowance(self, token: Token) -> int:
        """Return how many more bytes may be put into the room; refuse, if there is no space for any."""
        left = token.quota.bytes - self.room(token).used()
        if left <= 0:
            raise TooLarge(f"the room is full: at most {token.quota.bytes:,} bytes are kept; delete something")
        return left

    # ---- jobs ----------------------------------------------------------------------------------------------------------

    def submit(self, token: Token, task: str, asked: Mapping[str, Json], key: str | None = None) -> Job:
        """Ask for a piece of work in the room of a token; the same ``key`` is the same job.

        A release gets a name that follows from the key, if there is one: asked for again, it is the same one.
        """
        if key is not None and not _KEY.fullmatch(key):
            raise BadRequest("must be 1 to 200 visible characters", parameter="Idempotency-Key")
        room = self.room(token)
        told: dict[str, Json] = {**asked, "room": str(room.folder)}
        if task == "anonymize":
            self.allowance(token)
            name = token_hex(8) if key is None else sha256(f"{token.name}\0{key}".encode()).hexdigest()[:16]
            told = {**told, "release": f"../releases/{name}"}
        return self.book.submit(task, told, owner=token.name, key=key, most=token.quota.jobs)

    def job(self, token: Token, number: int) -> Job:
        """Return a job of a token."""
        if not 0 < number < 2**63:
            raise Absent("there is no such job", parameter="job")
        try:
            return self.book.job(number, owner=token.name)
        except NotKnown:
            raise Absent("there is no such job", parameter="job") from None

    async def waited(self, job: Job, seconds: float) -> Job:
        """Wait for the end of a job, at most so long; one that failed meanwhile is an error."""
        until, pause = time.monotonic() + seconds, 0.02
        while not job.over and time.monotonic() < until:
            await asyncio.sleep(pause)
            pause = min(pause * 1.5, 0.4)
            job = self.book.job(job.number, owner=job.owner)
        if job.state == "failed":
            raise Failed(job.error, job.number, job.result.get("exit"))
        return job

    def refuse_stream(self, token: Token) -> None:
        """Refuse one stream of events too many."""
        if self._streams[token.name] >= token.quota.streams:
            raise Crowded("as many as one token may follow at once", parameter="streams", value=token.quota.streams)

    @contextmanager
    def stream(self, token: Token) -> Iterator[None]:
        """Follow events; asked on the loop alone, so that counting needs no lock."""
        self._streams[token.name] += 1
        try:
            yield
        finally:
            self._streams[token.name] -= 1
