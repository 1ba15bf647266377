"""Degree sequences: how far one is from looking the same k times, and the nearest one that does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Literal

import numpy as np

from sfumato.data.frozen import frozen
from sfumato.errors import BadRequest, Infeasible
from sfumato.graphs.degree_sequence_kernels import cheapest_groups
from sfumato.graphs.graph import Graph
from sfumato.kernels.arrays import Ints

__all__ = [
    "Direction",
    "EditSet",
    "Sequenced",
    "anonymity",
    "fewest_edits",
    "nearest_sequence",
    "nearest_sequences",
    "realizable",
]

Direction = Literal["increase", "both"]
EditSet = tuple[tuple[int, int], ...]
"""Links by node numbers, smaller first: those that are there are removed, the others added."""

_TRIED = 5_000_000  # sets of links that an exhaustive search looks at


@frozen(eq=False)
class Sequenced:
    """The nearest k-anonymous degrees: of each node, what they cost in all, and the sequence in falling order."""

    targets: Ints
    cost: int

    @property
    def sequence(self) -> list[int]:
        """The degrees, largest first."""
        return sorted(self.targets.tolist(), reverse=True)


def anonymity(degrees: Sequence[int] | Ints) -> int:
    """Return the largest k for which every degree occurs k times or more; 0 without nodes.

    >>> anonymity([5, 5, 3, 3, 2, 2, 2])
    2
    """
    counts = np.unique(np.asarray(degrees, np.int64), return_counts=True)[1]
    return int(counts.min()) if len(counts) else 0


def nearest_sequence(degrees: Sequence[int] | Ints, k: int, direction: Direction = "increase") -> Sequenced:
    """Return k-anonymous degrees with the smallest ``sum |d' - d|`` (Liu and Terzi 2008; Fung et al. 2010, Eq. 15.2, 15.3).

    ``D(i) = min D(i - s) + I(i - s + 1 .. i)`` over the sizes ``k <= s < 2k`` of the last group of the falling sequence. ``I``
    is the sum of (largest - d), or with ``both`` of |median - d|. Nodes of equal degree keep their order.
    """
    given = np.asarray(degrees, np.int64)
    if len(given) < k:
        raise Infeasible(f"k={k} is larger than the number of nodes, {len(given)}", measured=len(given), bound=k)
    order = np.argsort(-given, kind="stable")
    falling = given[order]
    best, size = cheapest_groups(falling, k, direction == "both")
    targets = np.empty(len(given), np.int64)
    end = len(given)
    while end > 0:
        own = int(size[end])
        first = end - own
        targets[order[first:end]] = falling[first + own // 2] if direction == "both" else falling[first]
        end = first
    return Sequenced(targets, int(best[-1]))


def nearest_sequences(
    degrees: Sequence[int] | Ints, k: int, direction: Direction = "increase"
) -> tuple[int, list[list[int]]]:
    """Return the smallest cost and every falling k-anonymous sequence that has it, in order; for short sequences.

    >>> nearest_sequences([5, 4, 4, 2, 1, 1], 2)
    (3, [[5, 5, 4, 4, 1, 1]])
    """
    falling = -np.sort(-np.asarray(degrees, np.int64))
    cost = nearest_sequence(falling, k, direction).cost
    best, _ = cheapest_groups(falling, k, direction == "both")
    if len(falling) > 40:
        raise BadRequest("must have at most 40 degrees to list every sequence", parameter="degrees", value=len(falling))

    def ending(end: int) -> Iterator[tuple[int, ...]]:
        if end == 0:
            yield ()
        for own in range(k, min(2 * k - 1, end) + 1):
            first, group = end - own, falling[end - own : end]
            if end - own not in (0, *range(k, end + 1)):
                continue
            high, low = int(group[(own - 1) // 2]), int(group[own // 2])
            values = range(low, high + 1) if direction == "both" else [int(group[0])]
            spent = int(np.abs(group - values[0]).sum())
            if best[first] + spent == best[end]:
                for value in values:
                    for before in ending(first):
                        yield (*before, *[value] * own)

    return cost, [list(one) for one in sorted(set(ending(len(falling))))]


def realizable(graph: Graph, sequence: Sequence[int]) -> bool:
    """Tell whether links can be added so that the degrees, largest first, become the sequence; for small graphs."""
    wanted = sorted(sequence, reverse=True)
    more = sum(wanted) - int(graph.degrees.sum())
    if more < 0 or more % 2 or len(wanted) != len(graph):
        return False
    missing = _missing(graph)
    for chosen in _sets_of(missing, more // 2):
        degrees = graph.degrees.copy()
        for one, other in chosen:
            degrees[one] += 1
            degrees[other] += 1
        if sorted(degrees.tolist(), reverse=True) == wanted:
            return True
    return False


def fewest_edits(graph: Graph, k: int, *, remove: bool = False) -> list[EditSet]:
    """Return every smallest set of links to add (with ``remove``: or to remove) after which degrees are k-anonymous.

    By trying all sets, small ones first: for graphs of a few nodes, and to judge what quick searches find.
    """
    if len(graph) < k:
        raise Infeasible(f"k={k} is larger than the number of nodes, {len(graph)}", measured=len(graph), bound=k)
    held = {(one, other) for one, other in graph.edges.tolist()}
    choices = sorted([*_missing(graph), *(held if remove else ())])
    for count in range(len(choices) + 1):
        found: list[EditSet] = []
        for chosen in _sets_of(choices, count):
            degrees = graph.degrees.copy()
            for pair in chosen:
                degrees[list(pair)] += -1 if pair in held else 1
            if anonymity(degrees) >= k:
                found.append(chosen)
        if found:
            return found
    raise Infeasible("no set of links does it", requirement="k-degree-anonymity")


def _missing(graph: Graph) -> list[tuple[int, int]]:
    held = graph.adjacency
    return [(one, other) for one, other in combinations(range(len(graph)), 2) if other not in held[one]]


def _sets_of(choices: Sequence[tuple[int, int]], count: int) -> Iterator[EditSet]:
    for tried, chosen in enumerate(combinations(choices, count)):
        if tried >= _TRIED:
            raise BadRequest("has too many nodes to try every set of links", parameter="graph")
        yield chosen
