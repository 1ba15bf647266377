"""Search over the lattice of full-domain generalizations: count nodes, rule nodes out, and know when the best is found.

Three things rule a node out without looking at it: a requirement that no node below a failing one can meet, a cost that it
must have at least, and the records that it must leave out at least because a node above it does. Where requirements let
nodes be tagged, the search goes up a path from the most promising node and halves it; where they do not, it takes the most
promising nodes by the dozen.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import floor, inf, prod
from typing import NoReturn

import numpy as np

from sfumato.algorithms.lattice._box_kernels import climb, raise_box
from sfumato.algorithms.lattice._cost import AttributeCost, Cost, Tally, cost_of
from sfumato.algorithms.lattice._judge import Judge, Judged
from sfumato.contracts.algorithm import Task
from sfumato.contracts.metric import DataMetric
from sfumato.contracts.progress import Progress, Silent
from sfumato.contracts.run import Run
from sfumato.data.messages import say
from sfumato.errors import Infeasible
from sfumato.kernels.arrays import Bools, Floats
from sfumato.kernels.rollup import charge_left_out
from sfumato.searches.lattice import Lattice, Merged, Node, Rollup
from sfumato.searches.population import with_population

__all__ = ["ENUMERABLE", "Found", "LatticeSearch", "Stop", "stop_of"]

Stop = Callable[[], str | None]

ENUMERABLE = 1 << 21
"""Lattices of up to this many nodes are kept as arrays and searched to the end."""

_BATCH = 48
_UNIT = 2.0**40


@dataclass(frozen=True)
class Found:
    """A satisfying node: its cost, and the records and groups that are left out there."""

    node: Node
    score: float
    left_out: int
    groups: int
    kept: int

    @property
    def key(self) -> tuple[float, int, Node]:
        """What decides between nodes: cost in whole steps, then height, then attribute order."""
        return ordered(self.score, self.node)


def ordered(score: float, node: Node) -> tuple[float, int, Node]:
    """Return the order of nodes: cost in steps of 2^-40, the lower node, the node that masks later attributes first."""
    steps = floor(score * _UNIT + 0.5) if abs(score) < inf else score
    return steps, sum(node), node


class LatticeSearch:
    """Nodes of a task's lattice, counted once each, and the best that is known so far."""

    def __init__(
        self, task: Task, metric: DataMetric, progress: Progress | None = None, *, room: int = 96 << 20
    ) -> None:
        self.task = task = with_population(task)
        self.progress = progress or Silent()
        self.lattice = Lattice(task.attributes, task.table)
        self.judge = Judge(task, self.lattice)
        self.budget = task.budget
        needs = list(self.judge.needs())
        if metric.traits.needs_target and task.target is not None:
            needs.append(task.target)
        self.rollup = Rollup(self.lattice, task.table, needs, room)
        self.cost: Cost = cost_of(metric, self.lattice, task.table, self.budget, self._measured)
        self.metric = metric
        self.tallies: dict[Node, Tally] = {}
        self.scores: dict[Node, float] = {}
        self.best: Found | None = None
        self.bound = -inf
        self.threads = min(2, os.cpu_count() or 1)

    # ---- counting nodes ----------------------------------------------------------------------------------------------

    def count(self, nodes: Sequence[Node], *, keep: bool = True) -> list[Tally]:
        """Return what is counted at each node; nodes known already cost nothing."""
        fresh = [node for node in dict.fromkeys(nodes) if node not in self.tallies]
        merged = self._merge(fresh)
        for one, judged in zip(merged, self.judge.judge(self.rollup, merged), strict=True):
            self.tallies[one.node] = self._tally(one, judged)
            if keep:
                self.rollup.keep(one)
        return [self.tallies[node] for node in nodes]

    def _merge(self, nodes: Sequence[Node]) -> list[Merged]:
        # Nodes that come by the dozen are close to each other: one is the halting place of the next.
        bases = [self.rollup.nearest(node, halts=len(nodes) == 1) for node in nodes]
        if len(nodes) < 2 or self.threads < 2 or sum(map(len, bases)) < 20_000:
            return [self.rollup.merged_from(base, node) for base, node in zip(bases, nodes, strict=True)]
        # One part for each thread: handing over single nodes would cost as much as they do.
        pairs = list(zip(bases, nodes, strict=True))
        parts = [pairs[at :: self.threads] for at in range(self.threads)]
        with ThreadPoolExecutor(self.threads) as pool:
            done = list(pool.map(lambda part: [self.rollup.merged_from(*pair) for pair in part], parts))
        return [done[at % self.threads][at // self.threads] for at in range(len(pairs))]

    def _tally(self, merged: Merged, judged: Judged) -> Tally:
        charged, costs, bits = self._charge(merged, judged.violating)
        left_out, kept, kept_squares, all_squares = charged
        firm, firm_costs = left_out, costs
        if judged.firm is not judged.violating:
            (firm, *_), firm_costs, _ = self._charge(merged, judged.firm)
        return Tally(
            self.task.table.records,
            self.budget,
            len(merged) if merged.people is None else int(np.count_nonzero(merged.sizes)),
            left_out,
            kept,
            kept_squares,
            all_squares,
            firm,
            judged.loose,
            merged.node,
            costs,
            bits,
            firm_costs,
        )

    def _charge(self, merged: Merged, violating: Bools) -> tuple[tuple[int, int, float, float], Floats, Floats]:
        lattice, cost, node = self.lattice, self.cost, merged.node
        costs, bits = np.zeros(len(node)), np.zeros(len(node))
        by_value = isinstance(cost, AttributeCost)
        counted = charge_left_out(
            merged.keys,
            merged.sizes,
            violating,
            lattice.word,
            lattice.shift,
            lattice.mask,
            np.array(node, np.int64),
            lattice.widths,
            cost.extra if isinstance(cost, AttributeCost) else _NOTHING,
            cost.totals if isinstance(cost, AttributeCost) else _NOWHERE,
            cost.shift if isinstance(cost, AttributeCost) else lattice.widths,
            costs,
            bits,
            by_value,
        )
        return counted, costs, bits

    def score(self, tally: Tally) -> float:
        """Return the cost of a counted node."""
        if tally.node not in self.scores:
            self.scores[tally.node] = self.cost.score(tally)
        return self.scores[tally.node]

    def valid(self, tally: Tally) -> bool:
        """Tell whether a node leaves out no more than it may; a node that leaves out everything publishes nothing."""
        return tally.left_out <= self.budget and tally.kept > 0

    def found(self, tally: Tally) -> Found:
        """Return a counted node as a solution."""
        return Found(tally.node, self.score(tally), tally.left_out, tally.groups, tally.kept)

    def offer(self, tally: Tally) -> bool:
        """Take a counted node as the best if it is valid and better; tell whether it is valid."""
        if not self.valid(tally):
            return False
        found = self.found(tally)
        if self.best is None or found.key < self.best.key:
            self.best = found
        return True

    @property
    def checks(self) -> int:
        """How many nodes were counted."""
        return len(self.tallies)

    # ---- the best node -----------------------------------------------------------------------------------------------

    def run(self, stop: Stop | None = None) -> str | None:
        """Search for the best node; return why it stopped early, or ``None`` if the best is proven.

        ``bound`` is then what any node costs at least: the cost of the best one, or less if the search stopped early.
        """
        stop = stop or (lambda: None)
        space = _Space(self)
        reason = None
        while reason is None and space.any():
            reason = stop()
            if reason is not None:
                break
            self.progress.tick(
                space.settled(), f"best {self.best.score:.6g}" if self.best is not None else "no valid node yet"
            )
            if self._by_paths():
                space.halve_a_path()
            else:
                space.take_a_batch()
        self.bound = space.bound() if reason is not None else (self.best.score if self.best is not None else inf)
        return reason

    def _by_paths(self) -> bool:
        """Tell whether to go by paths: nodes rule each other out. Where almost all may be left out, little does but cost."""
        return self.judge.tags and (
            2 * self.budget < self.task.table.records or not isinstance(self.cost, AttributeCost)
        )

    def exhaust(self, nodes: Iterable[Node] | None = None, stop: Stop | None = None) -> list[Found]:
        """Count all nodes and return the satisfying ones, best first."""
        every = list(self.lattice.nodes() if nodes is None else nodes)
        for at in range(0, len(every), _BATCH):
            if stop is not None and stop() is not None:
                break
            self.progress.tick(at, f"{at:,} of {len(every):,} nodes")
            self.count(every[at : at + _BATCH])
        found = [
            self.found(self.tallies[node]) for node in every if node in self.tallies and self.valid(self.tallies[node])
        ]
        return sorted(found, key=lambda one: one.key)

    def refuse_infeasible(self, *, proven: bool = True) -> NoReturn:
        """Say why nothing satisfies the requirements: what the fully masked table measures, or how near a node came.

        Without ``proven`` the search did not rule out every node.
        """
        if proven or self.judge.upward:
            self.judge.refuse_hopeless(self.rollup)
        least = min((tally.left_out for tally in self.tallies.values()), default=self.task.table.records)
        nearest = (
            f"the nearest one counted leaves out {least:,} records, {self.budget:,} may be"
            if least > self.budget
            else "each one leaves out every record"
        )
        raise Infeasible(
            "no full-domain generalization that meets every requirement "
            + (f"exists: {nearest}" if proven else f"was found, though one may exist: {nearest}"),
            measured=least,
            bound=self.budget,
        )

    def _measured(self, node: Node, everything: bool) -> float:
        from sfumato.algorithms.lattice._release import published_at

        if everything and self.tallies[node].left_out == 0:
            return self.score(self.tallies[node])
        return self.metric.measure(published_at(self, node, everything=everything)).value


_NOTHING = np.zeros(1)
_NOWHERE = np.zeros(1, np.int64)


class _Space:
    """All nodes of a lattice that fits into an array: what each costs at least, infinitely much once it is settled."""

    def __init__(self, search: LatticeSearch) -> None:
        self.search = search
        lattice = search.lattice
        self.shape = lattice.shape
        self.top = np.array(lattice.top, np.int64)
        self.strides = np.array([prod(self.shape[i + 1 :]) for i in range(len(self.shape))], np.int64)
        self.floors = np.ascontiguousarray(search.cost.floors(lattice)).reshape(-1)
        self.known = np.zeros(lattice.size, bool)  # known to be valid, though perhaps not counted
        self.limit = inf
        for tally in search.tallies.values():
            self._settle(tally)

    def any(self) -> bool:
        """Tell whether a node is left that could be better."""
        return bool(self.floors.min() < inf)

    def settled(self) -> int:
        """Return how many nodes are settled."""
        return int(np.count_nonzero(self.floors == inf))

    def bound(self) -> float:
        """Return what the best node costs at least."""
        best = self.search.best
        return min(float(self.floors.min()), best.score if best is not None else inf)

    def count(self, places: Sequence[int]) -> None:
        """Count nodes and draw every conclusion from them."""
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
        bottom, place = np.zeros_like(node), int(node @ self.strides)
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
            raise_box(self.floors, self.strides, bottom, node, inf, inf)
        elif tally.lasting and isinstance(search.cost, AttributeCost):
            search.cost.raise_below(tally, self.floors, self.strides, self.limit)
        elif tally.lasting and search.cost.below(tally) > -inf:
            raise_box(self.floors, self.strides, bottom, node, search.cost.below(tally), self.limit)
        rising = search.cost.rising(tally)
        if rising > -inf:
            raise_box(self.floors, self.strides, node, self.top, rising, self.limit)
        self.floors[place] = inf

    def take_a_batch(self) -> None:
        """Count the nodes with the lowest floors."""
        places = np.flatnonzero(self.floors < inf)
        floors = self.floors[places]
        if len(places) > _BATCH:
            chosen = np.argpartition(floors, _BATCH - 1)[:_BATCH]
            places, floors = places[chosen], floors[chosen]
        self.count(places[np.lexsort((places, floors))].tolist())

    def halve_a_path(self) -> None:
        """Go up from the most promising node, and look for the lowest node on the way that is worth its cost."""
        path = climb(self.floors, self.known, self.strides, self.top, int(self.floors.argmin()))
        low, high = 0, len(path) - 1
        while low <= high:
            middle = (low + high) // 2
            if self.floors[path[middle]] < inf:
                self.count([int(path[middle])])
            # Down if something is open there: it may be cheaper. Up otherwise.
            if (self.floors[path[low:middle]] < inf).any():
                high = middle - 1
            else:
                low = middle + 1


def stop_of(run: Run, search: LatticeSearch, checks: int | None = None) -> Stop:
    """Return a question that says why to stop: somebody's wish, checks, or time."""

    def why() -> str | None:
        reason = run.stopping()
        if reason != "interrupted" and checks is not None and search.checks >= checks:
            return say("stopped.checks")
        return reason

    return why
