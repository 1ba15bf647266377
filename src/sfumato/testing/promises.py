"""What the common checks share: how a broken promise is told, and the proof that no global generator was used."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from sfumato.contracts.thing import Thing

__all__ = ["generators_untouched", "name_of", "promise"]


def name_of(thing: Thing | type[Thing]) -> str:
    """Return how a thing is called in a message: its id, or its class where it has none."""
    kind = thing if isinstance(thing, type) else type(thing)
    return kind.id or kind.__name__


def promise(kept: object, thing: Thing | type[Thing], text: str) -> None:
    """Raise ``AssertionError`` with the thing's name and the promise in words, unless it is kept.

    >>> from sfumato.models.k_anonymity import KAnonymity
    >>> promise(False, KAnonymity, "sizes are counts")
    Traceback (most recent call last):
    AssertionError: k-anonymity: broken promise: sizes are counts
    """
    if not kept:
        raise AssertionError(f"{name_of(thing)}: broken promise: {text}")


@contextmanager
def generators_untouched(thing: Thing | type[Thing]) -> Iterator[None]:
    """Insist that what runs inside draws nothing from the global generators of NumPy and Python."""
    ours, theirs = _numpy_state(), random.getstate()
    yield
    promise(_numpy_state() == ours, thing, "the global generator of NumPy is untouched")
    promise(random.getstate() == theirs, thing, "the global generator of Python is untouched")


def _numpy_state() -> tuple[object, ...]:
    name, keys, *rest = np.random.get_state()  # noqa: NPY002 - the global generator is what is watched here
    return (name, np.asarray(keys).tobytes(), *rest)
