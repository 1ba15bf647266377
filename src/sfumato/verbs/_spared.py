"""A long verb makes many small objects; those that were there before need not be searched for garbage again and again."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["spared"]


@contextmanager
def spared() -> Iterator[None]:
    """Leave what exists now to the collector only after the verb; its libraries alone are half a million objects.

    Who froze objects before keeps them frozen: thawing knows no difference between theirs and ours.

    >>> with spared():
    ...     inside = gc.get_freeze_count()
    >>> inside > gc.get_freeze_count() == 0
    True
    """
    if gc.get_freeze_count():
        yield
        return
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
