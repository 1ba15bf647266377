"""What the algorithms on graphs take."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor

from sfumato.contracts.model import Requirement
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import Infeasible, Unsupported
from sfumato.graphs.graph import Graph

__all__ = ["GraphTask"]


@frozen(eq=False)
class GraphTask:
    """The graph, what must hold, and what may be changed.

    ``lose_at_most`` is the largest number of links added and removed, as a share of those that there were; ``None`` for any.
    ``hidden`` are the kinds of links that nobody should learn. ``alike`` nodes or more share what is known of them beside
    links, and must still do so where labels are changed or nodes put together.
    """

    graph: Graph
    models: Sequence[Requirement]
    lose_at_most: float | None = None
    hidden: tuple[str, ...] = ()
    alike: int = 1

    @property
    def edits(self) -> int | None:
        """How many links may be added or removed; ``None`` for any number."""
        return None if self.lose_at_most is None else floor(self.lose_at_most * self.graph.links + 1e-9)

    def largest(self, name: str, algorithm: str, known: Sequence[str]) -> int:
        """Return the largest value of a parameter of the requirements; those that the algorithm does not aim at are refused."""
        for model in self.models:
            if model.id not in known:
                raise Unsupported(
                    f"{algorithm} cannot aim at {model.id}; what it can meet is {', '.join(known)}", thing=model.id
                )
        found = [int(getattr(model, name)) for model in self.models]
        if not found:
            raise Unsupported(f"{algorithm} needs one of {', '.join(known)} to aim at", thing=algorithm)
        return max(found)

    @property
    def tolerated(self) -> float:
        """The share of nodes that every requirement allows to look like too few."""
        return min((float(getattr(model, "tolerated", 0.0)) for model in self.models), default=0.0)

    def refuse_violations(self, graph: Graph, algorithm: str) -> None:
        """Refuse a graph that breaks a requirement, for algorithms that cannot aim at one."""
        for model in self.models:
            verdict = model.judge(graph)
            if not verdict.satisfied:
                raise Infeasible(
                    say("graph.not_enough", algorithm=algorithm, model=model.id, count=verdict.violating_records),
                    measured=verdict.strongest,
                    bound=verdict.bound,
                    requirement=model.id,
                )

    def refuse_edits(self, edits: int) -> None:
        """Refuse more added and removed links than are allowed."""
        most = self.edits
        if most is not None and edits > most:
            raise Infeasible(
                say("graph.too_many_edits", count=edits, most=most, links=self.graph.links),
                measured=edits / max(self.graph.links, 1),
                bound=self.lose_at_most,
                requirement="limits.lose_at_most",
            )
