"""Anonymity cascade: who found one person goes on to the neighbours that are unlike each other."""

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
from sfumato.graphs.neighborhoods import counts_classes
from sfumato.graphs.refinement import structure
from sfumato.kernels.arrays import Ints

__all__ = ["AnonymityCascade", "Cascade"]


@frozen(eq=False)
class Cascade(Details):
    """How many persons were found at first, how many in the end, and in how many rounds."""

    first: int
    found: int
    rounds: int


class AnonymityCascade(GraphAttack):
    """Find everybody who is alone, then the neighbours of those who are unlike all other neighbours, and so on.

    A node that is alone under the knowledge is found. Among the neighbours of a node that was found, one that shares what is
    known with no other of them is found in the next round.

    Adversary: knows something of everybody, and who is linked with whom among those whom she found.

    Examples
    --------
    >>> graph = Graph.of([("a", "b"), ("a", "c"), ("a", "d"), ("d", "e"), ("c", "b")])
    >>> AnonymityCascade().found(graph).tolist()
    [0, -1, -1, 1, 0]

    References
    ----------
    de Jong, van der Loo, Takes, "The anonymity cascade: identifying nodes through their neighbours", 2024.
    """

    id: ClassVar[str] = "anonymity-cascade"
    traits: ClassVar[AttackTraits] = AttackTraits(
        aims_at=frozenset({"record"}),
        knowledge="something of everybody, and the links of whom she found",
        needs=frozenset(),
        victims="records",
        compared=True,
    )
    adversary: ClassVar[str] = say("adversary.anonymity-cascade")

    knows: str = param(
        default="degree", choices=("degree", "counts"), doc="what is known: degrees, or neighbourhood counts"
    )

    def found(self, graph: Graph) -> Ints:
        """Return in which round each node is found, -1 for those who are not."""
        classes = structure(graph, 1) if self.knows == "degree" else counts_classes(graph, use_labels=False)
        out = np.full(len(graph), -1, np.int64)
        fresh = np.flatnonzero(classes.sizes == 1).tolist()
        out[fresh] = 0
        at = 0
        while fresh:
            at += 1
            following: set[int] = set()
            for node in fresh:
                near = graph.neighbours(node)
                values, counts = np.unique(classes.codes[near], return_counts=True)
                unlike = near[np.isin(classes.codes[near], values[counts == 1])]
                following |= {other for other in unlike.tolist() if out[other] < 0}
            out[list(following)] = at
            fresh = sorted(following)
        return out

    def on(self, graph: Graph, knowledge: GraphKnowledge, run: Run) -> Risk:
        rounds = self.found(graph)
        classes = structure(graph, 1) if self.knows == "degree" else counts_classes(graph, use_labels=False)
        risks = np.where(rounds >= 0, 1.0, classes.risks)
        highest, mean = spread(risks)
        first, found, last = int((rounds == 0).sum()), int((rounds >= 0).sum()), int(rounds.max(initial=0))
        return Risk(
            attack=self.id,
            per_victim=risks,
            highest=highest,
            mean=mean,
            reading=say("reading.cascade", first=first, found=found, nodes=len(graph)),
            details=Cascade(first, found, max(last, 0)),
        )
