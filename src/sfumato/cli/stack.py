"""The stack of a command in one piece: which call lies at the end of a piece is chance, and calls there are slow."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

__all__ = ["in_one_piece"]

T = TypeVar("T")

_WORDS = 60_000  # half a MiB for one frame makes a piece of 1 MiB; what nobody touches takes no memory


def in_one_piece(call: Callable[[], T]) -> T:
    """Call something whose frames, and those of all that it calls, lie in one piece of memory.

    CPython asks the system for 16 KiB whenever the frames of calls in calls have filled a piece, and gives them back at the
    return. A loop that happens to lie there does so at every turn: loading numba took a second time as long. A frame that
    needs more room than that gets a piece of its own, twice as large, and the frames above it share the rest.

    >>> in_one_piece(lambda: sum([1, 2]))
    3
    """

    def roomy() -> T:
        return call()

    roomy.__code__ = roomy.__code__.replace(co_stacksize=_WORDS)
    return roomy()
