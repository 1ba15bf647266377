"""Centralities: how much nodes are in the middle of a graph, by paths through them and by random walks."""

from __future__ import annotations

import numpy as np

from sfumato.graphs.graph import Graph
from sfumato.graphs.metrics._centrality_kernels import paths_through
from sfumato.kernels.arrays import Floats, Ints

__all__ = ["betweenness", "leading", "page_rank"]


def betweenness(graph: Graph, sources: Ints | None = None) -> Floats:
    """Return on how many shortest paths each node lies, pairs counted in both directions; or of those from some nodes only.

    Brandes, "A faster algorithm for betweenness centrality", 2001, doi:10.1080/0022250X.2001.9990249; from drawn nodes it is
    estimated (Brandes and Pich 2007, doi:10.1142/S0218127407018403).

    >>> betweenness(Graph.of([("a", "b"), ("b", "c")])).tolist()
    [0.0, 2.0, 0.0]
    """
    begin = np.arange(len(graph), dtype=np.int64) if sources is None else sources
    found: Floats = paths_through(graph.starts, graph.targets, begin)
    return found


def page_rank(graph: Graph, *, damping: float = 0.85, tolerance: float = 1e-10) -> Floats:
    """Return where a walker is who follows a random link, or with ``1 - damping`` begins anew anywhere.

    Brin, Page, "The anatomy of a large-scale hypertextual web search engine", 1998, doi:10.1016/S0169-7552(98)00110-X.

    >>> page_rank(Graph.of([("a", "b"), ("b", "c")])).round(3).tolist()
    [0.257, 0.486, 0.257]
    """
    nodes = max(len(graph), 1)
    held: Floats = np.full(len(graph), 1 / nodes)
    for _ in range(200):
        given = np.divide(held, graph.degrees, out=np.zeros(len(graph)), where=graph.degrees > 0)
        lost = float(held[graph.degrees == 0].sum())  # who has no link begins anew
        got = np.bincount(graph.owners, given[graph.targets], len(graph)).astype(np.float64)
        found = (1 - damping + damping * lost) / nodes + damping * got
        if np.abs(found - held).sum() < tolerance:
            return found
        held = found
    return held


def leading(values: Floats | Ints, count: int) -> Ints:
    """Return the nodes with the largest values: at least so many, and all that are equal to the last of them."""
    least = np.partition(values, len(values) - count)[len(values) - count]
    return np.flatnonzero(values >= least - 1e-9 * abs(least))
