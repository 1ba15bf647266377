"""Naive relabelling: names of nodes are replaced by numbers, and nothing else is done."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from sfumato.contracts.thing import Thing
from sfumato.graphs.graph import Graph

__all__ = ["GraphDataModel"]


class GraphDataModel(Thing):
    """Replace the names of nodes by the numbers of a random order: the baseline that every structural attack defeats.

    The graph is simple and undirected, without loops; nodes may have labels and attributes, links may have kinds.

    Examples
    --------
    >>> graph = Graph.of([("ann", "bob"), ("bob", "eva")])
    >>> GraphDataModel().naive_anonymize(graph, np.random.default_rng(1)).names
    (1, 2, 3)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 15.1.1.
    """

    id: ClassVar[str] = "graph-data-model"
    kind: ClassVar[str] = "operation"
    truthful: ClassVar[bool] = True

    def naive_anonymize(self, graph: Graph, rng: np.random.Generator) -> Graph:
        """Return the graph with its nodes in a random order, numbered from 1."""
        return graph.relabelled(rng.permutation(len(graph)))
