"""Neighbourhood counts: who knows how many neighbours a person has and how many links these have among them."""

from __future__ import annotations

from typing import ClassVar

from sfumato.contracts.attack import AttackTraits
from sfumato.contracts.run import Run
from sfumato.data.messages import say
from sfumato.graphs.attack import CandidateAttack
from sfumato.graphs.candidates import Classes
from sfumato.graphs.graph import Graph
from sfumato.graphs.neighborhoods import counts_classes

__all__ = ["NeighborhoodCounts"]


class NeighborhoodCounts(CandidateAttack):
    """Find the nodes with the same (n, m): so many neighbours, and so many links among them.

    It is less than the whole neighbourhood and counted in no time; on large networks it finds nearly as many.

    Adversary: knows how many neighbours her victim has and how many of these are linked with each other.

    Examples
    --------
    >>> graph = Graph.of([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")])
    >>> NeighborhoodCounts().candidates(graph, Run()).alone
    2

    References
    ----------
    de Jong, van der Loo, Takes, "The effect of distant connections on node anonymity in complex networks", 2024,
    doi:10.1038/s41598-023-50617-z.
    Romanini, Lehmann, Kivelä, "Privacy and uniqueness of neighborhoods in social networks", 2021,
    doi:10.1038/s41598-021-94283-5.
    """

    id: ClassVar[str] = "neighborhood-counts"
    traits: ClassVar[AttackTraits] = AttackTraits(
        aims_at=frozenset({"record"}),
        knowledge="how many neighbours a person has and how many links are among them",
        needs=frozenset(),
        victims="records",
        compared=True,
    )
    adversary: ClassVar[str] = say("adversary.neighborhood-counts")
    aliases: ClassVar[tuple[str, ...]] = ("nm-counts",)

    def candidates(self, graph: Graph, run: Run) -> Classes:
        return counts_classes(graph, use_labels=False)
