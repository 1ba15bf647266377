"""A worker process: spawned, so that it shares nothing with the server; it ends with the server, and can be killed."""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.synchronize import Event as Shared
from pathlib import Path
from time import monotonic
from typing import Literal

from sfumato.contracts.run import Cancel, Run
from sfumato.data.frozen import frozen
from sfumato.data.json import Json
from sfumato.errors import BadRequest, Cancelled, SfumatoError
from sfumato.jobs.job import State
from sfumato.jobs.tasks import Order, housed, task_of

__all__ = ["Ended", "Told", "Worker"]

_OFTEN = 0.15  # seconds between two tellings of the same stage


@frozen
class Told:
    """How far the work is."""

    stage: str
    done: float
    total: float | None
    note: str


@frozen
class Ended:
    """What came of the work; ``error`` is a sentence of ours, or the kind of another error, never its text.

    The result of what failed says by ``exit`` whose mistake it was, as the command line does.
    """

    state: State
    result: Mapping[str, Json]
    error: str = ""


@dataclass
class _Telling:
    """Progress that is sent on."""

    line: Connection
    name: str = ""
    total: float | None = None
    last: float = 0.0

    def stage(self, name: str, total: float | None = None) -> None:
        self.name, self.total, self.last = name, total, monotonic()
        self.line.send(Told(name, 0.0, total, ""))

    def tick(self, done: float, note: str = "") -> None:
        if monotonic() - self.last >= _OFTEN:
            self.last = monotonic()
            self.line.send(Told(self.name, done, self.total, note))


class Worker:
    """A process that does one task after the other; whoever holds it may ask it to stop, or kill it."""

    def __init__(self, memory: int | None = None) -> None:
        spawning = multiprocessing.get_context("spawn")
        self._line, theirs = spawning.Pipe()
        self._cancel, self._keep = spawning.Event(), spawning.Event()
        self._process = spawning.Process(target=_serve, args=(theirs, self._cancel, self._keep, memory), daemon=True)
        self._process.start()
        theirs.close()

    def begin(self, task: str, asked: Mapping[str, Json], out: Path) -> None:
        """Hand over a task; what it makes goes to ``out``."""
        self._cancel.clear()
        self._keep.clear()
        self._line.send((task, dict(asked), str(out)))

    def heard(self, seconds: float) -> Told | Ended | None:
        """Wait for what the worker tells; ``None`` if it tells nothing so long. One that is gone has failed."""
        try:
            if not self._line.poll(seconds):
                return None
            told = self._line.recv()
        except (EOFError, OSError):
            return Ended("failed", {}, "the worker process ended")
        assert isinstance(told, Told | Ended)
        return told

    def stop(self, how: Literal["keep", "discard"]) -> None:
        """Ask for the end: with what is valid so far, or with nothing."""
        if how == "keep":
            self._keep.set()
        else:
            self._keep.clear()
        self._cancel.set()

    def kill(self) -> None:
        """End the process, whatever it does."""
        self._process.kill()
        self._process.join(timeout=10)
        self._line.close()

    @property
    def alive(self) -> bool:
        """Whether there is a process that can be handed a task."""
        return self._process.is_alive() and not self._line.closed


def _serve(line: Connection, cancel: Shared, keep: Shared, memory: int | None) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C at the server reaches its workers, too; the server ends them
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if memory is not None:
        _bounded(memory)
    logging.getLogger("sfumato").addHandler(logging.NullHandler())  # what is said of a table goes into its report
    while True:
        try:
            task, asked, out = line.recv()
        except (EOFError, OSError, KeyboardInterrupt):
            return
        run = Run(progress=_Telling(line), cancel=Cancel(cancel, keep))
        line.send(_ended(task, Order(asked, Path(out), run, lambda outcome: keep.is_set())))


def _bounded(memory: int) -> None:
    """Let the process have no more than so many bytes of its own: a small file may unfold to more than there is."""
    try:
        import resource
    except ImportError:  # there are systems without
        return
    resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))


def _ended(task: str, order: Order) -> Ended:
    try:
        with housed(order):
            return Ended("done", task_of(task)(order))
    except Cancelled:
        return Ended("cancelled", {})
    except SfumatoError as error:
        return Ended("failed", {"exit": error.exit_code}, str(error))
    except MemoryError:
        return Ended("failed", {"exit": BadRequest.exit_code}, "needs more memory than a job may have")
    except Exception as error:  # its text may quote data
        return Ended("failed", {}, f"internal error: {type(error).__name__}")


def _end_with_parent() -> None:
    """End at once when the server is gone: nobody would hear what comes, and another may have the job already."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
