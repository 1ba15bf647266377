"""A crew: threads that take jobs from the book and have worker processes do them."""

from __future__ import annotations

import re
import shutil
import threading
from collections.abc import Collection
from pathlib import Path
from time import monotonic
from typing import Self

from sfumato.jobs.book import LEASE, JobBook, LeaseLost
from sfumato.jobs.job import Job
from sfumato.jobs.worker import Ended, Told, Worker

__all__ = ["Crew"]

_LOOK = 0.2  # seconds between two looks at the book
_GRACE = 5.0  # seconds in which a task may end by itself before its process is killed


class Crew:
    """Some workers for one book; as a context manager they are there inside and gone outside.

    What job number 7 makes when it is taken on for the second time lies in ``place/7.2``: two workers never write to one
    place, and the book says which one counts. What others left is swept when a job has ended. ``limit`` bounds the seconds of
    a job, ``memory`` the bytes of a worker; ``tasks`` are those that the crew is there for, all if not given.
    """

    def __init__(
        self,
        book: JobBook,
        place: Path,
        size: int = 1,
        limit: float | None = None,
        *,
        memory: int | None = None,
        tasks: Collection[str] | None = None,
    ) -> None:
        self.book, self.place, self._limit, self._memory, self._tasks = book, place, limit, memory, tasks
        self._closing = threading.Event()
        self._threads = [threading.Thread(target=self._serve, daemon=True) for _ in range(size)]

    def __enter__(self) -> Self:
        self.place.mkdir(mode=0o700, parents=True, exist_ok=True)
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        for thread in self._threads:
            thread.join(timeout=_GRACE)

    @property
    def alive(self) -> bool:
        """Whether somebody is there to take on a job."""
        return any(thread.is_alive() for thread in self._threads)

    def folder(self, job: Job) -> Path:
        """Return where a job has put what it made."""
        return self.place / f"{job.number}.{job.fence}"

    def _serve(self) -> None:
        worker: Worker | None = None
        while not self._closing.is_set():
            job = self.book.claim(self._tasks)
            if job is None:
                if worker is None:
                    worker = Worker(
                        self._memory
                    )  # a spawned process takes seconds to load: it is there before it is needed
                self._closing.wait(_LOOK)
                continue
            if worker is None or not worker.alive:
                worker = Worker(self._memory)
            try:
                ended = self._watched(job, worker)
                if ended is not None:
                    self.book.finish(job, ended.state, ended.result, ended.error)
            except (LeaseLost, OSError):  # another has the job, or the worker is gone and its lease will be over
                worker.kill()
            self._sweep(job)
        if worker is not None:
            worker.kill()

    def _watched(self, job: Job, worker: Worker) -> Ended | None:
        """Pass on what a worker tells, and to the worker what somebody asks for; ``None`` if the crew is sent home."""
        worker.begin(job.task, job.asked, self.folder(job))
        began, renewed, asked_at, stop = monotonic(), monotonic(), 0.0, ""
        while not self._closing.is_set():
            told = worker.heard(_LOOK)
            if isinstance(told, Ended):
                return told
            if isinstance(told, Told):
                self.book.tell(job, told.stage, told.done, told.total, told.note)
            now = self.book.job(job.number, owner=job.owner)
            if monotonic() - renewed > LEASE / 3:
                now, renewed = self.book.renew(job), monotonic()
            if now.fence != job.fence:
                raise LeaseLost
            if now.stop and now.stop != stop:
                worker.stop(now.stop)
                stop, asked_at = now.stop, monotonic()
            if stop == "discard" and monotonic() - asked_at > _GRACE:
                worker.kill()
                return Ended("cancelled", {})
            if self._limit is not None and monotonic() - began > self._limit:
                worker.kill()
                return Ended("failed", {}, "took longer than a job may")
        worker.kill()
        return None

    def _sweep(self, job: Job) -> None:
        """Remove what a job left that has no result, and what earlier attempts left."""
        now = self.book.job(job.number, owner=job.owner)
        if not now.over:
            return
        kept = self.folder(now) if now.state == "done" else None
        for left in self.place.iterdir():
            if re.match(rf"\.?{job.number}\.\d", left.name) and left != kept:  # a dot: what a killed worker was writing
                shutil.rmtree(left, ignore_errors=True)
