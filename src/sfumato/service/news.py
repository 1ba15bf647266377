"""News: whoever waits for something hears of it as soon as it is there, in whatever thread it came about."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress

__all__ = ["News"]

_GLANCE = 0.25
"""Seconds after which whoever waits looks by itself: a deadline passes without anybody telling."""


class News:
    """Wakes callers of a server that wait for an answer; nobody takes a thread by waiting."""

    def __init__(self) -> None:
        self._waiting: set[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = set()

    def tell(self) -> None:
        """Let everybody who waits look again."""
        for loop, event in tuple(self._waiting):
            with suppress(RuntimeError):  # its server has stopped
                loop.call_soon_threadsafe(event.set)

    async def until(self, there: Callable[[], bool], seconds: float) -> None:
        """Keep a caller waiting until there is something to tell, or for so many seconds."""
        until = time.monotonic() + seconds
        waiting = (asyncio.get_running_loop(), asyncio.Event())
        self._waiting.add(waiting)
        try:
            while not there() and (left := until - time.monotonic()) > 0:
                with suppress(TimeoutError):
                    await asyncio.wait_for(waiting[1].wait(), min(left, _GLANCE))
                waiting[1].clear()
        finally:
            self._waiting.discard(waiting)
