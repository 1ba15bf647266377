"""Stopping between steps: an interruption is noted and obeyed when the state is whole again."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["Interruption", "noted"]


class Interruption:
    """Whether somebody asked to stop."""

    def __init__(self) -> None:
        self.asked = False


@contextmanager
def noted() -> Iterator[Interruption]:
    """Note the first Ctrl-C instead of raising in the middle of a step; the second one raises at once.

    Outside the main thread signals do not arrive, and nothing is changed.
    """
    state = Interruption()
    if threading.current_thread() is not threading.main_thread():
        yield state
        return

    def note(number: int, frame: FrameType | None) -> None:
        if state.asked:
            raise KeyboardInterrupt
        state.asked = True

    before = signal.signal(signal.SIGINT, note)
    try:
        yield state
    finally:
        signal.signal(signal.SIGINT, before if before is not None else signal.default_int_handler)
