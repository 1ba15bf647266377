"""Attacks on graphs: what an adversary has who reads a published graph, and what she knows of her victim's place in it."""

from __future__ import annotations

from abc import abstractmethod

from sfumato.contracts.attack import Attack, Details, Risk, spread
from sfumato.contracts.knowledge import Knowledge, Names, Seen, knows
from sfumato.contracts.run import Run
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.graphs.candidates import Candidates
from sfumato.graphs.graph import Graph

__all__ = ["CandidateAttack", "CandidateSizes", "GraphAttack", "GraphKnowledge", "GraphSeen"]


@frozen(eq=False, kw_only=True)
class GraphSeen(Seen):
    """How an adversary reads a published graph: as nodes and links; as a table she has one row for each node."""

    graph: Graph


@frozen(kw_only=True, eq=False)
class GraphKnowledge(Knowledge):
    """What an adversary of a published graph may know."""

    learn: Names = knows((), say("known.sensitive"), said="sensitive")
    raw: Graph | None = knows(None, say("known.raw_graph"))
    planted: object = knows(None, say("known.planted"))
    bribes: int | None = knows(None, say("known.bribes"), own=True)


class GraphAttack(Attack[GraphKnowledge]):
    """An attack on a published graph."""

    @abstractmethod
    def on(self, graph: Graph, knowledge: GraphKnowledge, run: Run) -> Risk:
        """Return the risk that the graph leaves to the persons behind its nodes."""

    def run(self, seen: Seen, knowledge: GraphKnowledge, run: Run) -> Risk:
        """Try it on the graph that is seen; anything else is refused."""
        if not isinstance(seen, GraphSeen):
            raise BadRequest(f"{self.id} reads nodes and links: give a release that has them", parameter="release")
        return self.on(seen.graph, knowledge, run)

    def unfit(self, seen: Seen, knowledge: GraphKnowledge) -> str | None:
        """Say why the attack cannot be tried: also where no single nodes are published, or none that stands for anybody."""
        if isinstance(seen, GraphSeen):
            return super().unfit(seen, knowledge)
        return say("needs.true_nodes") if seen.stands_for == "statistics" else say("needs.nodes")


@frozen(eq=False)
class CandidateSizes(Details):
    """What was found: how many nodes are alone, the smallest candidate set, and its mean size."""

    alone: int
    smallest: int
    mean_size: float


class CandidateAttack(GraphAttack):
    """An attack that knows something of the victim's place: who fits it are the candidates."""

    @abstractmethod
    def candidates(self, graph: Graph, run: Run) -> Candidates:
        """Return whom the adversary cannot tell from each node."""

    def on(self, graph: Graph, knowledge: GraphKnowledge, run: Run) -> Risk:
        """Guess among the candidates of everybody."""
        found = self.candidates(graph, run)
        risks = found.risks
        highest, mean = spread(risks)
        smallest = found.smallest or 0
        size = float(found.sizes.mean()) if len(found.sizes) else 0.0
        return Risk(
            attack=self.id,
            per_victim=risks,
            highest=highest,
            mean=mean,
            reading=say(
                "reading.candidates",
                alone=found.alone,
                nodes=len(graph),
                smallest=smallest,
                share=found.alone / max(len(graph), 1),
            ),
            details=CandidateSizes(found.alone, smallest, size),
        )
