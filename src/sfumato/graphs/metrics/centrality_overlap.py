"""Centrality overlap: whether those in the middle of the graph are still the same persons."""

from __future__ import annotations

from math import ceil
from typing import ClassVar

import numpy as np

from sfumato.contracts.metric import Measured, MetricTraits
from sfumato.contracts.thing import param
from sfumato.graphs.graph import Graph
from sfumato.graphs.metric import Changed, GraphMetric
from sfumato.graphs.metrics._centralities import betweenness, leading, page_rank
from sfumato.kernels.arrays import Floats, Ints

__all__ = ["CentralityOverlap"]


class CentralityOverlap(GraphMetric):
    """How far the most central nodes before and after are the same: ``|A & B| / |A | B|``, the mean over three centralities.

    Those with the largest degree, the most shortest paths through them (``betweenness``), and where random walkers are most
    often (``page-rank``); whoever equals the last of them counts too. Paths begin at drawn nodes, the same before and after.
    Nodes that were added count against it.

    Examples
    --------
    >>> star = Graph.of([("a", "b"), ("a", "c"), ("a", "d")])
    >>> CentralityOverlap().measure(Changed(star, star.edit(add=[("b", "c"), ("b", "d")]))).by_attribute["degree"]
    0.5

    References
    ----------
    Brandes, "A faster algorithm for betweenness centrality", 2001, doi:10.1080/0022250X.2001.9990249.
    Brin, Page, "The anatomy of a large-scale hypertextual web search engine", 1998, doi:10.1016/S0169-7552(98)00110-X.
    """

    id: ClassVar[str] = "centrality-overlap"
    traits: ClassVar[MetricTraits] = MetricTraits(better="higher")

    share: float = param(default=0.1, gt=0, le=1, doc="share of the nodes that count as most central")
    sources: int = param(default=100, ge=1, doc="nodes from which paths are counted")
    seed: int = param(default=0, ge=0, doc="seed of these nodes")

    def measure(self, published: Changed) -> Measured:
        count = max(ceil(self.share * len(published.before)), 1)
        drawn = np.random.default_rng(self.seed).permutation(len(published.before))[: self.sources]
        one, other = (self._central(graph, drawn) for graph in (published.before, published.after))
        found = {}
        for name, values in one.items():
            here, there = leading(values, count), leading(other[name], count)
            found[name] = len(np.intersect1d(here, there)) / len(np.union1d(here, there))
        return Measured(self.id, float(np.mean(list(found.values()))), by_attribute=found, lowest=0.0, highest=1.0)

    def _central(self, graph: Graph, sources: Ints) -> dict[str, Floats]:
        return {
            "degree": graph.degrees.astype(np.float64),
            "betweenness": betweenness(graph, sources),
            "page-rank": page_rank(graph),
        }
