"""Blocks of neighbours that do not depend on who holds what: decoys are drawn from them, so that no place tells who drew."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sfumato.kernels.arrays import Floats, Ints

__all__ = ["blocks_of", "merged_blocks"]


def blocks_of(places: Floats, least: int) -> Ints:
    """Return the block of each record: all are halved along the axis on which they spread most, while ``least`` stay together.

    >>> blocks_of(np.array([[1.0], [2.0], [8.0], [9.0]]), 2).tolist()
    [0, 0, 1, 1]
    """
    out = np.zeros(len(places), np.int64)
    waiting, number = [np.arange(len(places))], 0
    while waiting:
        part = waiting.pop()
        spread = np.ptp(places[part], axis=0) if places.shape[1] else np.zeros(0)
        if len(part) < 2 * least or not spread.size or not spread.max() > 0:
            out[part] = number
            number += 1
            continue
        order = part[np.argsort(places[part, int(np.argmax(spread))], kind="stable")]
        waiting += [order[len(order) // 2 :], order[: len(order) // 2]]
    return out


def merged_blocks(needed: Sequence[int], there: Sequence[int]) -> list[int]:
    """Return for each block which one it is part of, so that each has as many who are there as it needs, or is the only one.

    Neighbours in the order of the blocks are joined; who exactly needs somebody does not matter, only how many do.

    >>> merged_blocks([0, 3, 0, 1], [2, 1, 3, 2])
    [0, 1, 1, 3]
    """
    parts: list[list[int]] = []
    for at in range(len(needed)):
        if parts and _lack(parts[-1], needed, there):
            parts[-1].append(at)
        else:
            parts.append([at])
    while len(parts) > 1 and _lack(parts[-1], needed, there):  # whoever comes last joins those before
        last = parts.pop()
        parts[-1] += last
    return [part[0] for part in parts for _ in part]


def _lack(part: Sequence[int], needed: Sequence[int], there: Sequence[int]) -> bool:
    return sum(needed[at] for at in part) > sum(there[at] for at in part)
