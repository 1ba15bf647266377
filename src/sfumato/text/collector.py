"""The collector of garbage waits while a text is worked on: it would look through all its places again and again."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["waiting_collector"]


@contextmanager
def waiting_collector() -> Iterator[None]:
    """Collect no garbage meanwhile.

    A long text is held as hundreds of thousands of words and places, which stay until its end; what is no longer needed is
    freed as ever, because none of it refers to itself.

    >>> with waiting_collector():
    ...     gc.isenabled()
    False
    """
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()
