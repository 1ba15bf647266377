"""Kernels are compiled once per machine; whoever waits for it is told so."""

from __future__ import annotations

import sys
from pathlib import Path

__all__ = ["announce_compilation", "is_compiled", "warm"]


def is_compiled() -> bool:
    """Tell whether compiled kernels lie in the cache already."""
    from sfumato.kernels import partition

    kernels = (partition.split_groups, partition.disclose_groups, partition.count_ahead)
    return all(_cached(kernel) for kernel in kernels)


def _cached(kernel: object) -> bool:
    cache = getattr(kernel, "_cache", None)
    folder = getattr(cache, "cache_path", None)
    name = getattr(getattr(kernel, "py_func", None), "__name__", "")
    return folder is not None and any(Path(folder).glob(f"partition.{name}-*.nbi"))


def announce_compilation() -> None:
    """Compile all kernels if that was never done here, and say so in one line."""
    if not is_compiled():
        print("compiling kernels, once on this machine (a few seconds)", file=sys.stderr)
        warm()


def warm() -> None:
    """Compile every kernel for the types it is used with."""
    import numpy as np

    from sfumato.kernels.partition import count_ahead, disclose_groups, split_groups

    codes = np.zeros((2, 1), np.int32)
    codes[1, 0] = 1
    weights = np.ones(2, np.int64)
    order, buffer = np.arange(2, dtype=np.int32), np.empty(2, np.int32)
    start, end, size = np.zeros(4, np.int64), np.zeros(4, np.int64), np.zeros(4, np.int64)
    shown = np.zeros((1, 4), np.int32)
    changed = np.zeros(4, np.int64)
    end[0], size[0] = 2, 2
    child = np.array([0, 1], np.int32)
    one, flag = np.zeros(2, np.int64), np.ones(1, np.int8)
    count_ahead(
        codes, weights, order, start, end, size, shown, changed, 1, np.zeros(1, np.int64), np.zeros(1, np.int8), flag,
        child, one, np.full(2, 2, np.int32), one, np.full(2, 9, np.int64), np.zeros(2, np.int64), one,
    )  # fmt: skip
    split_groups(
        codes,
        weights,
        order,
        start,
        end,
        size,
        shown,
        1,
        0,
        0,
        0,
        child,
        0,
        np.array([1, 2], np.int32),
        buffer,
        changed,
    )
    shown[:] = 0
    disclose_groups(codes, weights, order, start, end, size, shown, 1, 0, 0, 0, buffer, changed)


if __name__ == "__main__":
    warm()
