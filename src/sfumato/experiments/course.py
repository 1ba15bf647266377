"""One measurement after the other: what is measured next is told, and what was found as soon as it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from sfumato.contracts.progress import Progress

__all__ = ["each_of"]

A = TypeVar("A")
R = TypeVar("R")


def each_of(
    progress: Progress,
    stage: str,
    asked: Sequence[A],
    name: Callable[[A], str],
    measure: Callable[[A], R],
    told: Callable[[R], str],
) -> list[R]:
    """Measure each of what is asked; the tick after a measurement carries its name and what was found.

    >>> from sfumato.contracts.progress import Silent
    >>> each_of(Silent(), "squares", [2, 3], str, lambda one: one * one, str)
    [4, 9]
    """
    progress.stage(stage, len(asked))
    found: list[R] = []
    for done, one in enumerate(asked):
        progress.tick(done, name(one))
        found.append(measure(one))
        progress.tick(done + 1, f"{name(one)}: {told(found[-1])}")
    return found
