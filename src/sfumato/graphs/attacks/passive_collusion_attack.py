"""Passive collusion: users who know each other find themselves in a release, and then their neighbours."""

from __future__ import annotations

from collections.abc import Hashable
from typing import ClassVar

import numpy as np

from sfumato.contracts.attack import AttackTraits, Details, Risk, spread
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.graphs.attack import GraphAttack, GraphKnowledge
from sfumato.graphs.graph import Graph
from sfumato.graphs.sybils import Planted, recover

__all__ = ["Colluding", "PassiveCollusionAttack"]


@frozen(eq=False)
class Colluding(Details):
    """How many coalitions were tried, how many found themselves, and how many neighbours they exposed on average."""

    coalitions: int
    located: int
    exposed: float


class PassiveCollusionAttack(GraphAttack):
    """A user and some neighbours put their links together, find themselves in the release, and then whom they are linked with.

    Nothing was planted: the coalition does with its real links what an active attack does with made ones, and can only expose
    its own neighbours. Coalitions are drawn: a user and neighbours, each linked with one before.

    Adversary: some users who are linked with each other and know their own links.

    Examples
    --------
    >>> graph = Graph.of([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("d", "e")])
    >>> PassiveCollusionAttack(size=3, coalitions=5).on(graph, GraphKnowledge(), Run()).details["coalitions"]
    5

    References
    ----------
    Backstrom, Dwork, Kleinberg, "Wherefore art thou r3579x? Anonymized social networks, hidden patterns, and structural
    steganography", 2007, doi:10.1145/1242572.1242598.
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 15.1.2.1.
    """

    id: ClassVar[str] = "passive-collusion-attack"
    traits: ClassVar[AttackTraits] = AttackTraits(
        aims_at=frozenset({"record"}),
        knowledge="the links of some users who are linked with each other",
        needs=frozenset(),
        victims="records",
        quick=False,
    )
    adversary: ClassVar[str] = say("adversary.passive-collusion-attack")

    size: int = param(default=4, ge=2, doc="how many users are in a coalition")
    coalitions: int = param(default=50, ge=1, doc="how many coalitions are tried")

    def on(self, graph: Graph, knowledge: GraphKnowledge, run: Run) -> Risk:
        risks = np.zeros(len(graph))
        located, exposed, tried = 0, 0, 0
        run.stage("attacking", self.coalitions)
        for at in range(self.coalitions):
            run.tick(at)
            members = self._drawn(graph, run.rng)
            tried += 1
            planted = _known(graph, members)
            found = recover(graph, planted)
            if found.status == "located":
                located += 1
                risks[members] = 1.0
                named = graph.numbers((found.targets or {}).values())
                exposed += len(named)
                risks[named] = 1.0
        highest, mean = spread(risks)
        share = exposed / max(located, 1)
        return Risk(
            attack=self.id,
            per_victim=risks,
            highest=highest,
            mean=mean,
            reading=say("reading.collusion", size=self.size, tried=tried, located=located, exposed=share),
            details=Colluding(tried, located, share),
        )

    def _drawn(self, graph: Graph, rng: np.random.Generator) -> list[int]:
        members = [int(rng.integers(len(graph)))]
        while len(members) < self.size:
            near = sorted({other for one in members for other in graph.neighbours(one).tolist()} - set(members))
            if not near:
                break
            members.append(near[int(rng.integers(len(near)))])
        return members


def _known(graph: Graph, members: list[int]) -> Planted:
    """Return what a coalition knows: its own links, and by which of its members each neighbour is known."""
    place = {node: at for at, node in enumerate(members)}
    links = [(place[one], place[other]) for one in members for other in graph.adjacency[one] if other in place]
    outside = {other for one in members for other in graph.adjacency[one]} - set(members)
    targets: dict[Hashable, list[int]] = {
        node: [place[one] for one in members if one in graph.adjacency[node]] for node in sorted(outside)
    }
    return Planted.of(links, graph.degrees[members].tolist(), targets)
