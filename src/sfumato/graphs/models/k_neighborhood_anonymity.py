"""k-neighbourhood anonymity: the links among a person's neighbours are those of k persons or more."""

from __future__ import annotations

from typing import ClassVar

from sfumato.data.messages import say
from sfumato.graphs.candidates import Classes
from sfumato.graphs.class_model import ClassModel
from sfumato.graphs.graph import Graph
from sfumato.graphs.neighborhoods import neighborhood_classes
from sfumato.graphs.traits import GraphTraits

__all__ = ["KNeighborhoodAnonymity"]


class KNeighborhoodAnonymity(ClassModel):
    """Every node shares its 1-neighbourhood with at least k - 1 others, up to isomorphism.

    The 1-neighbourhood of u is the induced subgraph on u and its neighbours; an isomorphism keeps the centre and, where there
    are labels, these. What lies two links away is not covered.

    Adversary: knows the neighbours of her victim, their labels and the links among them.

    Examples
    --------
    >>> graph = Graph.of([("a", "b"), ("b", "c"), ("c", "a"), ("d", "e"), ("e", "f")])
    >>> KNeighborhoodAnonymity(k=2).classes(graph).named(graph)
    [['a', 'b', 'c'], ['d', 'f'], ['e']]

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 15.2.1.
    Zhou, Pei, "Preserving privacy in social networks against neighborhood attacks", 2008, doi:10.1109/ICDE.2008.4497459.
    """

    id: ClassVar[str] = "k-neighborhood-anonymity"
    traits: ClassVar[GraphTraits] = GraphTraits(frozenset({"record"}), "record", against="neighborhood", labels=True)
    adversary: ClassVar[str] = say("adversary.k-neighborhood-anonymity")

    def classes(self, graph: Graph) -> Classes:
        return neighborhood_classes(graph)
