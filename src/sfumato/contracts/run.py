"""How a long piece of work is watched and ended: progress, a cancel token, a generator, a deadline, a bound on memory."""

from __future__ import annotations

import secrets
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import field, replace
from time import monotonic
from types import FrameType
from typing import Any, Literal, Protocol, Self

import numpy as np

from sfumato.contracts.progress import Progress, Silent, watcher
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import BadRequest, Cancelled

__all__ = ["Cancel", "Flag", "Purse", "Run", "fresh_seed", "keyboard", "stopped_by"]


def stopped_by(reason: str | None) -> str:
    """Say why a search stopped; a reason of its own is said as it is."""
    known = {
        "deadline": say("stopped.deadline"),
        "interrupted": say("stopped.interrupted"),
        "heuristic": say("stopped.heuristic"),
    }
    return known.get(reason or "", reason or "")


def fresh_seed() -> int:
    """Return a seed that nobody can guess: who knows it can undo shuffles and noise."""
    return secrets.randbits(64)


class Flag(Protocol):
    """What a token is made of; an event of ``threading`` or of ``multiprocessing`` is one."""

    def set(self) -> None:
        """Raise the flag."""

    def clear(self) -> None:
        """Lower the flag."""

    def is_set(self) -> bool:
        """Tell whether the flag is raised."""


@frozen
class _Unless:
    """A flag that does not count while another one is raised."""

    flag: Flag
    other: Flag

    def set(self) -> None:
        self.flag.set()

    def clear(self) -> None:
        self.flag.clear()

    def is_set(self) -> bool:
        return self.flag.is_set() and not self.other.is_set()


class Cancel:
    """A token that anybody may set, from any thread, to end the work that holds it.

    An event of ``multiprocessing`` as ``flag`` lets another process set it. While ``keep`` is raised, whoever asks for the end
    wants what a search has reached; see :meth:`outside_search`.
    """

    def __init__(self, flag: Flag | None = None, keep: Flag | None = None) -> None:
        self._flag: Flag = threading.Event() if flag is None else flag
        self._keep = keep

    def outside_search(self) -> Cancel:
        """Return the token for what comes before and after a search: there is nothing to keep yet, or all of it is there.

        >>> flag, keep = threading.Event(), threading.Event()
        >>> token = Cancel(flag, keep)
        >>> flag.set(), keep.set(), token.is_set(), token.outside_search().is_set()
        (None, None, True, False)
        >>> keep.clear(), token.outside_search().is_set()
        (None, True)
        """
        return self if self._keep is None else Cancel(_Unless(self._flag, self._keep))

    def set(self) -> None:
        """Ask for the end."""
        self._flag.set()

    def clear(self) -> None:
        """Let the work go on: what it reached when it was cancelled is wanted after all."""
        self._flag.clear()

    def is_set(self) -> bool:
        """Tell whether somebody asked for the end."""
        return self._flag.is_set()


class Purse(Protocol):
    """Who pays for noise: the budgets that a policy names."""

    def charge(self, epsilon: float, delta: float) -> None:
        """Charge what is about to be drawn; refuse what is not covered."""


@frozen(eq=False)
class Run:
    """What goes down every long verb beside what it works on.

    A search that has a valid state at any time asks :meth:`stopping` between its steps and ends with that state. Everything
    else is ended by :class:`~sfumato.errors.Cancelled` at the next :meth:`checkpoint`; every :meth:`stage` and every
    :meth:`tick` is one, so a run serves wherever progress is told. ``deadline`` is a moment of ``time.monotonic``; see
    :meth:`within`. ``memory`` is a bound in bytes for engines that can keep one. ``on_step`` sees every state of a search.
    ``purse`` pays for noise, if somebody keeps a budget; see :meth:`charge`.

    >>> run = Run.seeded(0)
    >>> run.stopping(), run.within(60).stopping(), run.within(0).stopping()
    (None, None, 'deadline')
    """

    progress: Progress = field(default_factory=Silent)
    cancel: Cancel = field(default_factory=Cancel)
    rng: np.random.Generator = field(default_factory=lambda: np.random.default_rng(0))
    deadline: float | None = None
    memory: int | None = None
    on_step: Callable[[Any], None] | None = None
    purse: Purse | None = None

    @classmethod
    def seeded(cls, seed: int) -> Self:
        """Return a run that nobody watches, with the generator of a seed."""
        return cls(rng=np.random.default_rng(seed))

    @staticmethod
    def of(run: Run | None, progress: Progress | None = None) -> Run:
        """Return the run that a caller gave; ``progress`` alone is short for a run that it watches, in notebooks they watch."""
        if run is not None and not isinstance(run, Run):
            raise BadRequest("must be a Run", parameter="run", value=type(run).__name__)
        if progress is not None and not isinstance(progress, Progress):
            raise BadRequest(
                "must have the methods stage and tick", parameter="progress", value=type(progress).__name__
            )
        run = Run(progress=watcher()) if run is None else run
        return run if progress is None else replace(run, progress=progress)

    def with_rng(self, rng: np.random.Generator) -> Run:
        """Return the same run with another generator."""
        return replace(self, rng=rng)

    def within(self, seconds: float | None) -> Run:
        """Return the same run that also ends after so many seconds from now; the earlier moment counts."""
        if seconds is None:
            return self
        end = monotonic() + seconds
        return replace(self, deadline=end if self.deadline is None else min(end, self.deadline))

    def without_deadline(self) -> Run:
        """Return the same run for work that has to follow when a search has ended in time."""
        return replace(self, deadline=None)

    def part(self) -> Run:
        """Return the run of a part of the work that is not told about by itself."""
        return replace(self, progress=Silent(), on_step=None)

    def stopping(self) -> Literal["interrupted", "deadline"] | None:
        """Say why to end with the state reached, or ``None`` to go on."""
        if self.cancel.is_set():
            return "interrupted"
        return "deadline" if self.deadline is not None and monotonic() >= self.deadline else None

    def checkpoint(self) -> None:
        """Raise :class:`~sfumato.errors.Cancelled` if the work is to end here."""
        reason = self.stopping()
        if reason is not None:
            raise Cancelled(reason)

    def charge(self, epsilon: float, delta: float = 0.0) -> None:
        """Charge all that the noise of this run will cost: when every check is done, and before anything is drawn."""
        if self.purse is not None:
            self.purse.charge(epsilon, delta)

    def stage(self, name: str, total: float | None = None) -> None:
        """Begin a stage, unless the work is to end here."""
        self.checkpoint()
        self.progress.stage(name, total)

    def tick(self, done: float, note: str = "") -> None:
        """Tell how far the stage is, unless the work is to end here."""
        self.checkpoint()
        self.progress.tick(done, note)


@contextmanager
def keyboard(cancel: Cancel) -> Iterator[Cancel]:
    """Let the first Ctrl-C set the token instead of raising in the middle of a step; the second one raises at once.

    Gives a token that tells whether it was Ctrl-C. Outside the main thread signals do not arrive, and nothing is changed.
    """
    pressed = Cancel()
    if threading.current_thread() is not threading.main_thread():
        yield pressed
        return

    def note(number: int, frame: FrameType | None) -> None:
        if pressed.is_set():
            raise KeyboardInterrupt
        pressed.set()
        cancel.set()

    before = signal.signal(signal.SIGINT, note)
    try:
        yield pressed
    finally:
        signal.signal(signal.SIGINT, before if before is not None else signal.default_int_handler)
        if pressed.is_set():
            cancel.clear()  # whoever pressed it is told by this call; the next one begins afresh
