"""What every node of a lattice costs at least, as one array that each counted node raises, until the best node is proven."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, prod
from typing import TYPE_CHECKING

import numpy as np

from sfumato.algorithms.lattice._box_kernels import bar_pairs, climb, highest_open, raise_box, raise_box_by_lines
from sfumato.algorithms.lattice._cost import AttributeCost, Tally
from sfumato.algorithms.lattice._forecast import Forecast
from sfumato.kernels.arrays import Floats, Ints
from sfumato.searches.lattice import Node

if TYPE_CHECKING:
    from sfumato.algorithms.lattice._search import LatticeSearch, Stop

__all__ = ["Part", "Space"]

_BATCH = 48
_SWEEP = 128  # nodes that are counted at once on the way down
_OFTEN = 16  # questions after which settled nodes are no longer looked at
_ABREAST = 8  # paths that are halved at once
_LONG = 1 << 16  # nodes of a lattice that takes long
_FEW = 100  # nodes that are not worth counting pairs of columns first


class Space:
    """All nodes of a lattice that fits into an array: what each costs at least, infinitely much once it is settled."""

    def __init__(self, search: LatticeSearch) -> None:
        self._lay_out(search, tuple(range(len(search.lattice.shape))))
        self.floors = np.ascontiguousarray(search.cost.floors(search.lattice)).reshape(-1)
        if search.bounded:
            inside = tuple(slice(low, high + 1) for low, high in zip(search.lowest, search.highest, strict=True))
            outside = np.ones(self.shape, bool)
            outside[inside] = False
            self.floors[outside.reshape(-1)] = inf
        self._bar()
        self.forecast = self._forecast()
        for tally in search.tallies.values():
            self._settle(tally)

    def _forecast(self) -> Forecast | None:
        cost = self.search.cost
        return Forecast(self, cost) if self.search.foretells and isinstance(cost, AttributeCost) else None

    def laid_out(self, lines: Floats) -> Floats:
        """Return for every place the sum of what its levels contribute."""
        out = np.zeros(1)
        for line, extent in zip(lines[::-1], self.shape[::-1], strict=True):
            out = (line[:extent, None] + out[None, :]).reshape(-1)
        return out

    def _lay_out(self, search: LatticeSearch, columns: tuple[int, ...]) -> None:
        self.search = search
        self.columns = columns
        self.shape = tuple(search.lattice.shape[i] for i in columns)
        self.size = prod(self.shape)
        self.top = np.array(self.shape, np.int64) - 1
        self.strides = np.array([prod(self.shape[i + 1 :]) for i in range(len(self.shape))], np.int64)
        self.known = np.zeros(self.size, bool)  # known to be valid, though perhaps not counted
        self.limit = inf
        self._open = np.arange(self.size)  # what is settled since is among them for a while
        self._asked = 0

    def _bar(self) -> None:
        """Settle the nodes that two columns rule out."""
        barred = self.search.barred if self.size > _FEW else None
        if barred is not None:
            own = np.array(self.columns)
            bar_pairs(self.floors, self.strides, self.top, np.ascontiguousarray(barred[own][:, :, own]))

    def any(self) -> bool:
        """Tell whether a node is left that could be better."""
        if self._asked % _OFTEN == 0:
            self._open = self._open[self.floors[self._open] < inf]
        self._asked += 1
        return bool((self.floors[self._open] < inf).any())

    def settled(self) -> int:
        """Return how many nodes are settled."""
        return int(np.count_nonzero(self.floors == inf))

    def bound(self) -> float:
        """Return what the best node costs at least."""
        best = self.search.best
        return min(self._lowest(), best.score if best is not None else inf)

    def _lowest(self) -> float:
        return float(self.floors[self._open].min(initial=inf))

    def count(self, places: Sequence[int]) -> None:
        """Count nodes and draw every conclusion from them."""
        self.search.swept += len(places) * self.size
        for tally in self.search.count([self._node(place) for place in places]):
            self._settle(tally)

    def _node(self, place: int) -> Node:
        out = []
        for stride in self.strides.tolist():
            level, place = divmod(place, stride)
            out.append(level)
        return tuple(out)

    def _settle(self, tally: Tally) -> None:
        search, node = self.search, np.array(tally.node, np.int64)
        valid = search.offer(tally)
        if search.best is not None:
            # What is computed in two ways may differ in the last digits, so a floor must be clearly above the best to rule a
            # node out; equal ones stay, and the order of nodes decides between them.
            limit = search.best.score + 1e-9 * abs(search.best.score) + 1e-12
            if limit < self.limit:
                self.limit = limit
                self.floors[self.floors > limit] = inf
        if search.judge.upward and valid:
            self.known.reshape(self.shape)[tuple(slice(level, None) for level in tally.node)] = True
        if (search.judge.upward and not valid) or tally.lasting > search.budget:
            raise_box(self.floors, self.strides, np.zeros_like(node), node, inf, inf)
        elif tally.lasting and isinstance(search.cost, AttributeCost):
            search.cost.raise_below(tally, self.floors, self.strides, self.limit)
        elif tally.lasting and search.cost.below(tally) > -inf:
            raise_box(self.floors, self.strides, np.zeros_like(node), node, search.cost.below(tally), self.limit)
        rising = search.cost.rising(tally)
        if rising > -inf:
            raise_box(self.floors, self.strides, node, self.top, rising, self.limit)
        place = int(node @ self.strides)
        self.floors[place] = inf
        if self.forecast is not None:
            self.forecast.learn(place, tally)

    def follow_forecast(self) -> None:
        """Count the nodes that should settle most."""
        assert self.forecast is not None
        self.count(self.forecast.next())

    def sweep_down(self) -> None:
        """Count the highest open nodes: what is below a node that must leave out too many is never looked at."""
        places = highest_open(self.floors, self.strides, self.top + 1)
        self.count(places[_smallest(self.floors[places], _SWEEP)[:_SWEEP]].tolist())

    def take_a_batch(self) -> None:
        """Count the nodes with the lowest floors."""
        places = self._open[self.floors[self._open] < inf]
        floors = self.floors[places]
        if len(places) > _BATCH:
            chosen = np.argpartition(floors, _BATCH - 1)[:_BATCH]
            places, floors = places[chosen], floors[chosen]
        self.count(places[np.lexsort((places, floors))].tolist())

    def halve_paths(self) -> None:
        """Go up from the most promising nodes, and look for the lowest node on each way that is worth its cost.

        Where it takes long, several paths are halved at once, for as many cores.
        """
        floors = self.floors[self._open]
        abreast = _ABREAST if self.size >= _LONG else 1
        starts = np.array([floors.argmin()]) if abreast == 1 else _smallest(floors, 16 * abreast)
        walks: list[tuple[Ints, int, int]] = []
        passed: set[int] = set()
        for start in self._open[starts].tolist():
            if len(walks) < abreast and start not in passed and self.floors[start] < inf:
                path = np.asarray(climb(self.floors, self.known, self.strides, self.top, start), np.int64)
                passed.update(path.tolist())
                walks.append((path, 0, len(path) - 1))
        while walks:
            middles = [int(path[(low + high) // 2]) for path, low, high in walks]
            self.count([place for place in dict.fromkeys(middles) if self.floors[place] < inf])
            # Down if something is open there: it may be cheaper. Up otherwise.
            halved = []
            for path, low, high in walks:
                middle = (low + high) // 2
                down = bool((self.floors[path[low:middle]] < inf).any())
                low, high = (low, middle - 1) if down else (middle + 1, high)
                if low <= high:
                    halved.append((path, low, high))
            walks = halved


def _smallest(numbers: Floats, count: int) -> Ints:
    """Return the places of the smallest numbers in order, the first of equal ones first."""
    if len(numbers) > count:
        chosen = np.argpartition(numbers, count - 1)[:count]
        chosen = np.flatnonzero(numbers <= numbers[chosen].max())[: 4 * count]
    else:
        chosen = np.arange(len(numbers))
    return np.asarray(chosen[np.argsort(numbers[chosen], kind="stable")])


class Part(Space):
    """The lattice of some columns while all others are masked: what these columns cost at least in any valid node.

    Masking columns puts groups together. What is left out then is left out at every node below, so the best levels of the part
    cost no more than those columns do in the best node of the whole.
    """

    def __init__(self, search: LatticeSearch, columns: tuple[int, ...]) -> None:
        assert isinstance(search.cost, AttributeCost)
        self.cost = search.cost
        self._lay_out(search, columns)
        self.least = inf
        lines = self._lines(0.0)
        self.floors = np.zeros(self.shape)
        for i, extent in enumerate(self.shape):
            line = lines[i, :extent].reshape([-1 if j == i else 1 for j in range(len(self.shape))])
            self.floors = np.maximum(self.floors, line) if self.cost.largest else self.floors + line
        self.floors = np.ascontiguousarray(self.floors).reshape(-1)
        self._bar()
        search.rollup.hold(self._node(0))

    def run(self, stop: Stop) -> str | None:
        """Look for the cheapest levels; return why it stopped early."""
        while self.any():
            reason = stop()
            if reason is not None:
                return reason
            self.halve_paths()
        return None

    def bound(self) -> float:
        """Return what the columns of the part cost at least, as a share of the whole."""
        return min(self._lowest(), self.least)

    def _lines(self, more: Floats | float) -> Floats:
        return np.asarray(self.cost.shares(more)[np.array(self.columns)])

    def _node(self, place: int) -> Node:
        node = list(self.search.lattice.top)
        for i, level in zip(self.columns, super()._node(place), strict=True):
            node[i] = level
        return tuple(node)

    def _settle(self, tally: Tally) -> None:
        search = self.search
        node = np.array([tally.node[i] for i in self.columns], np.int64)
        valid = search.offer(tally)
        if (search.judge.upward and not valid) or tally.lasting > search.budget:
            raise_box(self.floors, self.strides, np.zeros_like(node), node, inf, inf)
            return
        if search.judge.upward:
            self.known.reshape(self.shape)[tuple(slice(level, None) for level in node.tolist())] = True
        lines = self._lines(tally.lines)
        own = lines[np.arange(len(node)), node]
        value = float(own.max() if self.cost.largest else own.sum())
        if value < self.least:
            self.least, self.limit = value, value * (1 + 1e-9)
            self.floors[self.floors > self.limit] = inf
        if tally.lasting:
            raise_box_by_lines(self.floors, self.strides, node, lines, self.cost.largest, self.limit)
        self.floors[int(node @ self.strides)] = inf
