"""Search over the lattice of full-domain generalizations: count nodes, rule nodes out, and know when the best is found.

Three things rule a node out without looking at it: a requirement that no node below a failing one can meet, a cost that it
must have at least, and the records that it must leave out at least because a node above it does. Where records may be left
out, what the counted nodes leave out foretells which node settles most others; where none may, the search goes up a path from
the most promising node and halves it; where merging may drag groups along, it goes down from the top, all highest open nodes at
once; where requirements let no node be tagged, it takes the most promising nodes by the dozen.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from math import floor, inf
from typing import NoReturn, TypeVar

import numpy as np

from sfumato.algorithms.lattice._cost import AttributeCost, Cost, Tally, cost_of
from sfumato.algorithms.lattice._joint_count import JointCount
from sfumato.algorithms.lattice._judge import Judge, Judged
from sfumato.algorithms.lattice._space import Space
from sfumato.contracts.algorithm import Task
from sfumato.contracts.metric import Counted, DataMetric
from sfumato.contracts.progress import Progress, Silent
from sfumato.contracts.run import Run
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import BadRequest, Infeasible
from sfumato.groups.stats import Histogram
from sfumato.kernels.arrays import Bools, Ints
from sfumato.kernels.rollup import charge_left_out, pairs_left_out
from sfumato.searches.lattice import GroupTable, Lattice, Merged, Node, Rollup
from sfumato.searches.population import with_population

__all__ = ["ENUMERABLE", "WORK", "Found", "LatticeSearch", "Stop", "gap_of", "stop_of"]

Stop = Callable[[], str | None]
T = TypeVar("T")
N = TypeVar("N")

ENUMERABLE = 1 << 21
"""Lattices of up to this many nodes are kept as arrays and searched to the end."""

WORK = 1_000_000_000
"""How much work a search does if nobody says otherwise: about 20 s on two cores of 2020."""

_BATCH = 48
_TINY = 12  # nodes that are not worth a forecast
_FEW = 1 << 16  # nodes of a lattice that are looked over at every step
_CELLS = 1 << 18  # combinations of two values that are counted in a table
_FEW_NODES = 8  # that are counted together and yet get halting places
_MUCH = 20_000  # groups that are worth a second core
_UNIT = 2.0**40


@frozen
class Found:
    """A satisfying node: its cost, and the records and groups that are left out there."""

    node: Node
    score: float
    left_out: int
    groups: int
    kept: int
    rank: tuple[float, ...] = ()

    @property
    def key(self) -> tuple[float, tuple[float, ...], int, Node]:
        """What decides between nodes: cost in whole steps, what attributes cost if asked, height, attribute order."""
        steps, height, node = ordered(self.score, self.node)
        return steps, tuple(_steps(cost) for cost in self.rank), height, node


def ordered(score: float, node: Node) -> tuple[float, int, Node]:
    """Return the order of nodes: cost in steps of 2^-40, the lower node, the node that masks later attributes first."""
    return _steps(score), sum(node), node


def _steps(score: float) -> float:
    return floor(score * _UNIT + 0.5) if abs(score) < inf else score


class LatticeSearch:
    """Nodes of a task's lattice, counted once each, and the best that is known so far."""

    def __init__(
        self, task: Task, metric: DataMetric, progress: Progress | None = None, *, room: int = 96 << 20
    ) -> None:
        self.task = task = with_population(task)
        self.progress = progress or Silent()
        self.lattice = Lattice(task.attributes, task.table)
        self.judge = Judge(task, self.lattice)
        self.lowest, self.highest = _bounds(self.lattice)
        self.bounded = (self.lowest, self.highest) != (self.lattice.bottom, self.lattice.top)
        if self.highest != self.lattice.top:
            # A node above the bounds is not valid, whatever is known of those below; what lies below the bounds has only such
            # nodes below it.
            self.judge.upward = False
        self.budget = task.budget
        needs = list(self.judge.needs())
        if metric.traits.needs_target and task.target is not None:
            needs.append(task.target)
        weighed = task.weighed
        self.priced = task.table if weighed is None else weighed.table
        self.rollup = Rollup(self.lattice, task.table, needs, room, None if weighed is None else self.priced.weights)
        most = self.budget if weighed is None else weighed.most(self.budget)
        least = 1.0 if weighed is None else weighed.lightest
        self.cost: Cost = cost_of(metric, self.lattice, self.priced, most, self._measured, least)
        self.metric = metric
        self.tallies: dict[Node, Tally] = {}
        self.scores: dict[Node, float] = {}
        self.best: Found | None = None
        self.bound = -inf
        self._records = task.table.records
        self.swept = 0  # nodes of spaces gone through
        self._width = 1 + sum(len(task.table.dictionaries[name].values) for name in needs) // 8
        self.threads = min(2, os.cpu_count() or 1)

    # ---- counting nodes ----------------------------------------------------------------------------------------------

    def count(self, nodes: Sequence[Node]) -> list[Tally]:
        """Return what is counted at each node; nodes known already cost nothing."""
        fresh = [node for node in dict.fromkeys(nodes) if node not in self.tallies]
        # Nodes that come by the dozen are close to each other: one is the halting place of the next.
        ways = [(self.rollup.nearest(node, halts=self.sweeps or len(fresh) <= _FEW_NODES), node) for node in fresh]
        for merged, tally in self._counted(ways):
            self.tallies[tally.node] = tally
            if merged is not None:
                self.rollup.keep(merged)
        return [self.tallies[node] for node in nodes]

    def _counted(self, ways: Sequence[tuple[GroupTable, Node]]) -> list[tuple[Merged | None, Tally]]:
        """Count nodes from groups below them; requirements that take long are asked about all of them at once.

        The groups are returned if nodes above may be made from them.
        """
        if self.sweeps and self._jointly is not None:
            tallies = self._jointly.tallies(ways, self._width)
            return [(None, tallies[node]) for _, node in ways]
        read = sum(len(base) for base, _ in ways)
        if self.judge.quick:
            return self._apart(self._counted_alone, ways, read)
        merged = self._apart(self.rollup.merged_from, ways, read)
        judged = self.judge.judge(self.rollup, merged)
        return [
            (None if self.sweeps else one, self._tally(one, found)) for one, found in zip(merged, judged, strict=True)
        ]

    def _counted_alone(self, base: GroupTable, node: Node) -> tuple[Merged | None, Tally]:
        merged = self.rollup.merged_from(base, node)
        tally = self._tally(merged, self.judge.judge(self.rollup, [merged])[0])
        return None if self.sweeps else merged, tally  # who sweeps goes down, and needs the room

    @cached_property
    def _jointly(self) -> JointCount | None:
        """How to count nodes by the dozen, if the counts of one column are all that the requirements need."""
        held = [counts for counts in self.rollup.base.histograms.values() if not isinstance(counts, Histogram)]
        plain = self.task.weighed is None and self.rollup.base.people is None and self.lattice.words == 1
        lone = len(held) == len(self.rollup.needs) == len(self.judge.measured) == 1
        return JointCount(self, self.rollup.needs[0]) if self.judge.quick and plain and lone else None

    def look_at(self, node: Node, sizes: Ints, violating: Bools) -> None:
        """Look at the groups of a node that was counted; nothing by default, for whoever wants to know more of them."""

    def _apart(self, do: Callable[[GroupTable, N], T], ways: Sequence[tuple[GroupTable, N]], read: int) -> list[T]:
        """Do something for each node, on several cores if many groups are read."""
        if len(ways) < 2 or self.threads < 2 or read * self._width < _MUCH:
            return [do(*way) for way in ways]
        # One part for each core: handing over single nodes would cost as much as they do.
        parts = [ways[at :: self.threads] for at in range(self.threads)]
        done = list(self.pool.map(lambda part: [do(*way) for way in part], parts))
        return [done[at % self.threads][at // self.threads] for at in range(len(ways))]

    @cached_property
    def pool(self) -> ThreadPoolExecutor:
        """The threads that count, one for each core."""
        return ThreadPoolExecutor(self.threads)

    def _tally(self, merged: Merged, judged: Judged) -> Tally:
        lattice, cost, node, weighed = self.lattice, self.cost, merged.node, self.task.weighed
        self.look_at(node, merged.sizes, judged.violating)
        sizes, lightest = merged.sizes, 1.0
        if weighed is not None and merged.weighed is not None:
            sizes, lightest = merged.weighed, weighed.lightest
        lasting = sizes[:0]
        if judged.loose is not None:
            loose = judged.loose if weighed is None else (judged.loose * lightest).astype(sizes.dtype)
            lasting = np.where(judged.firm, sizes, loose)
        charge = cost if isinstance(cost, AttributeCost) else None
        costs, bits, lasting_bits = np.empty((3, len(node)))
        lines = np.empty(lattice.widths.shape)
        left_out, lasts, kept, kept_squares, all_squares = charge_left_out(
            merged.keys,
            sizes,
            judged.violating,
            lasting,
            lattice.word,
            lattice.shift,
            lattice.mask,
            np.array(node, np.int64),
            lattice.widths,
            _NOTHING if charge is None else charge.extra,
            _NOWHERE if charge is None else charge.totals,
            lattice.widths if charge is None else charge.shift,
            _NOTHING if charge is None else charge.cheapest,
            lattice.offset if charge is None else charge.cheapest_at,
            costs,
            bits,
            lines,
            lasting_bits,
            charge is not None,
            charge is not None and charge.entropy != 0,
        )
        if charge is not None and charge.entropy:
            # Finer values and more records that are left out can only have more bits.
            lines += charge.entropy * lasting_bits[:, None]
        groups = len(merged) if merged.base.people is None else int(np.count_nonzero(merged.sizes))
        loosely = 0 if judged.loose is None else int(judged.loose.sum())
        total: float = self._records
        most: float = self.budget
        firm = lasts - loosely
        if weighed is not None:
            total, most = weighed.total, weighed.most(self.budget)
            firm = left_out if judged.loose is None else sizes[judged.firm].sum().item()
        price = Counted(total, most, groups, left_out, kept, kept_squares, all_squares, firm, loosely * lightest)
        if weighed is not None:
            left_out = merged.sizes[judged.violating].sum().item()
            firm = left_out if judged.loose is None else merged.sizes[judged.firm].sum().item()
        return Tally(node, int(left_out), int(firm) + loosely, groups, kept, price, costs, bits, lines)

    def score(self, tally: Tally) -> float:
        """Return the cost of a counted node."""
        if tally.node not in self.scores:
            self.scores[tally.node] = self.cost.score(tally)
        return self.scores[tally.node]

    def valid(self, tally: Tally) -> bool:
        """Tell whether a node leaves out no more than it may; a node that leaves out everything publishes nothing."""
        return tally.left_out <= self.budget and tally.kept > 0 and (not self.bounded or self.allowed(tally.node))

    def allowed(self, node: Node) -> bool:
        """Tell whether every level of a node lies within the bounds of its attribute."""
        low, high = self.lowest, self.highest
        return all(low[i] <= level <= high[i] for i, level in enumerate(node))

    def found(self, tally: Tally) -> Found:
        """Return a counted node as a solution."""
        return Found(tally.node, self.score(tally), tally.left_out, tally.groups, tally.kept, self.cost.rank(tally))

    def offer(self, tally: Tally) -> bool:
        """Take a counted node as the best if it is valid and better; tell whether it is valid."""
        if not self.valid(tally):
            return False
        if self.best is None or _steps(self.score(tally)) <= _steps(self.best.score):
            found = self.found(tally)
            if self.best is None or found.key < self.best.key:
                self.best = found
        return True

    @property
    def work(self) -> int:
        """How much was done: groups read, more by their histograms, and nodes gone through; no clock has a part in it."""
        return self.rollup.read * self._width + self.swept // 64

    @cached_property
    def barred(self) -> Bools | None:
        """Levels of two attributes that no valid node has, as ``[i, a, j, b]`` and ``[j, b, i, a]``: too many are left out."""
        if self.judge.least < 2 or len(self.lattice.shape) < 2:
            return None
        lattice, base = self.lattice, self.rollup.base
        found = pairs_left_out(
            base.keys,
            base.sizes,
            lattice.word,
            lattice.shift,
            lattice.mask,
            lattice.widths,
            np.array(lattice.shape, np.int64),
            lattice.maps,
            lattice.offset,
            self.judge.least,
            _CELLS,
        )
        return np.asarray((found > self.budget) | (found > self.budget).transpose(2, 3, 0, 1))

    def hopeful(self, nodes: Sequence[Node]) -> list[Node]:
        """Return the nodes that no two of their levels rule out."""
        if self.barred is None or not nodes:
            return list(nodes)
        levels = np.array(nodes)
        every = np.arange(levels.shape[1])
        closed = self.barred[every[:, None], levels[:, :, None], every[None, :], levels[:, None, :]].any(axis=(1, 2))
        return [node for node, shut in zip(nodes, closed.tolist(), strict=True) if not shut]

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
        space = Space(self)
        reason = None
        told, heard = 0, type(self.progress) is not Silent
        while reason is None and space.any():
            reason = stop()
            if reason is not None:
                break
            if heard and told % (1 + self.lattice.size // _FEW) == 0:
                self.progress.tick(space.settled(), self.standing(space.bound()))
            told += 1
            if self.sweeps:
                space.sweep_down()
            elif space.forecast is not None:
                space.follow_forecast()
            elif self._by_paths():
                space.halve_paths()
            else:
                space.take_a_batch()
        self.bound = space.bound() if reason is not None else (self.best.score if self.best is not None else inf)
        return reason

    def standing(self, bound: float) -> str:
        """Say what the best node so far costs, and how much better one can be at most."""
        if self.best is None:
            return "no valid node yet"
        gap = gap_of(self.best.score, bound)
        return f"best {self.best.score:.6g}" + ("" if gap is None else f", gap {gap:.1%}")

    @property
    def foretells(self) -> bool:
        """Whether counted nodes tell what to count next: some records may be left out, and nodes rule each other out.

        So they do if requirements are kept under merging: what a node must leave out, those below it must leave out, too.
        """
        adds_up = isinstance(self.cost, AttributeCost) and self.cost.adds_up
        settles = self.judge.tags or self.judge.closed
        return adds_up and settles and self.budget > 0 and self.lattice.size > _TINY and not self.sweeps

    @cached_property
    def sweeps(self) -> bool:
        """Whether to go down from the top: a node leaves out whole groups of which those below must leave out a part.

        Then what a node leaves out jumps, and foretells little.
        """
        parts = self.judge.closed and not self.judge.upward and not self.judge.shrinking
        return isinstance(self.cost, AttributeCost) and parts and self.budget > 0 and _TINY < self.lattice.size <= _FEW

    def _by_paths(self) -> bool:
        """Tell whether to go by paths: nodes rule each other out. Where almost all may be left out, sizes rule out little."""
        much = 2 * self.budget >= self.task.table.records and isinstance(self.cost, AttributeCost)
        return self.judge.tags and not (much and self.judge.shrinking)

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


def gap_of(score: float, bound: float) -> float | None:
    """Return the share of a score by which another can be better at most, if anything is known."""
    return None if bound == -inf or score in (0, inf) else max(score - bound, 0.0) / abs(score)


def _bounds(lattice: Lattice) -> tuple[Node, Node]:
    """Return the lowest and the highest level that each attribute may be published at."""
    lowest, highest = [], []
    for attribute, top in zip(lattice.attributes, lattice.top, strict=True):
        low, high = attribute.levels
        if low > top:
            raise BadRequest(
                f"its hierarchy has levels from 0 to {top}", column=attribute.name, parameter="levels", value=low
            )
        lowest.append(low)
        highest.append(top if high is None else min(high, top))
    return tuple(lowest), tuple(highest)


def stop_of(run: Run, search: LatticeSearch, checks: int | None = None, work: int | None = None) -> Stop:
    """Return a question that says why to stop: somebody's wish, checks, work from now on, or time."""
    end = inf if work is None else search.work + work

    def why() -> str | None:
        reason = run.stopping()
        if reason != "interrupted" and checks is not None and search.checks >= checks:
            return say("stopped.checks")
        if reason is None and search.work >= end:
            return say("stopped.work")
        return reason

    return why
