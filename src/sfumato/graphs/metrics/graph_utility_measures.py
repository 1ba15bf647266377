"""Graph utility measures: how far the distributions that analysts look at have moved."""

from __future__ import annotations

from collections import Counter
from typing import ClassVar

import numpy as np

from sfumato.contracts.metric import Measured, MetricTraits
from sfumato.contracts.thing import param
from sfumato.graphs.graph import Graph
from sfumato.graphs.measures import (
    area_distance,
    clustering,
    component_sizes,
    infectiousness,
    ks_distance,
    label_distances,
    path_lengths,
    resilience,
)
from sfumato.graphs.metric import Changed, GraphMetric
from sfumato.kernels.arrays import Floats

__all__ = ["GraphUtilityMeasures"]

_LABELS = 10


class GraphUtilityMeasures(GraphMetric):
    """Distances of Kolmogorov and Smirnov between distributions before and after; the value is their mean.

    Degrees; lengths of paths between random pairs of nodes; local clustering; the largest part while the best linked nodes are
    removed (``resilience``); the share of nodes that catch what a random one has (``infectiousness``). Pairs, starts and draws
    come from the seed, the same before and after. Where nodes have labels, also how far others are from the nearest node with
    each of the most frequent ones (``nearest label``). Sizes of the parts that nodes are in (``components``), as shares of all
    nodes, are compared by the area between their distributions: most nodes are in one part, and where a single one leaves it,
    the size that all others have is another, so that the largest difference would be 1.

    Examples
    --------
    >>> before = Graph.of([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")])
    >>> found = GraphUtilityMeasures().measure(Changed(before, before))
    >>> found.value, sorted(found.by_attribute)[:2]
    (0.0, ['clustering', 'components'])

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 15.1.3.
    """

    id: ClassVar[str] = "graph-utility-measures"
    traits: ClassVar[MetricTraits] = MetricTraits(better="lower")

    pairs: int = param(default=500, ge=1, doc="pairs of nodes between which paths are looked for")
    beta: float = param(default=0.2, gt=0, le=1, doc="rate of transmission")
    seed: int = param(default=0, ge=0, doc="seed of pairs, starts and draws")

    def measure(self, published: Changed) -> Measured:
        one, other = self._looked(published.before), self._looked(published.after)
        if published.before.label:
            labels = _common_labels(published.before)
            for found, graph in ((one, published.before), (other, published.after)):
                away = [label_distances(graph, label) for label in labels]
                found["nearest label"] = np.concatenate(away).astype(np.float64)
        moved = {name: (area_distance if name == "components" else ks_distance)(one[name], other[name]) for name in one}
        return Measured(self.id, float(np.mean(list(moved.values()))), by_attribute=moved, lowest=0.0, highest=1.0)

    def _looked(self, graph: Graph) -> dict[str, Floats]:
        sizes = component_sizes(graph) / max(len(graph), 1)
        left = np.array(resilience(graph)) / max(len(graph), 1)
        lengths = path_lengths(graph, pairs=self.pairs, rng=np.random.default_rng(self.seed)).lengths
        return {
            "degrees": graph.degrees.astype(np.float64),
            "paths": lengths.astype(np.float64),
            "clustering": clustering(graph),
            "components": sizes,
            "resilience": left,
            "infectiousness": infectiousness(graph, self.beta, np.random.default_rng(self.seed)),
        }


def _common_labels(graph: Graph) -> list[str]:
    """Return the most frequent labels, as texts."""
    counts = Counter(graph.label_of(node) for node in range(len(graph)))
    return sorted(counts, key=lambda label: (-counts[label], label))[:_LABELS]
