"""Spectrum-preserving randomization: links are changed at random, but only so that two eigenvalues stay where they are."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from sfumato.contracts.algorithm import Outcome, SearchTraits
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.graphs.algorithms.random_edge_perturbation import RandomEdgePerturbation, drawn_pairs
from sfumato.graphs.built import GraphFacts, built_graph
from sfumato.graphs.graph import Graph
from sfumato.graphs.spectrum import spectrum
from sfumato.graphs.task import GraphTask
from sfumato.kernels.arrays import Ints

__all__ = ["SpectrumPreservingRandomization"]


class SpectrumPreservingRandomization(RandomEdgePerturbation):
    """Remove and add as many links as ``random-edge-perturbation``, choosing those that keep two eigenvalues.

    Let x be the unit eigenvector of the largest eigenvalue ``lambda1`` of the adjacency matrix and y that of the second
    smallest ``mu2`` of the Laplacian. A link (u, v) that is added changes them by ``2 x_u x_v`` and ``(y_u - y_v)^2`` in first
    order, one that is removed by the negatives. Links are removed at random; of many drawn pairs those are linked instead that
    bring both values nearest to the original ones. Vectors are computed anew every ``refresh`` links.

    Examples
    --------
    >>> graph = Graph.of([(at, (at + step) % 12) for at in range(12) for step in (1, 2)])
    >>> made = SpectrumPreservingRandomization(links=3).perturbed(graph, np.random.default_rng(1))
    >>> made.links == graph.links
    True

    References
    ----------
    Ying, Wu, "Randomizing social networks: a spectrum preserving approach", 2008, doi:10.1137/1.9781611972788.67.
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 15.3.4.
    """

    id: ClassVar[str] = "spectrum-preserving-randomization"
    traits: ClassVar[SearchTraits] = SearchTraits(
        release="edited-graph",
        optimal=False,
        deterministic=True,
        truthful=False,
        anytime=False,
        cost="eigenvectors x (changed links / refresh)",
    )

    refresh: int = param(default=20, ge=1, doc="after how many changes the vectors are computed anew")
    tries: int = param(default=30, ge=2, doc="drawn changes among which the best is taken")

    def perturbed(self, graph: Graph, rng: np.random.Generator) -> Graph:
        """Return the graph with links removed and added, both eigenvalues kept as near as can be."""
        count = self.changed(graph)
        start = spectrum(graph)
        gone = graph.edges[rng.choice(graph.links, count, replace=False)]
        made = graph.edited(np.empty((0, 2), np.int64), gone)
        # Only pairs that were none in the original are added, as many as were removed.
        left = count
        while left:
            now = spectrum(made)
            step = min(self.refresh, left)
            pool = _pool(graph, made, step * self.tries, rng)
            drift = np.array([now.lambda1 - start.lambda1, now.mu2 - start.mu2])
            moves = np.stack(
                (
                    2 * now.first[pool[:, 0]] * now.first[pool[:, 1]],
                    (now.second[pool[:, 0]] - now.second[pool[:, 1]]) ** 2,
                ),
                axis=1,
            )
            chosen: list[int] = []
            scale = np.maximum(np.abs([start.lambda1, start.mu2]), 1e-9)
            share = drift * step / left  # what this step has to bring back
            for _ in range(step):
                off = np.abs((share + moves) / scale).sum(axis=1)
                off[chosen] = np.inf
                best = int(np.argmin(off))
                chosen.append(best)
                share = share + moves[best]
            made = made.edited(pool[chosen], np.empty((0, 2), np.int64))
            left -= step
        return made

    def run(self, task: GraphTask, run: Run) -> Outcome:
        run.stage("searching")
        graph = self.perturbed(task.graph, run.rng)
        task.refuse_edits(2 * self.changed(task.graph))
        task.refuse_violations(graph, self.id)
        return Outcome(built=built_graph(graph, run.rng), facts=GraphFacts.of(task.graph, graph))


def _pool(graph: Graph, made: Graph, count: int, rng: np.random.Generator) -> Ints:
    """Return pairs that are no link of either graph, at most so many."""
    width = np.int64(len(graph))
    keys = np.union1d(graph.edges[:, 0] * width + graph.edges[:, 1], made.edges[:, 0] * width + made.edges[:, 1])
    both = graph.with_edges(np.stack((keys // width, keys % width), axis=1))
    free = len(graph) * (len(graph) - 1) // 2 - both.links
    return drawn_pairs(both, min(count, free), rng)
