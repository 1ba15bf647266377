"""Percolation matching: two networks of the same people are laid over each other, from a few known persons on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from sfumato.contracts.attack import AttackTraits, Details, Risk, spread
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.graphs.attack import GraphAttack, GraphKnowledge
from sfumato.graphs.graph import Graph

__all__ = ["Matched", "PercolationMatching"]


@frozen(eq=False)
class Matched(Details):
    """How many persons were known at first and matched in the end, and how many of these rightly."""

    seeds: int
    matched: int
    precision: float
    recall: float


class PercolationMatching(GraphAttack):
    """Lay another network of the same people over the release: pairs that enough matched neighbours speak for are matched.

    From some seeds whom the adversary knows in both, every matched pair gives a mark to all pairs of their neighbours; a pair
    with ``marks`` marks or more, both still free, is matched next, those with most marks first. To try it, the other
    network is a copy of the release that has lost a share of its links at random, and seeds are its best linked nodes.

    Adversary: has another network in which she knows everybody, which shares most links with the published one.

    Examples
    --------
    >>> graph = Graph.of([(at, (at + step) % 40) for at in range(40) for step in (1, 2, 5)])
    >>> attack = PercolationMatching(seeds=8, overlap=1.0)
    >>> found = attack.match(graph, graph, {at: at for at in range(8)})
    >>> all(one == other for one, other in found.items())
    True

    References
    ----------
    Yartseva, Grossglauser, "On the performance of percolation graph matching", 2013, doi:10.1145/2512938.2512952.
    Narayanan, Shmatikov, "De-anonymizing social networks", 2009, doi:10.1109/SP.2009.22.
    """

    id: ClassVar[str] = "percolation-matching"
    traits: ClassVar[AttackTraits] = AttackTraits(
        aims_at=frozenset({"record"}),
        knowledge="another network of the same people",
        needs=frozenset(),
        victims="records",
        quick=False,
    )
    adversary: ClassVar[str] = say("adversary.percolation-matching")

    seeds: int = param(default=10, ge=1, doc="how many persons are known in both networks")
    overlap: float = param(default=0.8, gt=0, le=1, doc="share of the links that the other network has, too")
    marks: int = param(default=2, ge=1, doc="how many matched neighbours must speak for a pair")

    def match(self, one: Graph, other: Graph, seeds: Mapping[int, int]) -> dict[int, int]:
        """Return who in the one graph is who in the other, by numbers."""
        found: dict[int, int] = {}
        taken: set[int] = set()
        marks: Counter[tuple[int, int]] = Counter()
        ready: dict[int, set[tuple[int, int]]] = {}
        waiting = list(seeds.items())
        while waiting or ready:
            if waiting:
                pair = waiting.pop()
            else:
                most = max(ready)
                pair = min(ready[most])
                ready[most].discard(pair)
                if not ready[most]:
                    del ready[most]
                if marks[pair] != most:
                    continue
            if pair[0] in found or pair[1] in taken:
                continue
            found[pair[0]] = pair[1]
            taken.add(pair[1])
            here = [node for node in one.neighbours(pair[0]).tolist() if node not in found]
            there = [node for node in other.neighbours(pair[1]).tolist() if node not in taken]
            for near in here:
                for far in there:
                    marks[near, far] += 1
                    count = marks[near, far]
                    if count >= self.marks:
                        ready.setdefault(count, set()).add((near, far))
        return found

    def on(self, graph: Graph, knowledge: GraphKnowledge, run: Run) -> Risk:
        kept = run.rng.random(graph.links) < self.overlap
        copy = graph.with_edges(graph.edges[kept])
        seeds = {int(node): int(node) for node in np.argsort(-graph.degrees, kind="stable")[: self.seeds]}
        run.stage("attacking")
        found = self.match(copy, graph, seeds)
        right = np.array([found.get(node, -1) == node for node in range(len(graph))])
        guessed = max(len(found) - len(seeds), 0)
        good = max(int(right.sum()) - len(seeds), 0)
        precision = good / guessed if guessed else 0.0
        recall = good / max(len(graph) - len(seeds), 1)
        risks = right.astype(np.float64)
        highest, mean = spread(risks)
        return Risk(
            attack=self.id,
            per_victim=risks,
            highest=highest,
            mean=mean,
            reading=say("reading.percolation", seeds=len(seeds), precision=precision, recall=recall),
            details=Matched(len(seeds), len(found), precision, recall),
        )
