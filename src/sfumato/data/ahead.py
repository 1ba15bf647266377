"""Work in a thread beside this one: the next portion while the one before is used, or whatever is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

__all__ = ["ahead", "thread_beside"]

T = TypeVar("T")


def ahead(portions: Iterable[T]) -> Iterator[T]:
    """Yield portions in their order; it pays where making them, or using them, leaves the interpreter alone.

    >>> list(ahead(number * number for number in range(4)))
    [0, 1, 4, 9]
    """
    source, end = iter(portions), object()
    with ThreadPoolExecutor(1, "ahead") as beside:
        waiting = beside.submit(next, source, end)
        while (portion := waiting.result()) is not end:
            waiting = beside.submit(next, source, end)
            yield portion  # type: ignore[misc]


@contextmanager
def thread_beside(name: str) -> Iterator[Executor]:
    """Give a thread to work beside this one; what it has not begun by the end is never done.

    >>> with thread_beside("sums") as beside:
    ...     beside.submit(sum, [1, 2]).result()
    3
    """
    threads = ThreadPoolExecutor(1, name)
    try:
        yield threads
    finally:
        threads.shutdown(cancel_futures=True)
