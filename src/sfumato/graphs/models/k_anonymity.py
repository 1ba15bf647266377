"""k-anonymity of nodes: what is known of a person beside the links is true of k nodes or more."""

from __future__ import annotations

from typing import ClassVar

from sfumato.data.messages import say
from sfumato.graphs.candidates import Classes
from sfumato.graphs.class_model import ClassModel
from sfumato.graphs.graph import Graph
from sfumato.graphs.traits import GraphTraits

__all__ = ["NodeKAnonymity"]


class NodeKAnonymity(ClassModel):
    """Every node shares its quasi-identifiers with at least k - 1 others.

    Let ``a(qid)`` be the number of nodes with the values ``qid`` in the quasi-identifying columns of the table of nodes; it
    holds iff the smallest ``a(qid)`` that occurs is k or more. Before links are changed, the columns are masked by an algorithm
    of tables (``nodes: {by: mondrian}``). Links are not looked at: who knows both may still find a single node (see
    ``k-candidate-anonymity`` with labels).

    Adversary: knows the quasi-identifiers of a person, and no links.

    Examples
    --------
    >>> graph = Graph.of([(1, 2), (2, 3), (3, 4)], labels={1: "Ulm", 2: "Ulm", 3: "Bonn", 4: "Bonn"})
    >>> NodeKAnonymity(k=2).judge(graph).satisfied, NodeKAnonymity(k=3).judge(graph).satisfied
    (True, False)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, sections 2.1.1 and 15.2.
    Samarati, Sweeney, "Protecting privacy when disclosing information", 1998.
    """

    id: ClassVar[str] = "k-anonymity"
    traits: ClassVar[GraphTraits] = GraphTraits(frozenset({"record"}), "record", against="columns")
    adversary: ClassVar[str] = say("adversary.node-k-anonymity")

    def classes(self, graph: Graph) -> Classes:
        return Classes(graph.label_codes)
