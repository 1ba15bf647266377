"""Attribute disclosure in graphs: candidates who cannot be told apart may share what nobody should learn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from sfumato.catalogue import build
from sfumato.contracts.attack import AttackTraits, Details, Risk, spread
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.graphs.attack import CandidateAttack, GraphAttack, GraphKnowledge
from sfumato.graphs.candidates import Candidates
from sfumato.graphs.graph import Graph
from sfumato.kernels.arrays import Floats, Ints

__all__ = ["AttributeDisclosed", "Diversity", "GraphAttributeDisclosure"]


@frozen(eq=False)
class Diversity:
    """Of the candidates of each node: how many sensitive values, their diversity by entropy, and the share of the surest."""

    distinct: Ints
    entropy: Floats
    confidence: Floats


@frozen(eq=False)
class AttributeDisclosed(Details):
    """The fewest sensitive values among candidates, the smallest diversity by entropy, and the highest confidence."""

    distinct: int
    entropy: float
    confidence: float


class GraphAttributeDisclosure(GraphAttack):
    """Look at the sensitive values of the candidates: if all have the same, it is learnt without finding anybody.

    ``knowledge`` is any attack that ends with candidates. Of the candidates of a node: distinct l is the number of values,
    entropy l is ``exp(-sum p log p)``, and confidence the largest share of one value.

    Adversary: knows something of her victim's place and looks for a sensitive value.

    Examples
    --------
    >>> from dataclasses import replace
    >>> graph = Graph.of([("a", "b"), ("b", "c"), ("c", "d")])
    >>> graph = replace(graph, columns={"party": ("x", "y", "y", "x")}, sensitive=("party",))
    >>> GraphAttributeDisclosure().diversity(graph, "party", Run()).confidence.tolist()
    [1.0, 1.0, 1.0, 1.0]

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, sections 15.1.2 and 15.5.
    """

    id: ClassVar[str] = "graph-attribute-disclosure"
    traits: ClassVar[AttackTraits] = AttackTraits(
        aims_at=frozenset({"attribute"}),
        knowledge="something of a person's place",
        needs=frozenset({"sensitive"}),
        victims="records",
        compared=False,
    )
    adversary: ClassVar[str] = say("adversary.graph-attribute-disclosure")

    knowledge: Mapping[str, object] | None = param(
        default=None, doc="what is known of a place: an attack by its id and parameters; the degree if not given"
    )

    def validate(self) -> None:
        """Refuse what is no attack."""
        if self.knowledge is not None and not isinstance(self.knowledge, Mapping):
            raise BadRequest("must be an attack by its id and parameters", parameter=f"{self.id}.knowledge")

    def candidates(self, graph: Graph, run: Run) -> Candidates:
        """Return whom the adversary cannot tell apart."""
        made = build(dict(self.knowledge or {"id": "degree-attack"}), "attack", "graph")
        if not isinstance(made, CandidateAttack):
            raise BadRequest("has no candidates", parameter=f"{self.id}.knowledge", value=made.id)
        return made.candidates(graph, run)

    def diversity(self, graph: Graph, column: str, run: Run) -> Diversity:
        """Return what the candidates of every node tell of a sensitive column."""
        if column not in graph.columns:
            raise BadRequest(
                "is not a column of the nodes", parameter="sensitive", value=column, available=list(graph.columns)
            )
        found = self.candidates(graph, run)
        values = sorted({text for text in graph.columns[column] if text is not None})
        place = {text: at for at, text in enumerate(values)}
        codes = np.array(
            [place.get(text or "", -1) if text is not None else -1 for text in graph.columns[column]], np.int64
        )
        distinct, entropy, surest = np.zeros(len(graph), np.int64), np.zeros(len(graph)), np.zeros(len(graph))
        kept: dict[bytes, tuple[int, float, float]] = {}
        for node in range(len(graph)):
            members = found.of(node)
            key = members.tobytes()
            if key not in kept:
                held = codes[members]
                counts = np.bincount(held[held >= 0])
                shares = counts[counts > 0] / max(counts.sum(), 1)
                kept[key] = (len(shares), float(np.exp(-(shares * np.log(shares)).sum())), float(shares.max(initial=0)))
            distinct[node], entropy[node], surest[node] = kept[key]
        return Diversity(distinct, entropy, surest)

    def on(self, graph: Graph, knowledge: GraphKnowledge, run: Run) -> Risk:
        columns = knowledge.learn or graph.sensitive
        if not columns:
            raise BadRequest(
                "say which column of the nodes is to be learnt", parameter="sensitive", available=list(graph.columns)
            )
        found = self.diversity(graph, columns[0], run)
        highest, mean = spread(found.confidence)
        least = int(found.distinct.min(initial=len(graph)))
        return Risk(
            attack=self.id,
            per_victim=found.confidence,
            highest=highest,
            mean=mean,
            reading=say("reading.graph_attributes", surest=highest, sure=int((found.confidence == 1).sum())),
            details=AttributeDisclosed(least, float(found.entropy.min(initial=len(graph))), highest),
        )
