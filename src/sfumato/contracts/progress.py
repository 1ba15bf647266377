"""Progress of long work, told to whoever is watching: a terminal, a notebook, nobody."""

from __future__ import annotations

import sys
from html import escape
from time import monotonic
from typing import Any, Protocol, runtime_checkable

__all__ = ["SILENT", "Notebook", "Progress", "Silent", "watcher"]

_SOON, _OFTEN = 1.0, 0.2  # seconds before anything is shown, and between two drawings


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


class Notebook:
    """Shows stages and ticks below the cell of a notebook: nothing of what is quick, and nothing once the cell is done."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._name = ""
        self._total: float | None = None
        self._drawn = monotonic() + _SOON - _OFTEN
        self._shown: Any = None

    def stage(self, name: str, total: float | None = None) -> None:
        """Begin a stage."""
        self._name, self._total = name, total
        self.tick(0.0)

    def tick(self, done: float, note: str = "") -> None:
        """Move the bar of the current stage."""
        if monotonic() - self._drawn < _OFTEN:
            return
        self._drawn = monotonic()
        bar = f'<progress value="{done:g}" max="{self._total:g}"></progress> ' if self._total else ""
        self._draw(f"<div>{bar}{escape(self._name)} {escape(note)}</div>")

    def _draw(self, page: str) -> None:
        from IPython.display import HTML, display

        if self._shown is None:
            self._shown = display(HTML(page), display_id=True)
            self._shell.events.register("post_run_cell", self._end)
        else:
            self._shown.update(HTML(page))

    def _end(self, *_: object) -> None:
        self._shell.events.unregister("post_run_cell", self._end)
        self._draw("")
        self._shown = None


def watcher() -> Progress:
    """Return who watches a run that nobody gave a watcher: the notebook that it is called from, if it is one."""
    loaded = sys.modules.get("IPython")  # whoever has not imported it is no notebook
    shell = loaded.get_ipython() if loaded is not None and hasattr(loaded, "get_ipython") else None
    return Notebook(shell) if getattr(shell, "kernel", None) is not None else SILENT
