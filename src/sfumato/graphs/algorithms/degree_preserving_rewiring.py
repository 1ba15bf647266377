"""Degree-preserving rewiring: pairs of links exchange ends, so that every degree stays and little else does."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from sfumato.contracts.algorithm import Outcome, Search, SearchTraits
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.graphs.algorithms._rewiring_kernels import rewire
from sfumato.graphs.built import GraphFacts, built_graph, edits_between
from sfumato.graphs.graph import Graph
from sfumato.graphs.task import GraphTask

__all__ = ["DegreePreservingRewiring"]


class DegreePreservingRewiring(Search[GraphTask]):
    """Exchange the ends of two links at random, again and again: ``(a, b), (c, d)`` become ``(a, d), (c, b)``.

    Every node keeps its degree, so it stops nobody who knows degrees; it is the baseline that shows what degrees alone keep of
    a graph. An exchange that would make a loop or a double link is left out.

    Examples
    --------
    >>> graph = Graph.of([(at, (at + 1) % 8) for at in range(8)])
    >>> made = DegreePreservingRewiring(share=1.0).rewired(graph, np.random.default_rng(1))
    >>> made.degrees.tolist() == graph.degrees.tolist()
    True

    References
    ----------
    Milo, Kashtan, Itzkovitz, Newman, Alon, "On the uniform generation of random graphs with prescribed degree sequences",
    2003, arXiv:cond-mat/0312028.
    """

    id: ClassVar[str] = "degree-preserving-rewiring"
    traits: ClassVar[SearchTraits] = SearchTraits(
        release="edited-graph",
        optimal=False,
        deterministic=True,
        truthful=False,
        anytime=False,
        cost="linear in the number of exchanges",
    )

    share: float = param(default=1.0, gt=0, le=100, doc="exchanges that are tried, as a share of the links")

    def rewired(self, graph: Graph, rng: np.random.Generator) -> Graph:
        """Return the graph after the exchanges."""
        tries = round(self.share * graph.links)
        drawn = rng.integers(0, max(graph.links, 1), (tries, 2))
        return graph.with_edges(rewire(len(graph), graph.edges, drawn, rng.random(tries) < 0.5))

    def run(self, task: GraphTask, run: Run) -> Outcome:
        run.stage("searching")
        graph = self.rewired(task.graph, run.rng)
        task.refuse_edits(sum(edits_between(task.graph, graph)))
        task.refuse_violations(graph, self.id)
        return Outcome(built=built_graph(graph, run.rng), facts=GraphFacts.of(task.graph, graph))
