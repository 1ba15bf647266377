"""Kernels on both cores: compiled code that leaves the interpreter alone runs beside the same on other arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor

__all__ = ["beside"]


def beside(calls: Iterable[Callable[[], None]]) -> None:
    """Make all calls, each in a thread of its own; they must not write to the same places.

    >>> out = [0, 0]
    >>> beside([lambda: out.__setitem__(0, 1), lambda: out.__setitem__(1, 2)])
    >>> out
    [1, 2]
    """
    first, *others = calls
    with ThreadPoolExecutor(max(len(others), 1), "kernel") as threads:
        waiting = [threads.submit(call) for call in others]
        first()
        for done in waiting:
            done.result()
