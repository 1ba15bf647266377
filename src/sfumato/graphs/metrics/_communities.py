"""Communities: groups of nodes with many links inside and few between, and how alike two divisions into them are."""

from __future__ import annotations

import numpy as np

from sfumato.graphs.graph import Graph
from sfumato.graphs.metrics._community_kernels import moved_members
from sfumato.graphs.refinement import compact
from sfumato.kernels.arrays import Codes, Floats, Ints

__all__ = ["communities", "modularity", "normalised_mutual_information"]

_ROUNDS = 100


def communities(graph: Graph) -> Codes:
    """Return the community of each node (Blondel et al. 2008, doi:10.1088/1742-5468/2008/10/P10008).

    Nodes move, in the order of their numbers, to the community of a neighbour while modularity grows; communities become nodes,
    and so on until none moves. Nothing is drawn: the same graph always gives the same communities.

    >>> graph = Graph.of([(1, 2), (2, 3), (3, 1), (4, 5), (5, 6), (6, 4), (3, 4)])
    >>> communities(graph).tolist()
    [0, 0, 0, 1, 1, 1]
    """
    member: Codes = np.arange(len(graph), dtype=np.int32)
    starts, targets = graph.starts, graph.targets
    weights: Floats = np.ones(len(targets))
    inside: Floats = np.zeros(len(graph))
    while len(targets):
        found = compact(moved_members(starts, targets, weights, inside, _ROUNDS))
        count = int(found.max()) + 1
        member = found[member]
        if count == len(inside):
            break
        ends = found[np.repeat(np.arange(len(inside)), np.diff(starts))].astype(np.int64), found[targets]
        loops = ends[0] == ends[1]
        inside = np.bincount(found, inside, count) + np.bincount(ends[0][loops], weights[loops], count) / 2
        keys, place = np.unique(ends[0][~loops] * count + ends[1][~loops], return_inverse=True)
        weights = np.bincount(place, weights[~loops], len(keys)).astype(np.float64)
        starts = np.concatenate(([0], np.cumsum(np.bincount(keys // count, minlength=count)))).astype(np.int64)
        targets = (keys % count).astype(np.int32)
    return compact(member)


def modularity(graph: Graph, member: Codes | Ints) -> float:
    """Return the share of links inside communities less what degrees alone would give: ``sum_c L_c/m - (D_c/2m)^2``."""
    if not graph.links:
        return 0.0
    ends = member[graph.edges]
    within = float((ends[:, 0] == ends[:, 1]).mean())
    return within - float((np.bincount(member, graph.degrees) ** 2).sum()) / (2 * graph.links) ** 2


def normalised_mutual_information(one: Codes | Ints, other: Codes | Ints) -> float:
    """Return ``2 I(X; Y) / (H(X) + H(Y))`` of two divisions of the same nodes; 1 if both leave all nodes together.

    Danon, Díaz-Guilera, Duch, Arenas, 2005, doi:10.1088/1742-5468/2005/09/P09008.

    >>> normalised_mutual_information(np.array([0, 0, 1, 1]), np.array([1, 1, 0, 0]))
    1.0
    """
    whole = int(other.max(initial=0)) + 1
    apart = _entropy(np.bincount(one)) + _entropy(np.bincount(other))
    joint = _entropy(np.unique(one.astype(np.int64) * whole + other, return_counts=True)[1])
    return 1.0 if apart < 1e-12 else min(max(2.0 * (apart - joint) / apart, 0.0), 1.0)


def _entropy(counts: Ints) -> float:
    shares: Floats = counts[counts > 0] / max(int(counts.sum()), 1)
    return float(-(shares * np.log(shares)).sum())
