"""Progress of long work, told to whoever is watching: a terminal, a notebook, nobody."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

__all__ = ["SILENT", "Progress", "Silent"]


@runtime_checkable
class Progress(Protocol):
    """Receives stages and ticks; implementations must be cheap and must not raise."""

    def stage(self, name: str, total: float | None = None) -> None:
        """Begin a stage; ``total`` is the number of ticks, if known."""

    def tick(self, done: float, note: str = "") -> None:
        """Report how far the current stage is, in absolute ticks."""


class Silent:
    """Nobody is watching."""

    def stage(self, name: str, total: float | None = None) -> None:
        """Ignore the stage."""

    def tick(self, done: float, note: str = "") -> None:
        """Ignore the tick."""


SILENT = Silent()
