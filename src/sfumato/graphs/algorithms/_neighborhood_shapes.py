"""Neighbours in orders that can be compared, and sums of hashes that stand for what can be counted of a neighbourhood."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

from sfumato.graphs.graph import Graph
from sfumato.graphs.neighborhood_kernels import shared_neighbours

__all__ = ["WHOLE", "aligned", "fitted", "own_term", "sums", "term"]

WHOLE = 1 << 64
"""Sums are taken modulo this."""


def aligned(found: Sequence[list[list[int]]]) -> list[list[int]] | None:
    """Return the neighbours of several nodes in orders that put part beside part; single ones fill up what is smaller.

    Nothing if there are too few single ones, or not equally many neighbours.

    >>> aligned([[[1, 2, 3], [4, 5], [6]], [[11, 12], [13, 14], [15], [16]]])
    [[1, 2, 3, 4, 5, 6], [11, 12, 15, 13, 14, 16]]
    """
    if len({sum(map(len, parts)) for parts in found}) > 1:
        return None
    linked = [[part for part in parts if len(part) > 1] for parts in found]
    single = [[part[0] for part in parts if len(part) == 1] for parts in found]
    out: list[list[int]] = [[] for _ in found]
    for at in range(max(map(len, linked))):
        held = [parts[at] if at < len(parts) else [] for parts in linked]
        width = max(map(len, held))
        for places, part, spare in zip(out, held, single, strict=True):
            places += [*part, *spare[: width - len(part)]]
            if width - len(part) > len(spare):
                return None
            del spare[: width - len(part)]
    return [[*places, *spare] for places, spare in zip(out, single, strict=True)]


def fitted(own: list[list[int]], model: list[list[int]]) -> list[int] | None:
    """Return neighbours in the order of others that hold them, part beside part; -1 for a lacking one, nothing if none fits.

    >>> fitted([[4, 5], [6], [7]], [[11, 12, 13], [14, 15], [16]])
    [4, 5, 6, 7, -1]
    """
    linked = [part for part in own if len(part) > 1]
    single = [part[0] for part in own if len(part) == 1]
    aims = [part for part in model if len(part) > 1]
    if len(linked) > len(aims) or any(len(one) > len(other) for one, other in zip(linked, aims, strict=False)):
        return None
    out: list[int] = []
    for at, aim in enumerate(aims):
        part = linked[at] if at < len(linked) else []
        open_ = len(aim) - len(part)
        out += [*part, *single[:open_], *[-1] * (open_ - len(single))]
        single = single[open_:]
    return [*out, *single]


# ---- sums of hashes ------------------------------------------------------------------------------------------------------


def _mixed(
    values: np.ndarray[tuple[int, ...], np.dtype[np.uint64]],
) -> np.ndarray[tuple[int, ...], np.dtype[np.uint64]]:
    """Return numbers that look random (the finalizer of splitmix64)."""
    out = values + np.uint64(0x9E3779B97F4A7C15)
    out = (out ^ (out >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    out = (out ^ (out >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return out ^ (out >> np.uint64(31))


def sums(graph: Graph) -> np.ndarray[tuple[int, ...], np.dtype[np.uint64]]:
    """Return the sum of each node: a term for its label, and one for every neighbour with its label and what they share."""
    shared = shared_neighbours(graph.starts, graph.targets).astype(np.uint64)
    labels = graph.label_codes.astype(np.uint64) << np.uint64(32)
    terms = _mixed(labels[graph.targets] + shared + np.uint64(1))
    until = np.concatenate((np.zeros(1, np.uint64), np.cumsum(terms, dtype=np.uint64)))
    return until[graph.starts[1:]] - until[graph.starts[:-1]] + _mixed(labels)


@cache
def term(label: int, shared: int) -> int:
    """Return the term of one neighbour."""
    return int(_mixed(np.array([(label << 32) + shared + 1], np.uint64))[0])


def own_term(label: int) -> int:
    """Return the term of the node itself."""
    return term(label, -1)
