"""More than the best node of a lattice: the best few, the nodes with nothing finer below them, and what is known by height.

The best few are found as the best one is: a node is ruled out only if it must cost more than the last of them. The frontier
needs no cost at all: whatever lies above a satisfying node is not on it, and requirements that no node below a failing one
can meet rule out what lies below.
"""

from __future__ import annotations

from bisect import insort

import numpy as np
import numpy.typing as npt

from sfumato.algorithms.lattice._cost import Tally
from sfumato.algorithms.lattice._heuristics import begin, guess
from sfumato.algorithms.lattice._search import ENUMERABLE, Found, LatticeSearch, Stop
from sfumato.contracts.algorithm import Task
from sfumato.contracts.exploration import Height
from sfumato.contracts.metric import DataMetric
from sfumato.contracts.progress import Progress
from sfumato.kernels.arrays import Bools, Ints
from sfumato.searches.lattice import Lattice, Node

__all__ = ["BestNodes", "States", "best_node", "counted_states", "frontier", "heights", "minimal_nodes"]

OPEN, SATISFIED, VIOLATED = 0, 1, 2
States = npt.NDArray[np.int8]


class BestNodes(LatticeSearch):
    """A search for the best ``wanted`` nodes; ``best`` is the last of them, so that only what is worse is ruled out."""

    def __init__(self, task: Task, metric: DataMetric, progress: Progress | None = None, wanted: int = 1) -> None:
        super().__init__(task, metric, progress)
        self.wanted = wanted
        self.ranked: list[Found] = []
        self.smallest: dict[Node, int] = {}
        self._offered: set[Node] = set()

    def want(self, wanted: int) -> None:
        """Look for another number of nodes from now on."""
        self.wanted = wanted
        self._take_last()

    def offer(self, tally: Tally) -> bool:
        """Rank a counted node if it is valid; tell whether it is."""
        if not self.valid(tally):
            return False
        if tally.node not in self._offered:
            self._offered.add(tally.node)
            insort(self.ranked, self.found(tally), key=lambda found: found.key)
            self._take_last()
        return True

    def _take_last(self) -> None:
        self.best = self.ranked[self.wanted - 1] if len(self.ranked) >= self.wanted else None

    def look_at(self, node: Node, sizes: Ints, violating: Bools) -> None:
        kept = sizes[~violating]
        self.smallest[node] = int(kept.min()) if len(kept) else 0


def best_node(search: LatticeSearch, rng: np.random.Generator, stop: Stop) -> str | None:
    """Search for the best node to the end, or as far as a lattice allows that cannot be enumerated; return why it stopped."""
    if search.lattice.size <= ENUMERABLE:
        begin(search, stop)
        return search.run(stop)
    return guess(search, rng, stop)


# ---- the frontier --------------------------------------------------------------------------------------------------------


def frontier(search: LatticeSearch, stop: Stop) -> tuple[States, bool]:
    """Count nodes until every one is known to be on the frontier or not; return what is known, and whether that is all.

    Nodes that were not counted are marked only if requirements settle them.
    """
    lattice = search.lattice
    states = np.zeros(lattice.shape, np.int8)
    waiting = np.ones(lattice.shape, bool)
    for tally in search.tallies.values():
        _settle(search, tally, states, waiting)
    while waiting.any():
        if stop() is not None:
            return states, False
        path = _path(lattice, waiting)
        low, high = 0, len(path) - 1
        while low <= high:
            middle = (low + high) // 2
            if waiting[path[middle]]:
                _settle(search, search.count([path[middle]])[0], states, waiting)
            if states[path[middle]] == SATISFIED:
                high = middle - 1
            else:
                low = middle + 1
    return states, True


def counted_states(search: LatticeSearch) -> States:
    """Return what is known where every node was counted."""
    states = np.zeros(search.lattice.shape, np.int8)
    for node, tally in search.tallies.items():
        states[node] = SATISFIED if search.valid(tally) else VIOLATED
    return states


def _settle(search: LatticeSearch, tally: Tally, states: States, waiting: Bools) -> None:
    above = tuple(slice(level, None) for level in tally.node)
    below = tuple(slice(0, level + 1) for level in tally.node)
    if search.valid(tally):
        states[tally.node] = SATISFIED
        waiting[above] = False
        if search.judge.upward:
            states[above] = SATISFIED
    elif search.judge.upward or tally.lasting > search.budget:
        states[below] = VIOLATED
        waiting[below] = False
    else:
        states[tally.node] = VIOLATED
        waiting[tally.node] = False


def _path(lattice: Lattice, waiting: Bools) -> list[Node]:
    """Return waiting nodes, each one step above the one before, from the first in attribute order."""
    node: Node = tuple(int(level) for level in np.unravel_index(int(np.argmax(waiting)), lattice.shape))
    out = [node]
    while True:
        above = next((other for other in lattice.above(node) if waiting[other]), None)
        if above is None:
            return out
        node = above
        out.append(node)


def minimal_nodes(states: States) -> list[Node]:
    """Return the satisfying nodes that have no satisfying node below them.

    >>> minimal_nodes(np.array([[2, 1], [1, 1]], np.int8))
    [(0, 1), (1, 0)]
    """
    satisfied = states == SATISFIED
    reached = satisfied
    for axis in range(states.ndim):
        reached = np.logical_or.accumulate(reached, axis=axis)
    below = np.zeros_like(satisfied)
    for axis in range(states.ndim):
        finer = [slice(None)] * states.ndim
        coarser = [slice(None)] * states.ndim
        finer[axis], coarser[axis] = slice(0, -1), slice(1, None)
        below[tuple(coarser)] |= reached[tuple(finer)]
    return [tuple(int(level) for level in node) for node in np.argwhere(satisfied & ~below)]


# ---- what is known, by height --------------------------------------------------------------------------------------------


def heights(lattice: Lattice, states: States | dict[Node, bool]) -> tuple[Height, ...]:
    """Count the nodes of each height, for a lattice of any size."""
    total = [1]
    for count in lattice.shape:
        grown = [0] * (len(total) + count - 1)
        for at, nodes in enumerate(total):
            for level in range(count):
                grown[at + level] += nodes
        total = grown
    known = np.zeros((2, len(total)), np.int64)
    if isinstance(states, dict):
        for node, satisfied in states.items():
            known[0 if satisfied else 1, sum(node)] += 1
    else:
        height = sum(np.ix_(*(np.arange(count) for count in lattice.shape)), np.zeros((), np.int64))
        for row, state in enumerate((SATISFIED, VIOLATED)):
            known[row] = np.bincount(height[states == state], minlength=len(total))
    return tuple(Height(at, nodes, int(known[0, at]), int(known[1, at])) for at, nodes in enumerate(total))
