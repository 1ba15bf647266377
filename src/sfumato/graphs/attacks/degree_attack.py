"""Degree attack: who knows how many links a person has looks for the nodes with as many."""

from __future__ import annotations

from typing import ClassVar

from sfumato.contracts.attack import AttackTraits
from sfumato.contracts.run import Run
from sfumato.data.messages import say
from sfumato.graphs.attack import CandidateAttack
from sfumato.graphs.candidates import Classes
from sfumato.graphs.graph import Graph
from sfumato.graphs.refinement import structure

__all__ = ["DegreeAttack"]


class DegreeAttack(CandidateAttack):
    """Find the nodes with as many links as the victim: ``1 / |{y : deg(y) = deg(x)}|``.

    Adversary: knows with how many others her victim is linked.

    Examples
    --------
    >>> graph = Graph.of([("a", "b"), ("b", "c"), ("c", "d"), ("b", "e")])
    >>> DegreeAttack().candidates(graph, Run()).alone
    2

    References
    ----------
    Liu, Terzi, "Towards identity anonymization on graphs", 2008, doi:10.1145/1376616.1376629.
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 15.1.2.1.
    """

    id: ClassVar[str] = "degree-attack"
    traits: ClassVar[AttackTraits] = AttackTraits(
        aims_at=frozenset({"record"}),
        knowledge="how many links a person has",
        needs=frozenset(),
        victims="records",
        compared=True,
    )
    adversary: ClassVar[str] = say("adversary.k-degree-anonymity")

    def candidates(self, graph: Graph, run: Run) -> Classes:
        return structure(graph, 1)
