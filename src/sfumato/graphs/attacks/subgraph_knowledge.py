"""Subgraph knowledge: who knows some links around a person looks for the nodes that have them."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from sfumato.contracts.attack import AttackTraits, Details, Risk, spread
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.graphs.attack import GraphAttack, GraphKnowledge
from sfumato.graphs.graph import Graph
from sfumato.graphs.patterns import Pattern, grown, matches
from sfumato.kernels.arrays import Ints

__all__ = ["Found", "SubgraphKnowledge"]


@frozen(eq=False)
class Found(Details):
    """How many links are known, and how many candidates victims have at least and on average."""

    facts: int
    smallest: int
    mean_size: float


class SubgraphKnowledge(GraphAttack):
    """Find the nodes around which the known links can be laid: different nodes on different ones, links on links.

    What is known are links, not that others are missing: the pattern need not be induced. Its power is the number of its
    links. Victims are drawn from the seed, and what is known grows around each of them breadth first.

    Adversary: knows some links around her victim.

    Examples
    --------
    >>> graph = Graph.of([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")])
    >>> attack = SubgraphKnowledge()
    >>> pattern = Pattern.of("x", [("x", "y"), ("x", "z"), ("x", "w")])
    >>> [graph.names[at] for at in attack.candidates(graph, pattern).tolist()]
    ['c']

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 15.1.2.1.
    Hay, Miklau, Jensen, Towsley, Weis, "Resisting structural re-identification in anonymized social networks", 2008,
    doi:10.14778/1453856.1453873.
    """

    id: ClassVar[str] = "subgraph-knowledge"
    traits: ClassVar[AttackTraits] = AttackTraits(
        aims_at=frozenset({"record"}),
        knowledge="some links around a person",
        needs=frozenset(),
        victims="records",
        quick=False,
    )
    adversary: ClassVar[str] = say("adversary.subgraph-knowledge")

    facts: int = param(default=6, ge=1, doc="how many links are known around a victim")
    victims: int = param(default=25, ge=1, doc="how many victims are drawn")
    steps: int = param(default=20_000, ge=1, doc="steps of a search after which a node counts as a candidate")

    def candidates(self, graph: Graph, pattern: Pattern) -> Ints:
        """Return the nodes that a pattern fits; those that could not be decided are among them."""
        return matches(graph, pattern, self.steps).candidates

    def curve(self, graph: Graph, node: int) -> list[int]:
        """Return how many candidates a node has with one known link, two, and so on."""
        return [len(self.candidates(graph, grown(graph, node, facts))) for facts in range(1, self.facts + 1)]

    def on(self, graph: Graph, knowledge: GraphKnowledge, run: Run) -> Risk:
        drawn = run.rng.choice(len(graph), min(self.victims, len(graph)), replace=False)
        sizes = []
        run.stage("attacking", len(drawn))
        for at, node in enumerate(drawn.tolist()):
            sizes.append(max(len(self.candidates(graph, grown(graph, node, self.facts))), 1))
            run.tick(at + 1)
        risks = 1 / np.array(sizes, np.float64)
        highest, mean = spread(risks)
        return Risk(
            attack=self.id,
            per_victim=risks,
            highest=highest,
            mean=mean,
            reading=say("reading.subgraphs", facts=self.facts, victims=len(sizes), smallest=min(sizes, default=0)),
            details=Found(self.facts, min(sizes, default=0), float(np.mean(sizes)) if sizes else 0.0),
        )
