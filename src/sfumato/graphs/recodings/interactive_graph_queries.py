"""Interactive queries on a graph that is not published: counts with noise, until a budget is spent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import ClassVar

import numpy as np

from sfumato.contracts.thing import Thing, param
from sfumato.data.frozen import frozen
from sfumato.errors import BadRequest, Infeasible
from sfumato.graphs.graph import Graph
from sfumato.graphs.measures import triangle_counts
from sfumato.kernels.arrays import Ints
from sfumato.ledger.budgets import Budgets
from sfumato.perturbations.opendp_noise import OpenDPLaplace

__all__ = ["GraphAnswer", "GraphSession", "InteractiveGraphQueries"]

Charging = Callable[[float], None]


@frozen
class GraphAnswer:
    """Noisy counts that answer a question, what was spent on them, and the scale of their noise."""

    question: str
    values: tuple[int, ...]
    epsilon: float
    scale: float


class InteractiveGraphQueries(Thing):
    """Answer counting questions about a graph with Laplace noise for links, and refuse when the budget is spent.

    The output on two graphs that differ in one link has densities within ``exp(epsilon)``. One link changes the number of links
    by 1, the histogram of degrees by 4 in the sum of absolute values, counts by pair of labels by 1. Triangles and paths of two
    links are counted in a graph in which every node keeps its first ``cap`` links, and a link counts if both ends keep it: one
    link more changes at most three of these, so triangles by ``3 (cap - 1)`` and paths by ``6 (cap - 1)``. Nodes are known to
    everybody: the histogram is refused where they are only those that have links.

    Adversary: may know every link but one and sees all answers.

    Examples
    --------
    >>> session = InteractiveGraphQueries(epsilon=1.0).session(Graph.of([(1, 2), (2, 3)]))
    >>> session.ask("links", 0.5).scale, session.left
    (2.0, 0.5)

    References
    ----------
    Rastogi, Hay, Miklau, Suciu, "Relationship privacy: output perturbation for queries with joins", 2009,
    doi:10.1145/1559795.1559812.
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 15.3.6.
    """

    id: ClassVar[str] = "interactive-graph-queries"
    kind: ClassVar[str] = "operation"
    truthful: ClassVar[bool] = False

    epsilon: float = param(gt=0, doc="what may be spent in all")
    cap: int = param(default=20, ge=2, doc="how many links of a node count for triangles and paths")

    def validate(self) -> None:
        """Refuse an infinite epsilon, which would be answered without noise."""
        if not isfinite(self.epsilon):
            raise BadRequest("must be finite", parameter=f"{self.id}.epsilon", value=self.epsilon)

    def session(
        self,
        graph: Graph,
        charge: Charging | None = None,
        *,
        budgets: Budgets | None = None,
        names: str | Sequence[str] = (),
    ) -> GraphSession:
        """Return a session; what an answer spends is charged before it is drawn, to whoever asks or to budgets of a ledger.

        ``charge`` is called with it; ``budgets`` are those of a ledger (``Ledger(...).budgets``), and ``names`` says which of
        them pay, all of them.
        """
        if budgets is not None and (charge is not None or not names):
            raise BadRequest("say which budgets pay, and charge nobody else", parameter="names")
        if budgets is not None:
            kept = budgets

            def charge(epsilon: float) -> None:
                kept.charge_draw(names, epsilon=epsilon, purpose=self.id)

        return GraphSession(self, graph, charge)


@dataclass(eq=False)
class GraphSession:
    """Questions on one graph, and what was spent on them."""

    desk: InteractiveGraphQueries
    graph: Graph
    charge: Charging | None = None
    spent: float = 0.0
    answers: list[GraphAnswer] = field(default_factory=list)

    QUESTIONS: ClassVar[tuple[str, ...]] = ("links", "degree-histogram", "triangles", "two-paths", "label-pairs")

    @property
    def left(self) -> float:
        """What may still be spent."""
        return self.desk.epsilon - self.spent

    def exact(self, question: str) -> tuple[list[int], int]:
        """Return the true counts, which must stay, and what one link changes at most."""
        graph, cap = self.graph, self.desk.cap
        if question == "links":
            return [graph.links], 1
        if question == "degree-histogram":
            graph.refuse_unlisted()
            return np.bincount(graph.degrees, minlength=len(graph)).tolist(), 4
        if question == "label-pairs":
            count = len(graph.label_names)
            ends = np.sort(graph.label_codes[graph.edges], axis=1).astype(np.int64)
            held = np.bincount(ends[:, 0] * count + ends[:, 1], minlength=count * count).reshape(count, count)
            return held[np.triu_indices(count)].tolist(), 1
        if question not in self.QUESTIONS:
            raise BadRequest("is no question", parameter="question", value=question, available=self.QUESTIONS)
        kept = graph.with_edges(_first_links(graph, cap))
        if question == "triangles":
            return [int(triangle_counts(kept).sum()) // 3], 3 * (cap - 1)
        return [int((kept.degrees * (kept.degrees - 1) // 2).sum())], 6 * (cap - 1)

    def about(self, question: str) -> list[str | None]:
        """Return what each number of an answer is about: a degree, two labels; nothing where there is one number."""
        if question == "degree-histogram":
            return [str(degree) for degree in range(len(self.graph))]
        if question == "label-pairs":
            called = [", ".join(text or "" for text in label) for label in self.graph.label_names]
            return [f"{one} - {other}" for at, one in enumerate(called) for other in called[at:]]
        return [None]

    def noise(self, question: str, epsilon: float) -> OpenDPLaplace:
        """Return the noise that an answer gets for what may be spent on it."""
        return OpenDPLaplace(epsilon, self.exact(question)[1])

    def ask(self, question: str, epsilon: float) -> GraphAnswer:
        """Answer a question and charge what is spent; refuse if that is more than is left."""
        if not epsilon > 0:
            raise BadRequest("must be above 0", parameter="epsilon", value=epsilon)
        counts, sensitivity = self.exact(question)
        noise = OpenDPLaplace(epsilon, sensitivity)
        if noise.epsilon > self.left * (1 + 1e-12):
            raise Infeasible(
                f"the budget is spent: {self.left:g} of {self.desk.epsilon:g} is left, and the answer takes {noise.epsilon:g}",
                measured=self.left,
                bound=noise.epsilon,
            )
        if self.charge is not None:
            self.charge(noise.epsilon)
        self.spent += noise.epsilon
        answer = GraphAnswer(question, tuple(noise.add(counts)), noise.epsilon, noise.scale)
        self.answers.append(answer)
        return answer


def _first_links(graph: Graph, cap: int) -> Ints:
    """Return the links that are among the first ``cap`` of both their nodes."""
    place = np.arange(len(graph.targets)) - graph.starts[graph.owners]
    early = place < cap
    width = np.int64(max(len(graph), 1))
    one = graph.owners.astype(np.int64) * width + graph.targets
    back = graph.targets.astype(np.int64) * width + graph.owners
    both = early & early[np.searchsorted(one, back)] & (graph.owners < graph.targets)
    return np.stack((graph.owners[both], graph.targets[both]), axis=1).astype(np.int64)
