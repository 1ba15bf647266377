"""Neighbourhood attack: who knows the links among a person's neighbours looks for nodes with the same."""

from __future__ import annotations

from typing import ClassVar

from sfumato.contracts.attack import AttackTraits
from sfumato.contracts.run import Run
from sfumato.data.messages import say
from sfumato.graphs.attack import CandidateAttack
from sfumato.graphs.candidates import Classes
from sfumato.graphs.graph import Graph
from sfumato.graphs.neighborhoods import neighborhood_classes

__all__ = ["NeighborhoodAttack"]


class NeighborhoodAttack(CandidateAttack):
    """Find the nodes whose 1-neighbourhood is isomorphic to the victim's, centres and labels kept.

    Adversary: knows the neighbours of her victim, their labels and the links among them.

    Examples
    --------
    >>> graph = Graph.of([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")])
    >>> NeighborhoodAttack().candidates(graph, Run()).named(graph)
    [['a', 'b'], ['c'], ['d']]

    References
    ----------
    Zhou, Pei, "Preserving privacy in social networks against neighborhood attacks", 2008, doi:10.1109/ICDE.2008.4497459.
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 15.2.1.
    """

    id: ClassVar[str] = "neighborhood-attack"
    traits: ClassVar[AttackTraits] = AttackTraits(
        aims_at=frozenset({"record"}),
        knowledge="a person's neighbours and the links among them",
        needs=frozenset(),
        victims="records",
        compared=True,
    )
    adversary: ClassVar[str] = say("adversary.neighborhood-attack")

    def candidates(self, graph: Graph, run: Run) -> Classes:
        return neighborhood_classes(graph)
