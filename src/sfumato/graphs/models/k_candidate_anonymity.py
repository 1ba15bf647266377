"""k-candidate anonymity: whoever knows the structure around a person some rounds far finds k nodes or more."""

from __future__ import annotations

from typing import ClassVar

from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.graphs.candidates import Classes
from sfumato.graphs.class_model import ClassModel
from sfumato.graphs.graph import Graph
from sfumato.graphs.refinement import structure
from sfumato.graphs.traits import GraphTraits

__all__ = ["KCandidateAnonymity"]


class KCandidateAnonymity(ClassModel):
    """Every node has at least k candidates under the structural query H_i.

    ``H_0(x)`` is the label of x, ``H_1(x)`` its degree, ``H_i(x)`` the multiset of ``H_{i-1}`` over its neighbours; the
    candidates of x are the nodes with the same ``H_i``. More rounds never give more candidates. Labels are an adversary's
    knowledge too if ``use_labels`` is true.

    Adversary: knows the structure around her victim, i rounds far.

    Examples
    --------
    >>> path = Graph.of([("a", "b"), ("b", "c"), ("c", "d"), ("d", "e"), ("e", "f")])
    >>> KCandidateAnonymity(k=2, rounds=2).judge(path).strongest
    2

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 15.1.2.1.
    Hay, Miklau, Jensen, Towsley, Weis, "Resisting structural re-identification in anonymized social networks", 2008,
    doi:10.14778/1453856.1453873.
    """

    id: ClassVar[str] = "k-candidate-anonymity"
    traits: ClassVar[GraphTraits] = GraphTraits(frozenset({"record"}), "record", against="rounds")
    adversary: ClassVar[str] = say("adversary.k-candidate-anonymity")

    rounds: int = param(default=1, ge=0, doc="how far the adversary knows the structure around her victim")
    use_labels: bool = param(default=False, doc="whether she knows the labels of nodes too")

    def classes(self, graph: Graph) -> Classes:
        return structure(graph, self.rounds, use_labels=self.use_labels)
