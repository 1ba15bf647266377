"""Structural queries: who knows the structure around a person looks for the nodes that have the same around them."""

from __future__ import annotations

from collections.abc import Hashable
from typing import ClassVar

from sfumato.contracts.attack import AttackTraits
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.graphs.attack import CandidateAttack
from sfumato.graphs.candidates import Classes
from sfumato.graphs.graph import Graph
from sfumato.graphs.refinement import query_value, structure

__all__ = ["StructuralQueries"]


class StructuralQueries(CandidateAttack):
    """Find the nodes with the same ``H_i``: the degree, the degrees of the neighbours, what is around those.

    ``H_0(x)`` is the label of x, ``H_1(x)`` its degree and ``H_i(x)`` the multiset of ``H_{i-1}`` over the neighbours of x. The
    candidates of x are all nodes with the same value, and x is found among them with ``1 / |cand_i(x)|``.

    Adversary: knows the structure around her victim, i rounds far.

    Examples
    --------
    >>> graph = Graph.of([("a", "b"), ("b", "c"), ("c", "d")])
    >>> StructuralQueries(rounds=1).candidates(graph, Run()).named(graph)
    [['a', 'd'], ['b', 'c']]
    >>> StructuralQueries(rounds=2).value(graph, "b")
    [1, 2]

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 15.1.2.1.
    Hay, Miklau, Jensen, Towsley, Weis, "Resisting structural re-identification in anonymized social networks", 2008,
    doi:10.14778/1453856.1453873.
    """

    id: ClassVar[str] = "structural-queries"
    traits: ClassVar[AttackTraits] = AttackTraits(
        aims_at=frozenset({"record"}),
        knowledge="the structure around a person, some rounds far",
        needs=frozenset(),
        victims="records",
        compared=True,
    )
    adversary: ClassVar[str] = say("adversary.structural-queries")

    rounds: int = param(default=2, ge=0, doc="how far the structure is known")
    use_labels: bool = param(default=False, doc="whether labels of nodes are known too")

    def candidates(self, graph: Graph, run: Run) -> Classes:
        return structure(graph, self.rounds, use_labels=self.use_labels)

    def value(self, graph: Graph, node: Hashable) -> object:
        """Return ``H_i`` of a node itself."""
        return query_value(graph, graph.numbers([node])[0], self.rounds)
