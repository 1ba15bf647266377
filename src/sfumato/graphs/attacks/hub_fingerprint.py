"""Hub fingerprint: who knows how far a person is from the hubs of a network looks for nodes as far away."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from sfumato.contracts.attack import AttackTraits
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.graphs.attack import CandidateAttack
from sfumato.graphs.candidates import CandidateLists, Candidates, Classes
from sfumato.graphs.graph import Graph
from sfumato.graphs.measure_kernels import distances
from sfumato.graphs.refinement import compact
from sfumato.kernels.arrays import Ints

__all__ = ["HubFingerprint"]


class HubFingerprint(CandidateAttack):
    """Find the nodes with the same distances to the best linked nodes, as far as these are within reach.

    ``F_i(x)`` is the vector of distances from x to the hubs, 0 for one that is further than i links away. In a closed world
    candidates have the same vector; in an open world a 0 only says that nothing is known, and fits any distance. Hubs
    themselves are known.

    Adversary: knows who the hubs are and how far her victim is from those near her.

    Examples
    --------
    >>> graph = Graph.of([("h", "a"), ("h", "b"), ("h", "c"), ("c", "d")])
    >>> HubFingerprint(hubs=1, reach=2).candidates(graph, Run()).sizes.tolist()
    [3, 3, 3, 1, 1]

    References
    ----------
    Hay, Miklau, Jensen, Towsley, Weis, "Resisting structural re-identification in anonymized social networks", 2008,
    doi:10.14778/1453856.1453873.
    """

    id: ClassVar[str] = "hub-fingerprint"
    traits: ClassVar[AttackTraits] = AttackTraits(
        aims_at=frozenset({"record"}),
        knowledge="how far a person is from the hubs",
        needs=frozenset(),
        victims="records",
        compared=True,
    )
    adversary: ClassVar[str] = say("adversary.hub-fingerprint")

    hubs: int = param(default=5, ge=1, doc="how many of the best linked nodes are known")
    reach: int = param(default=2, ge=1, doc="up to which distance it is known")
    open_world: bool = param(default=False, doc="whether a hub out of reach may be at any distance")

    def fingerprints(self, graph: Graph) -> Ints:
        """Return a row of distances to the hubs for each node, 0 beyond reach."""
        hubs = np.argsort(-graph.degrees, kind="stable")[: self.hubs]
        found = [distances(graph.starts, graph.targets, int(hub), -1).astype(np.int64) for hub in hubs]
        away = np.stack(found, axis=1) if len(found) else np.zeros((len(graph), 0), np.int64)
        away[away > self.reach] = 0
        return np.maximum(away, 0)

    def candidates(self, graph: Graph, run: Run) -> Candidates:
        away = self.fingerprints(graph)
        own = np.zeros(len(graph), np.int64)
        hubs = np.argsort(-graph.degrees, kind="stable")[: self.hubs]
        own[hubs] = np.arange(1, len(hubs) + 1)
        if not self.open_world:
            rows = np.column_stack((own, away))
            return Classes(compact(np.unique(rows, axis=0, return_inverse=True)[1].astype(np.int64)))
        lists = []
        for node in range(len(graph)):
            fits = ((away == away[node]) | (away == 0) | (away[node] == 0)).all(axis=1) & (own == 0)
            lists.append(np.array([node]) if own[node] else np.flatnonzero(fits))
        return CandidateLists.listed(lists)
