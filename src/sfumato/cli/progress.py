"""Progress on a terminal: one line per stage, with a moving bar; quiet when nobody is looking."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from sfumato.cli import events
from sfumato.contracts.progress import Progress as Watched
from sfumato.contracts.run import Run
from sfumato.data.text import printable
from sfumato.errors import BadRequest
from sfumato.kernels.compiled import announce_compilation

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

__all__ = ["Journal", "TerminalProgress", "under_way"]


class TerminalProgress:
    """Shows stages and ticks on the error stream while it is open; bars that are not ``lasting`` vanish with it."""

    def __init__(self, *, quiet: bool = False, lasting: bool = True) -> None:
        shown = not quiet and not events.asked() and sys.stderr.isatty()
        self._bars = _bars(lasting=lasting) if shown else None
        self._task: TaskID | None = None
        self._told = 0.0

    def __enter__(self) -> Self:
        if self._bars is not None:
            self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.pause()

    def pause(self) -> None:
        """Stop drawing, for a question or the end."""
        if self._bars is not None:
            self._finish(self._bars)
            self._bars.stop()

    def _finish(self, bars: Progress) -> None:
        if self._task is not None:
            total = bars.tasks[bars.task_ids.index(self._task)].total or 1
            bars.update(self._task, total=total, completed=total)
            self._task = None

    def stage(self, name: str, total: float | None = None) -> None:
        """Begin a stage."""
        if events.asked():
            self._told = time.monotonic()
            events.tell("stage", stage=name, total=total)
        if self._bars is not None:
            self._finish(self._bars)
            if name != "done":
                self._task = self._bars.add_task(name, total=total, note="")

    def tick(self, done: float, note: str = "") -> None:
        """Move the bar of the current stage; as an event at most once a second, without the note."""
        if events.asked() and time.monotonic() - self._told >= 1:
            self._told = time.monotonic()
            events.tell("progress", done=done)
        if self._bars is not None and self._task is not None:
            self._bars.update(self._task, completed=done, note=printable(note))


def _bars(*, lasting: bool) -> Progress:
    """Return bars on the error stream."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    return Progress(
        TextColumn("{task.description:<34}"),
        BarColumn(bar_width=28),
        TextColumn("{task.fields[note]}"),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=not lasting,
    )


class Journal:
    """Passes progress on, and keeps what ticks tell of finished work in a file; without a terminal it is also printed."""

    def __init__(self, inner: Watched, file: Path) -> None:
        self.file = file
        self._inner, self._stage, self._total, self._done = inner, "", 0.0, 0.0
        self._printed = not sys.stderr.isatty()

    def stage(self, name: str, total: float | None = None) -> None:
        """Begin a stage."""
        self._stage, self._total, self._done = name, total or 0.0, 0.0
        self._inner.stage(name, total)
        if self._printed:
            print(printable(name), file=sys.stderr, flush=True)

    def tick(self, done: float, note: str = "") -> None:
        """Report how far the stage is; what is told with a step forward was found by it."""
        self._inner.tick(done, note)
        if done <= self._done or not note:
            return
        self._done = done
        line = printable(f"{self._stage}, {done:g} of {self._total:g}: {note}")
        if self._printed:
            print(line, file=sys.stderr, flush=True)
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            with self.file.open("a", encoding="utf-8") as kept:
                kept.write(f"{line}\n")
        except OSError as error:
            raise BadRequest(
                f"cannot be written ({error.strerror or type(error).__name__})",
                parameter="out",
                value=str(self.file.parent),
            ) from None


@contextmanager
def under_way(*, quiet: bool = False, lasting: bool = False, compiling: bool = False) -> Iterator[Run]:
    """Give a run that the terminal shows; ``lasting`` bars stay there, ``compiling`` may take a while the first time."""
    if compiling:
        announce_compilation()
    with TerminalProgress(quiet=quiet, lasting=lasting) as progress:
        yield Run(progress=progress)
