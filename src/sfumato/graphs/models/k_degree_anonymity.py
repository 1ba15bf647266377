"""k-degree anonymity: every degree is that of k nodes or more."""

from __future__ import annotations

from typing import ClassVar

from sfumato.data.messages import say
from sfumato.graphs.candidates import Classes
from sfumato.graphs.class_model import ClassModel
from sfumato.graphs.graph import Graph
from sfumato.graphs.refinement import structure
from sfumato.graphs.traits import GraphTraits

__all__ = ["KDegreeAnonymity"]


class KDegreeAnonymity(ClassModel):
    """Every degree that a node of the graph has is that of at least k nodes.

    A degree sequence is k-anonymous iff each value in it appears k times or more. It says nothing about who knows more than
    how many links her victim has: degrees of neighbours, or links among them (see ``k-candidate-anonymity``).

    Adversary: knows with how many others her victim is linked.

    Examples
    --------
    >>> star = Graph.of([("a", "b"), ("a", "c"), ("a", "d")])
    >>> verdict = KDegreeAnonymity(k=2).judge(star)
    >>> verdict.satisfied, verdict.strongest
    (False, 1)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 15.3.3, Definition 15.3.
    Liu, Terzi, "Towards identity anonymization on graphs", 2008, doi:10.1145/1376616.1376629.
    """

    id: ClassVar[str] = "k-degree-anonymity"
    traits: ClassVar[GraphTraits] = GraphTraits(frozenset({"record"}), "record", against="degree")
    adversary: ClassVar[str] = say("adversary.k-degree-anonymity")

    def classes(self, graph: Graph) -> Classes:
        return structure(graph, 1)
