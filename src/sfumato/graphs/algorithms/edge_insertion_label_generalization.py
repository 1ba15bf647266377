"""Edge insertion and label generalization: links are added and labels made more general until neighbourhoods are alike."""

from __future__ import annotations

from dataclasses import replace
from math import ceil, floor
from typing import ClassVar

import numpy as np

from sfumato.contracts.algorithm import Outcome, Search, SearchTraits
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import Infeasible
from sfumato.graphs.algorithms._labels import ROOT
from sfumato.graphs.algorithms._neighborhood_edits import next_graph
from sfumato.graphs.algorithms.k_automorphism import KAutomorphismAlignment
from sfumato.graphs.built import GraphFacts, built_graph, edits_between
from sfumato.graphs.graph import Graph
from sfumato.graphs.neighborhoods import neighborhood_classes
from sfumato.graphs.refinement import structures
from sfumato.graphs.task import GraphTask

__all__ = ["EdgeInsertionLabelGeneralization", "Protected"]


@frozen(eq=False)
class Protected:
    """A graph on the way to k-neighbourhood anonymity: how many links were added, and how many nodes are not safe yet.

    ``stopped`` says why the search ended before nothing helped any more, if it did.
    """

    graph: Graph
    added: int
    unsafe: int
    stopped: str | None = None


_IDLE = 12  # rounds without fewer unsafe nodes
_SMALL = 50
"""Up to so many nodes whatever helps is done; a larger graph with twice its links is not worth publishing."""


class EdgeInsertionLabelGeneralization(Search[GraphTask]):
    """Make the neighbourhoods of k nodes alike by adding links and generalizing labels, group by group.

    In rounds, an unsafe node gets the links that it lacks to look like a class that is large enough already, those that lack
    least first; k others that are most like each other are made alike. Their neighbours are put in the same order, part by
    part; whoever has fewer is linked with nodes of large classes; a link between two places that one of them has, all get;
    labels in one place become their lowest common ancestor. What was safe and is touched is looked at again in the next round.
    Links are only added. Where no round helps any more, the graph is made of k aligned copies (see ``k-automorphism``) if that
    takes no new node, or complete with one label, as in the paper. ``limits.lose_at_most`` is a budget: when it is spent and
    more nodes are unsafe than the requirement tolerates, it is refused, and said how many are still unsafe and alone. Without
    one, so is a graph of more than 50 nodes that would get more links than it has. A ``deadline`` is a budget of time: what was
    best until then counts.

    Examples
    --------
    >>> from sfumato.graphs.models import KNeighborhoodAnonymity
    >>> graph = Graph.of([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("d", "e")])
    >>> made = EdgeInsertionLabelGeneralization().protect(graph, 2, None, Run())
    >>> made.unsafe, KNeighborhoodAnonymity(k=2).judge(made.graph).satisfied
    (0, True)

    References
    ----------
    Zhou, Pei, "Preserving privacy in social networks against neighborhood attacks", 2008, doi:10.1109/ICDE.2008.4497459.
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, sections 15.2.1 and 15.3.1.
    """

    id: ClassVar[str] = "edge-insertion-label-generalization"
    traits: ClassVar[SearchTraits] = SearchTraits(
        release="edited-graph",
        optimal=False,
        deterministic=True,
        truthful=False,
        anytime=True,
        cost="groups x (neighbourhoods + links added)",
    )

    patience: int = param(default=200, ge=1, doc="rounds after which all nodes are linked with each other")
    deadline: float | None = param(default=None, gt=0, doc="stop after this many seconds with the best state reached")

    def run(self, task: GraphTask, run: Run) -> Outcome:
        k = max(task.largest("k", self.id, ("k-neighborhood-anonymity", "k-degree-anonymity")), task.alike)
        worth = len(task.graph.edges) if len(task.graph) > _SMALL else None
        most = worth if task.edits is None else task.edits
        spared = floor(task.tolerated * len(task.graph) + 1e-9)
        found = self.protect(task.graph, k, most, run, spared)
        if found.unsafe > spared:
            alone = [one.alone for one in structures(found.graph, 3)[1:]]
            known = {"first": alone[0], "second": alone[1], "third": alone[2]}
            share = ceil(1000 * found.unsafe / len(task.graph)) / 1000
            reached = {"added": found.added, "unsafe": found.unsafe, "nodes": len(task.graph), "share": share, **known}
            raise Infeasible(
                say("graph.not_worth", **reached) if found.stopped is None else say("graph.in_time", **reached),
                measured=found.unsafe / len(task.graph),
                bound=task.lose_at_most,
                requirement="limits.lose_at_most",
            )
        task.refuse_edits(found.added)
        return Outcome(
            built=built_graph(found.graph, run.rng),
            facts=GraphFacts.of(task.graph, found.graph),
            stopped=found.stopped,
        )

    def protect(self, graph: Graph, k: int, budget: int | None, run: Run, tolerated: int = 0) -> Protected:
        """Return how far a number of added links goes: the best that was met until so few nodes are unsafe as are tolerated."""
        if len(graph) < k:
            raise Infeasible(f"k={k} is larger than the number of nodes, {len(graph)}", measured=len(graph), bound=k)
        run, stopped = run.within(self.deadline), None
        run.progress.stage("searching", len(graph))
        made, best = graph, Protected(graph, 0, len(graph) + 1)
        idle = 0
        for _ in range(self.patience):
            classes = neighborhood_classes(made)
            unsafe = int((classes.sizes < k).sum())
            added = edits_between(graph, made)[0]
            run.progress.tick(len(graph) - unsafe)
            idle = 0 if unsafe < best.unsafe else idle + 1
            if unsafe < best.unsafe:
                best = Protected(made, added, unsafe)
            if unsafe <= tolerated or idle > _IDLE or (budget is not None and added >= budget):
                break
            left = None if budget is None else budget - added
            following = None if stopped else next_graph(made, classes, k, left, run, tolerated=tolerated)
            stopped = run.stopping()
            if following is None and not stopped:
                following = next_graph(made, classes, k, left, run, force=True)
            if following is None:
                break
            made = following
        if best.unsafe <= tolerated or stopped:
            return replace(best, stopped=stopped)
        copied = _symmetric(graph, k)
        if copied is not None:
            more = edits_between(graph, copied)[0]
            if budget is None or more <= budget:
                return Protected(copied, more, 0)
        every = len(graph) * (len(graph) - 1) // 2 - graph.links
        return Protected(_complete(graph), every, 0) if budget is None or every <= budget else best


def _symmetric(graph: Graph, k: int) -> Graph | None:
    """Return the graph made of as many aligned copies as k or a few more, if that takes no added nodes."""
    for copies in range(k, len(graph)):
        if len(graph) % copies == 0:
            made = KAutomorphismAlignment().aligned(graph, copies)
            return replace(made, copies=None) if len(made) == len(graph) else None
    return None


def _complete(graph: Graph) -> Graph:
    """Return the graph in which everybody is linked with everybody, and one label is left."""
    made = graph.with_edges(np.stack(np.triu_indices(len(graph), 1), axis=1).astype(np.int64))
    return replace(made, columns={**made.columns, **{name: (ROOT,) * len(graph) for name in graph.label}})
