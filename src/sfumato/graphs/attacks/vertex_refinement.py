"""Vertex refinement: who knows the whole structure around a person, as far as counting degrees can tell."""

from __future__ import annotations

from typing import ClassVar

from sfumato.contracts.attack import AttackTraits
from sfumato.contracts.run import Run
from sfumato.data.messages import say
from sfumato.graphs.attack import CandidateAttack
from sfumato.graphs.candidates import Classes
from sfumato.graphs.graph import Graph
from sfumato.graphs.refinement import stable

__all__ = ["VertexRefinement"]


class VertexRefinement(CandidateAttack):
    """Find the nodes that no number of rounds of structural queries tells from the victim: the stable colours.

    It is the limit of ``H_i``, reached after at most as many rounds as there are nodes.

    Adversary: knows the structure around her victim as far as it goes.

    Examples
    --------
    >>> graph = Graph.of([("a", "b"), ("b", "c"), ("c", "d"), ("d", "e")])
    >>> VertexRefinement().candidates(graph, Run()).named(graph)
    [['a', 'e'], ['b', 'd'], ['c']]

    References
    ----------
    Hay, Miklau, Jensen, Towsley, Weis, "Resisting structural re-identification in anonymized social networks", 2008,
    doi:10.14778/1453856.1453873.
    """

    id: ClassVar[str] = "vertex-refinement"
    traits: ClassVar[AttackTraits] = AttackTraits(
        aims_at=frozenset({"record"}),
        knowledge="the structure around a person as far as it goes",
        needs=frozenset(),
        victims="records",
        compared=True,
    )
    adversary: ClassVar[str] = say("adversary.vertex-refinement")

    def candidates(self, graph: Graph, run: Run) -> Classes:
        return stable(graph)[0]
