"""Every choice of levels that satisfies, the best first; those with no finer one; and what stricter requirements would cost."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from math import inf

import numpy as np

from sfumato.algorithms.lattice._frontier import (
    BestNodes,
    States,
    best_node,
    counted_states,
    frontier,
    heights,
    minimal_nodes,
)
from sfumato.algorithms.lattice._release import levels_of, why
from sfumato.algorithms.lattice._search import ENUMERABLE, Found, LatticeSearch, Stop, ordered, stop_of
from sfumato.contracts.algorithm import Task
from sfumato.contracts.exploration import Exploration, Solution
from sfumato.contracts.levels import FinerLevel, Point
from sfumato.contracts.metric import DataMetric
from sfumato.contracts.run import Run
from sfumato.data.frozen import frozen
from sfumato.errors import BadRequest, Infeasible
from sfumato.models.k_anonymity import KAnonymity
from sfumato.searches.lattice import Node

__all__ = ["Explorer"]

DRAWN = 400
"""Lattices of up to this many nodes are counted whole, so that each node can be drawn."""

_FRONTIER = 20_000  # lattices of up to this many nodes have their whole frontier looked for, unasked
_LIMITS = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)


@frozen
class Explorer:
    """The searches of one exploration: over which task, by which metric, and when each of them ends.

    ``run`` may have a deadline, which ends the searches and nothing else. Every search begins with the same ``seed``.
    """

    task: Task
    metric: DataMetric
    run: Run
    seed: int
    deadline: float | None = None
    max_checks: int | None = None
    work: int | None = None

    def explore(self, *, top: int, every: bool, ks: tuple[int, ...] | None) -> Exploration:
        """Return the best ``top`` choices or ``every`` one, and the curve: for each of the ``ks``, or for usual ones."""
        search = BestNodes(self.task, self.metric)
        if every and search.lattice.size > ENUMERABLE:
            raise BadRequest(
                f"the lattice has {search.lattice.size:,} nodes, of which at most {ENUMERABLE:,} can be counted; ask for the "
                "best",
                parameter="every",
                value=True,
                available=["top"],
            )
        reason, complete = self._search(search, top, every)
        states, minimal, minimal_known = self._frontier(search, reason)
        curve = [] if ks == () else self._curve(search, ks)
        lattice, best = search.lattice, search.ranked[0]
        proven = reason is None or bool(best.score <= search.bound)

        def entry(one: Found) -> Solution:
            return Solution(
                levels=levels_of(search, one.node),
                score=one.score,
                left_out=one.left_out,
                groups_left_out=one.groups - one.kept,
                groups_kept=one.kept,
                smallest_group=search.smallest[one.node],
                minimal=one.node in minimal,
                optimal=proven and ordered(one.score, one.node)[0] == ordered(best.score, best.node)[0],
            )

        drawn = not isinstance(states, dict) and lattice.size <= DRAWN
        on_frontier = sorted((search.found(search.tallies[node]) for node in minimal), key=lambda one: one.key)
        return Exploration(
            metric=search.metric.spec(),
            records=self.task.table.records,
            allowed=search.budget,
            columns=lattice.names,
            top=lattice.top,
            solutions=tuple(entry(one) for one in search.ranked[: None if every else top]),
            minimal=tuple(entry(one) for one in on_frontier),
            bound=search.bound,
            proven=proven,
            complete=complete,
            minimal_known=minimal_known,
            lattice=lattice.size,
            checks=search.checks,
            why=tuple(why(search, best.node)),
            curve=tuple(curve),
            heights=heights(lattice, states),
            states={node: bool(states[node] == 1) for node in lattice.nodes() if states[node]} if drawn else {},
        )

    def why(self) -> tuple[FinerLevel, ...]:
        """Say of the best choice alone why no attribute is one level finer."""
        search = BestNodes(self.task, self.metric)
        self._search(search, 1, every=False)
        return tuple(why(search, search.ranked[0].node))

    def _stop(self, search: LatticeSearch, run: Run) -> Stop:
        """Return a question that is asked between steps: it tells how far the search is, and says why to stop."""
        ended = stop_of(run.within(self.deadline), search, self.max_checks, self.work)
        told = run.without_deadline()

        def stop() -> str | None:
            told.tick(search.checks, f"{search.checks:,} counted")
            return ended()

        return stop

    # ---- the solutions -----------------------------------------------------------------------------------------------

    def _search(self, search: BestNodes, top: int, every: bool) -> tuple[str | None, bool]:
        """Find the best nodes; return why the search for the best stopped early, and whether the list is sure to be whole."""
        size = search.lattice.size
        self.run.progress.stage(f"searching {size:,} nodes", size)
        stop = self._stop(search, self.run)
        if every or size <= DRAWN:
            search.exhaust(stop=stop)
            for tally in search.tallies.values():
                search.offer(tally)
            whole = search.checks >= size
            reason = None if whole else stop() or "stopped"
            search.bound = search.ranked[0].score if search.ranked and whole else -inf
        else:
            reason = best_node(search, np.random.default_rng(self.seed), stop)
            whole = reason is None
        if not search.ranked:
            if reason not in (None, "heuristic"):
                raise Infeasible(
                    f"no satisfying node was found before the search was stopped ({reason}); it may still exist",
                    measured=search.checks,
                    bound="more checks",
                )
            search.refuse_infeasible(proven=reason is None)
        if whole and search.checks < size and top > 1:
            bound = search.bound
            search.want(top)
            whole = search.run(stop) is None
            search.bound = bound
        return reason, whole

    def _frontier(
        self, search: BestNodes, reason: str | None
    ) -> tuple[States | dict[Node, bool], Collection[Node], bool]:
        """Return what is known of the nodes, the minimal ones, and whether these are all."""
        lattice = search.lattice
        if search.checks >= lattice.size:
            states = counted_states(search)
            return states, set(minimal_nodes(states)), True
        if reason is None and lattice.size <= _FRONTIER:
            self.run.progress.stage("finding the frontier", lattice.size)
            states, whole = frontier(search, self._stop(search, self.run))
            counted = {node for node, tally in search.tallies.items() if search.valid(tally)}
            return states, counted.intersection(minimal_nodes(states)), whole
        known = {node: search.valid(tally) for node, tally in search.tallies.items()}
        return known, set(lattice.minimal([node for node, satisfied in known.items() if satisfied])), False

    # ---- the curve ---------------------------------------------------------------------------------------------------

    def _curve(self, first: LatticeSearch, points: tuple[int, ...] | None) -> list[Point]:
        """Return the best choice for each k, or for each suppression limit."""
        told, task = self.run.without_deadline(), self.task
        own = [model.k for model in task.models if isinstance(model, KAnonymity)]
        limit = task.suppress_at_most
        out: list[Point] = []
        if not own:
            limits = sorted({*_LIMITS, limit})
            told.stage("drawing the curve", len(limits))
            for done, share in enumerate(limits):
                told.tick(done, f"suppress at most {share:g}")
                out.append(self._point(replace(task, suppress_at_most=share), None, share == limit, first))
            return out
        # What the policy asks for is on the curve only if it is one k for all.
        chosen = own[0] if len(set(own)) == 1 else None
        series = points or tuple(_series(task.table.records, own))
        told.stage("drawing the curve", len(series))
        for done, k in enumerate(series):
            told.tick(done, f"k = {k:,}")
            models = [replace(model, k=k) if isinstance(model, KAnonymity) else model for model in task.models]
            point = self._point(replace(task, models=models), k, k == chosen, first)
            if points is None and point.levels is None and k > max(own):
                break
            out.append(point)
            masked = point.levels is not None and tuple(point.levels.values()) == first.lattice.top
            if points is None and k >= max(own) and masked:
                break
        return out

    def _point(self, task: Task, k: int | None, asked: bool, first: LatticeSearch) -> Point:
        missing = Point(k=k, suppress_at_most=task.suppress_at_most, asked=asked)
        if k is not None and k > task.table.records:
            return missing
        search = LatticeSearch(task, self.metric)
        if search.rollup.needs == first.rollup.needs:
            # Groups do not depend on what is required of them: those of the first search serve all.
            search.rollup = first.rollup
        reason = best_node(search, np.random.default_rng(self.seed), self._stop(search, self.run.part()))
        if search.best is None:
            return missing
        best = search.best
        return replace(
            missing,
            levels=levels_of(search, best.node),
            score=best.score,
            left_out=best.left_out,
            groups_kept=best.kept,
            proven=reason is None or bool(best.score <= search.bound),
        )


def _series(records: int, own: Sequence[int]) -> Iterator[int]:
    """Yield 2, 3, 5, 10, 20, 50, 100, ... up to the number of records, and what the policy asks for.

    >>> list(_series(30, [4]))
    [2, 3, 4, 5, 10, 20]
    """
    steps = [2, 3, *(factor * 10**power for power in range(len(str(records))) for factor in (1, 2, 5))]
    yield from sorted({k for k in [*steps, *own] if 2 <= k <= records or k in own})
