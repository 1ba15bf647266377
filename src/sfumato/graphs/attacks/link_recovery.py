"""Link recovery: the graph is not published, but whoever bribes users sees what these see."""

from __future__ import annotations

from collections.abc import Hashable
from itertools import combinations
from typing import ClassVar

import numpy as np

from sfumato.contracts.attack import AttackTraits, Details, Risk, spread
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.graphs.attack import GraphAttack, GraphKnowledge
from sfumato.graphs.graph import Graph
from sfumato.graphs.measure_kernels import distances

__all__ = ["Bribed", "LinkRecovery", "LinksKnown"]


@frozen
class Bribed:
    """Whom an adversary bribed, in order, and how many links and how many whole neighbourhoods she knew after each."""

    bribed: tuple[Hashable, ...]
    links_known: tuple[int, ...]
    nodes_known: tuple[int, ...]


@frozen(eq=False)
class LinksKnown(Details):
    """How many users were bribed, and the shares of links and of persons that are known after it."""

    bribes: int
    links: float
    nodes: float


class LinkRecovery(GraphAttack):
    """Bribe users who see the links around them, and put together what they see.

    A user with lookahead l sees every link of a node within distance l; with l = 0 her own links. Whom to bribe:
    ``highest-degree``; ``greedy``, who sees most links that are not known yet (which needs to know the network; it covers at
    least ``1 - 1/e`` of what the best choice does); ``visible``, the highest degree among what is known so far; ``random``.
    Ties go to the first node. A site owner chooses l so that the needed bribes are too many.

    Adversary: bribes users of a network that is not published.

    Examples
    --------
    >>> graph = Graph.of([(1, 2), (2, 3), (3, 4)])
    >>> LinkRecovery(bribes=2).bribe(graph).links_known
    (2, 3)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 15.3.5.
    Korolova, Motwani, Nabar, Xu, "Link privacy in social networks", 2008, doi:10.1145/1458082.1458123.
    """

    id: ClassVar[str] = "link-recovery"
    traits: ClassVar[AttackTraits] = AttackTraits(
        aims_at=frozenset({"attribute"}),
        knowledge="what some bribed users see",
        needs=frozenset({"bribes"}),
        victims="records",
        quick=False,
    )
    adversary: ClassVar[str] = say("adversary.link-recovery")

    lookahead: int = param(default=0, ge=0, doc="how far away the nodes are whose links a user sees")
    bribes: int = param(default=10, ge=1, doc="how many users are bribed")
    strategy: str = param(
        default="highest-degree",
        choices=("highest-degree", "greedy", "visible", "random"),
        doc="whom to bribe next",
    )

    def seen_by(self, graph: Graph, node: int) -> frozenset[int]:
        """Return the links that one user sees, by their place in ``graph.edges``."""
        if self.lookahead == 0:
            near = np.array([node])
        else:
            away = distances(graph.starts, graph.targets, node, -1)
            near = np.flatnonzero((away >= 0) & (away <= self.lookahead))
        there = np.zeros(len(graph), np.bool_)
        there[near] = True
        return frozenset(np.flatnonzero(there[graph.edges].any(axis=1)).tolist())

    def views(self, graph: Graph) -> dict[Hashable, int]:
        """Return how many links each user sees."""
        return {name: len(self.seen_by(graph, at)) for at, name in enumerate(graph.names)}

    def bribe(self, graph: Graph, rng: np.random.Generator | None = None) -> Bribed:
        """Return the course of the bribes."""
        known: set[int] = set()
        left = list(range(len(graph)))
        views = [self.seen_by(graph, node) for node in left] if self.strategy == "greedy" else []
        chosen: list[Hashable] = []
        links: list[int] = []
        nodes: list[int] = []
        shown = np.zeros(len(graph), np.int64)
        for _ in range(min(self.bribes, len(graph))):
            if self.strategy == "greedy":
                node = max(left, key=lambda at: (len(views[at] - known), -at))
            elif self.strategy == "random":
                node = left[int((np.random.default_rng(0) if rng is None else rng).integers(len(left)))]
            else:
                degrees = shown if self.strategy == "visible" else graph.degrees
                node = max(left, key=lambda at: (degrees[at], -at))
            left.remove(node)
            known |= views[node] if views else self.seen_by(graph, node)
            shown = np.bincount(graph.edges[sorted(known)].ravel(), minlength=len(graph)).astype(np.int64)
            chosen.append(graph.names[node])
            links.append(len(known))
            nodes.append(int((shown == graph.degrees).sum()))
        return Bribed(tuple(chosen), tuple(links), tuple(nodes))

    def needed(self, graph: Graph, share: float) -> int | None:
        """Return how many bribes it takes to know a share of the links; nothing if these bribes do not do."""
        known = self.bribe(graph).links_known
        return next((at + 1 for at, count in enumerate(known) if count >= share * graph.links), None)

    def optimum(self, graph: Graph) -> list[int]:
        """Return the most links that can be known with each number of bribes, by trying all; for small graphs."""
        if len(graph) > 25:
            raise BadRequest("must have at most 25 nodes to try every choice", parameter="graph", value=len(graph))
        views = [self.seen_by(graph, node) for node in range(len(graph))]
        return [
            max(
                len(frozenset().union(*(views[at] for at in chosen)))
                for chosen in combinations(range(len(graph)), count)
            )
            for count in range(1, min(self.bribes, len(graph)) + 1)
        ]

    def on(self, graph: Graph, knowledge: GraphKnowledge, run: Run) -> Risk:
        found = self.bribe(graph, run.rng)
        known: set[int] = set()
        for node in graph.numbers(found.bribed):
            known |= self.seen_by(graph, node)
        shown = np.bincount(graph.edges[sorted(known)].ravel(), minlength=len(graph))
        risks = np.divide(shown, graph.degrees, out=np.zeros(len(graph)), where=graph.degrees > 0)
        highest, mean = spread(risks)
        share = len(known) / max(graph.links, 1)
        whole = found.nodes_known[-1] / max(len(graph), 1) if found.nodes_known else 0.0
        return Risk(
            attack=self.id,
            per_victim=risks,
            highest=highest,
            mean=mean,
            reading=say("reading.bribes", bribes=len(found.bribed), share=share, whole=whole),
            details=LinksKnown(len(found.bribed), share, whole),
        )
