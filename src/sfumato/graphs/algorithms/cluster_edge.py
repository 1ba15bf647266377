"""Cluster-edge: links that nobody should learn are removed, and the others are told between classes of persons only."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from sfumato.contracts.algorithm import Outcome, Search, SearchTraits
from sfumato.contracts.run import Run
from sfumato.errors import BadRequest, Infeasible
from sfumato.graphs.graph import Graph
from sfumato.graphs.releases.supernode_graph import SupernodeFacts, SupernodeGraph
from sfumato.graphs.supernodes import Supernodes
from sfumato.graphs.task import GraphTask
from sfumato.kernels.arrays import Floats, Ints

__all__ = ["ClusterEdge"]


class ClusterEdge(Search[GraphTask]):
    """Remove links of sensitive kinds, make nodes with equal labels a class, and tell how many links there are between classes.

    Classes with fewer than k nodes are put together, smallest first, until all have k. What is published are the sizes of
    classes and the numbers of links inside and between them, all kinds that may be told together. The risk of a sensitive link
    between two persons is estimated as noisy-or: ``1 - (1 - p)(1 - q)^c`` with the chance q that a pair with another link has a
    sensitive one, and c the links that a pair of their classes has on average.

    Examples
    --------
    >>> graph = Graph.of([(1, 2), (3, 4), (1, 3)], labels={1: "x", 2: "x", 3: "y", 4: "y"})
    >>> ClusterEdge().clustered(graph, 2, ()).weights
    {(0, 0): 1, (0, 1): 1, (1, 1): 1}

    References
    ----------
    Zheleva, Getoor, "Preserving the privacy of sensitive relationships in graph data", 2008,
    doi:10.1007/978-3-540-78478-4_9.
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 15.2.2.
    """

    id: ClassVar[str] = "cluster-edge"
    traits: ClassVar[SearchTraits] = SearchTraits(
        release="supernode-graph",
        optimal=False,
        deterministic=True,
        truthful=True,
        anytime=False,
        cost="linear in the number of links",
    )

    def run(self, task: GraphTask, run: Run) -> Outcome:
        known = ("k-degree-anonymity", "k-candidate-anonymity", "k-neighborhood-anonymity", "k-automorphism")
        k = max(task.largest("k", self.id, known), task.alike)
        found = self.clustered(task.graph, k, task.hidden)
        facts = SupernodeFacts(nodes=len(task.graph), supernodes=len(found.sizes), log_worlds=found.log_worlds)
        return Outcome(built=SupernodeGraph.build(found, run.rng), facts=facts)

    def clustered(self, graph: Graph, k: int, hidden: tuple[str, ...]) -> Supernodes:
        """Return the classes of nodes with their links, but for those of hidden kinds."""
        if len(graph) < k:
            raise Infeasible(f"k={k} is larger than the number of nodes, {len(graph)}", measured=len(graph), bound=k)
        return Supernodes.of_members(told_links(graph, hidden), _classes(graph, k))

    def link_risk(self, graph: Graph, k: int, hidden: tuple[str, ...]) -> Floats:
        """Return, for each pair of classes with links, the estimated chance that a pair of persons has a hidden link."""
        told = told_links(graph, hidden)
        secret = {pair for name in hidden for pair in map(tuple, graph.kinds[name].tolist())}
        both = sum(pair in secret for pair in map(tuple, told.edges.tolist()))
        pairs = max(len(graph) * (len(graph) - 1) // 2, 1)
        beside = both / max(told.links, 1)
        alone = (len(secret) - both) / pairs
        found = self.clustered(graph, k, hidden)
        mean = found.between[:, 2] / np.maximum(found.rooms, 1)
        return 1 - (1 - alone) * (1 - beside) ** mean


def told_links(graph: Graph, hidden: tuple[str, ...]) -> Graph:
    """Return the graph without links that are of hidden kinds only."""
    strange = [name for name in hidden if name not in graph.kinds]
    if strange:
        raise BadRequest(
            "no link is of this kind", parameter="edges.sensitive", value=strange[0], available=list(graph.kinds)
        )
    if not hidden:
        return graph
    shown = [edges for name, edges in graph.kinds.items() if name not in hidden]
    edges: Ints = np.unique(np.concatenate(shown), axis=0) if shown else np.empty((0, 2), np.int64)
    return graph.with_edges(edges.reshape(-1, 2))


def _classes(graph: Graph, k: int) -> Ints:
    """Return the class of each node: its label, small ones put together."""
    member = graph.label_codes.astype(np.int64)
    while True:
        values, counts = np.unique(member, return_counts=True)
        small = values[counts < k]
        if not len(small):
            return np.searchsorted(values, member)
        order = values[np.argsort(counts, kind="stable")]
        member[member == order[0]] = order[1]
