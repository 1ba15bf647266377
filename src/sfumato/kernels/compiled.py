"""Kernels are compiled once per machine, when they are first used; whoever waits for it is told so."""

from __future__ import annotations

import sys

__all__ = ["announce_compilation"]

_told: list[bool] = []


def announce_compilation() -> None:
    """Say in one line when a kernel that lies in no cache has to be compiled; later runs find it there."""
    if _told:
        return
    from numba.core import event

    class _Teller(event.Listener):  # type: ignore[misc]
        def on_start(self, event: object) -> None:
            if not _told[0]:
                _told[0] = True
                print("compiling kernels, once on this machine (a few seconds)", file=sys.stderr)

        def on_end(self, event: object) -> None:
            """Nothing is said when it is done."""

    _told.append(False)
    event.register("numba:compile", _Teller())
