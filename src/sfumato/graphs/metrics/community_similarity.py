"""Community similarity: whether the groups that nodes fall into are still the same."""

from __future__ import annotations

from typing import ClassVar

from sfumato.contracts.metric import Measured, MetricTraits
from sfumato.graphs.metric import Changed, GraphMetric
from sfumato.graphs.metrics._communities import communities, modularity, normalised_mutual_information

__all__ = ["CommunitySimilarity"]


class CommunitySimilarity(GraphMetric):
    """Normalised mutual information of the communities before and after: ``2 I(X; Y) / (H(X) + H(Y))``, 1 if they are the same.

    Communities are those of Louvain's method, in the order of nodes and without chance. Nodes that were added are left out.
    ``modularity before`` and ``after`` say how clear the communities are.

    Examples
    --------
    >>> from sfumato.graphs import Graph
    >>> graph = Graph.of([(1, 2), (2, 3), (3, 1), (4, 5), (5, 6), (6, 4), (3, 4)])
    >>> CommunitySimilarity().measure(Changed(graph, graph)).value
    1.0

    References
    ----------
    Blondel, Guillaume, Lambiotte, Lefebvre, "Fast unfolding of communities in large networks", 2008,
    doi:10.1088/1742-5468/2008/10/P10008.
    Danon, Díaz-Guilera, Duch, Arenas, "Comparing community structure identification", 2005,
    doi:10.1088/1742-5468/2005/09/P09008.
    """

    id: ClassVar[str] = "community-similarity"
    traits: ClassVar[MetricTraits] = MetricTraits(better="higher")

    def measure(self, published: Changed) -> Measured:
        one, other = communities(published.before), communities(published.after)
        each = {
            "modularity before": modularity(published.before, one),
            "modularity after": modularity(published.after, other),
        }
        value = normalised_mutual_information(one, other[: len(one)])
        return Measured(self.id, value, by_attribute=each, lowest=0.0, highest=1.0)
