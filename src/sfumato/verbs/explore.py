"""Which choices of levels satisfy a policy, what each costs, and what a stricter policy would cost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import inf
from pathlib import Path

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
from sfumato.algorithms.lattice.optimal import Optimal
from sfumato.catalogue import build
from sfumato.contracts.algorithm import Task
from sfumato.contracts.metric import DataMetric
from sfumato.contracts.progress import Progress
from sfumato.contracts.run import Run
from sfumato.data.schema import Role
from sfumato.errors import BadRequest, Infeasible
from sfumato.models.k_anonymity import KAnonymity
from sfumato.policy import Policy
from sfumato.reports.lattice_view import DRAWN
from sfumato.searches.lattice import Node
from sfumato.tables.open import open_table
from sfumato.tables.prepare import prepare
from sfumato.verbs.explored import Explored, Point, Solution

__all__ = ["explore"]

_FRONTIER = 20_000  # lattices of up to this many nodes have their whole frontier looked for, unasked
_LIMITS = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)


def explore(
    source: object,
    policy: Policy | Mapping[str, object] | str | Path,
    *,
    metric: str | Mapping[str, object] | None = None,
    top: int = 20,
    every: bool = False,
    ks: Iterable[int] | None = None,
    run: Run | None = None,
    progress: Progress | None = None,
) -> Explored:
    """Return the choices of levels that satisfy a policy, the best first.

    A choice gives every quasi-identifier one level of its hierarchy; records in groups that break a requirement are left out
    up to the policy's ``suppress_at_most``. The policy's algorithm does not matter, except that the settings of ``optimal``
    are obeyed (``metric``, ``deadline``, ``max_checks``). ``metric`` is what is minimised, ``loss`` if nobody says otherwise.

    The best ``top`` choices are searched for; ``every`` counts all of them and returns all that satisfy. ``ks`` are the points
    of the curve: all k-anonymity requirements get this k, the others stay as they are. Without ``ks`` they are 2, 3, 5, 10, ...
    until only the fully masked table is left; a policy without k-anonymity has its suppression limit varied instead. An empty
    ``ks`` saves the time for the curve. ``progress`` is short for ``Run(progress=...)``; a deadline ends the searches with the
    best choices found.
    """
    searching = Run.of(run, progress)
    run = searching.without_deadline()
    asked = Policy.of(policy)
    if top < 1:
        raise BadRequest("must be at least 1", parameter="top", value=top)
    searched = _searched(asked, metric)
    points = None if ks is None else _checked_ks(ks, asked)
    table = open_table(source, searched, run=run)
    run.stage("preparing", len(searched.of_role(Role.QUASI_IDENTIFIER)))
    prepared = prepare(table, searched, run)
    run.stage("compressing")
    task = prepared.task()
    cost = _cost(searched, task)
    search = BestNodes(task, cost)
    if every and search.lattice.size > ENUMERABLE:
        raise BadRequest(
            f"the lattice has {search.lattice.size:,} nodes, of which at most {ENUMERABLE:,} can be counted; ask for the best",
            parameter="every",
            value=True,
            available=["top"],
        )
    reason, complete = _search(search, searched, top, every, searching)
    states, minimal, minimal_known = _frontier(search, searched, reason, searching)
    curve = _curve(task, cost, searched, points, search, searching)
    return _explored(asked, search, reason, complete, (states, minimal, minimal_known), curve, None if every else top)


def _searched(asked: Policy, metric: str | Mapping[str, object] | None) -> Policy:
    """Return the policy with a search over the lattice; no pseudonym is made, so no key is needed."""
    given = dict(asked.algorithm) if asked.algorithm["id"] == "optimal" else {}
    kept = ("metric", "deadline", "max_checks")
    spec: dict[str, object] = {"id": "optimal", **{name: value for name, value in given.items() if name in kept}}
    if metric is not None:
        spec["metric"] = metric
    build(spec, "algorithm")
    return asked.without_pseudonyms().model_copy(update={"algorithm": spec})


def _optimal(searched: Policy) -> Optimal:
    algorithm = searched.search()
    assert isinstance(algorithm, Optimal)
    return algorithm


def _cost(searched: Policy, task: Task) -> DataMetric:
    metric = _optimal(searched).cost()
    if metric.traits.needs_target and task.target is None:
        raise BadRequest(f"{metric.id} needs a column with the role target", parameter="metric", value=metric.id)
    return metric


def _stop(search: LatticeSearch, searched: Policy, run: Run) -> Stop:
    """Return a question that is asked between steps: it tells how far the search is, and says why to stop."""
    algorithm = _optimal(searched)
    ended = stop_of(run.within(algorithm.deadline), search, algorithm.max_checks)
    told = run.without_deadline()

    def stop() -> str | None:
        told.tick(search.checks, f"{search.checks:,} counted")
        return ended()

    return stop


# ---- the solutions -------------------------------------------------------------------------------------------------------


def _search(search: BestNodes, searched: Policy, top: int, every: bool, run: Run) -> tuple[str | None, bool]:
    """Find the best nodes; return why the search for the best stopped early, and whether the list is sure to be whole."""
    size = search.lattice.size
    run.progress.stage(f"searching {size:,} nodes", size)
    stop = _stop(search, searched, run)
    if every or size <= DRAWN:
        search.exhaust(stop=stop)
        for tally in search.tallies.values():
            search.offer(tally)
        whole = search.checks >= size
        reason = None if whole else stop() or "stopped"
        search.bound = search.ranked[0].score if search.ranked and whole else -inf
    else:
        reason = best_node(search, np.random.default_rng(searched.seed), stop)
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
    search: BestNodes, searched: Policy, reason: str | None, run: Run
) -> tuple[States | dict[Node, bool], list[Node], bool]:
    """Return what is known of the nodes, the minimal ones, and whether these are all."""
    lattice = search.lattice
    if search.checks >= lattice.size:
        states = counted_states(search)
        return states, minimal_nodes(states), True
    if reason is None and lattice.size <= _FRONTIER:
        run.progress.stage("finding the frontier", lattice.size)
        states, whole = frontier(search, _stop(search, searched, run))
        counted = {node for node, tally in search.tallies.items() if search.valid(tally)}
        return states, [node for node in minimal_nodes(states) if node in counted], whole
    known = {node: search.valid(tally) for node, tally in search.tallies.items()}
    return known, lattice.minimal([node for node, satisfied in known.items() if satisfied]), False


def _explored(
    asked: Policy,
    search: BestNodes,
    reason: str | None,
    complete: bool,
    found: tuple[States | dict[Node, bool], list[Node], bool],
    curve: Sequence[Point],
    top: int | None,
) -> Explored:
    states, minimal, minimal_known = found
    lattice, best = search.lattice, search.ranked[0]
    proven = reason is None or bool(best.score <= search.bound)
    on_frontier = set(minimal)

    def entry(one: Found) -> Solution:
        return Solution(
            levels=levels_of(search, one.node),
            score=one.score,
            left_out=one.left_out,
            groups_left_out=one.groups - one.kept,
            groups_kept=one.kept,
            smallest_group=search.smallest[one.node],
            minimal=one.node in on_frontier,
            optimal=proven and ordered(one.score, one.node)[0] == ordered(best.score, best.node)[0],
        )

    frontier_found = sorted((search.found(search.tallies[node]) for node in minimal), key=lambda one: one.key)
    drawn = (
        {node: bool(states[node] == 1) for node in lattice.nodes() if states[node]}
        if not isinstance(states, dict) and lattice.size <= DRAWN
        else {}
    )
    return Explored(
        policy=asked,
        metric=search.metric.spec(),
        records=search.task.table.records,
        allowed=search.budget,
        columns=lattice.names,
        top=lattice.top,
        solutions=tuple(entry(one) for one in search.ranked[:top]),
        minimal=tuple(entry(one) for one in frontier_found),
        bound=search.bound,
        proven=proven,
        complete=complete,
        minimal_known=minimal_known,
        lattice=lattice.size,
        checks=search.checks,
        why=tuple(why(search, best.node)),
        curve=tuple(curve),
        heights=heights(lattice, states),
        states=drawn,
    )


# ---- the curve -----------------------------------------------------------------------------------------------------------


def _checked_ks(ks: Iterable[int], asked: Policy) -> tuple[int, ...]:
    points = sorted(set(ks))
    for k in points:
        if not isinstance(k, int) or isinstance(k, bool) or k < 1:
            raise BadRequest("must be whole numbers of at least 1", parameter="ks", value=k)
    if points and not any(isinstance(model, KAnonymity) for model in asked.models()):
        raise BadRequest("the policy has no k-anonymity requirement to vary", parameter="ks", value=points)
    return tuple(points)


def _curve(
    task: Task,
    metric: DataMetric,
    searched: Policy,
    points: tuple[int, ...] | None,
    first: LatticeSearch,
    run: Run,
) -> list[Point]:
    """Return the best choice for each k, or for each suppression limit."""
    told = run.without_deadline()
    if points == ():
        return []
    own = [model.k for model in task.models if isinstance(model, KAnonymity)]
    limit = task.suppress_at_most
    out: list[Point] = []
    if not own:
        limits = sorted({*_LIMITS, limit})
        told.stage("drawing the curve", len(limits))
        for done, share in enumerate(limits):
            told.tick(done, f"suppress at most {share:g}")
            out.append(
                _point(replace(task, suppress_at_most=share), metric, searched, None, share == limit, first, run)
            )
        return out
    # What the policy asks for is on the curve only if it is one k for all.
    chosen = own[0] if len(set(own)) == 1 else None
    series = points or tuple(_series(task.table.records, own))
    told.stage("drawing the curve", len(series))
    for done, k in enumerate(series):
        told.tick(done, f"k = {k:,}")
        models = [replace(model, k=k) if isinstance(model, KAnonymity) else model for model in task.models]
        point = _point(replace(task, models=models), metric, searched, k, k == chosen, first, run)
        if points is None and point.levels is None and k > max(own):
            break
        out.append(point)
        if points is None and k >= max(own) and point.levels is not None and _masked(point, first):
            break
    return out


def _series(records: int, own: Sequence[int]) -> Iterator[int]:
    """Yield 2, 3, 5, 10, 20, 50, 100, ... up to the number of records, and what the policy asks for.

    >>> list(_series(30, [4]))
    [2, 3, 4, 5, 10, 20]
    """
    steps = [2, 3, *(factor * 10**power for power in range(len(str(records))) for factor in (1, 2, 5))]
    yield from sorted({k for k in [*steps, *own] if 2 <= k <= records or k in own})


def _masked(point: Point, search: LatticeSearch) -> bool:
    return point.levels is not None and tuple(point.levels.values()) == search.lattice.top


def _point(
    task: Task, metric: DataMetric, searched: Policy, k: int | None, asked: bool, first: LatticeSearch, run: Run
) -> Point:
    missing = Point(k=k, suppress_at_most=task.suppress_at_most, asked=asked)
    if k is not None and k > task.table.records:
        return missing
    search = LatticeSearch(task, metric)
    if search.rollup.needs == first.rollup.needs:
        # Groups do not depend on what is required of them: those of the first search serve all.
        search.rollup = first.rollup
    reason = best_node(search, np.random.default_rng(searched.seed), _stop(search, searched, run.part()))
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
