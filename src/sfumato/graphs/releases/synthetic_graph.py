"""Synthetic graph: nodes and links that were drawn to have noisy degrees; no link is anybody's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from sfumato.contracts.certificate import Statement
from sfumato.contracts.knowledge import Seen
from sfumato.contracts.mechanism import NOISY_STATISTICS
from sfumato.contracts.model import Requirement, Verdict
from sfumato.contracts.release import NOTHING_BESIDE, Beside, Parts, ReleaseKind, ReleaseTraits
from sfumato.contracts.thing import param
from sfumato.data.json import Json
from sfumato.data.messages import say
from sfumato.graphs.releases.edited_graph import EditedGraph

__all__ = ["SyntheticGraph"]


class SyntheticGraph(EditedGraph):
    """Nodes and links of a graph that was made from noisy degrees: what protects is the procedure.

    The parts are those of an edited graph. Degrees follow those of the original, links do not.

    Examples
    --------
    >>> from sfumato.graphs import Graph
    >>> SyntheticGraph(epsilon=1.0, scale=2.0).parts_of(Graph.of([(1, 2)]))["edges"].to_rows()
    [(1, 2)]

    References
    ----------
    Hay, Li, Miklau, Jensen, "Accurate estimation of the degree distribution of private networks", 2009,
    doi:10.1109/ICDM.2009.11.
    """

    id: ClassVar[str] = "synthetic-graph"
    stated: ClassVar[tuple[str, ...]] = ("epsilon", "scale")
    traits: ClassVar[ReleaseTraits] = NOISY_STATISTICS

    epsilon: float = param(gt=0, doc="what the procedure spends on every link")
    scale: float = param(gt=0, doc="scale of the Laplace noise")

    def verify(
        self, parts: Parts, models: Sequence[Requirement], qids: Sequence[str], beside: Beside = NOTHING_BESIDE
    ) -> list[Verdict]:
        """Refuse requirements that no output can show, and tables that are no graph."""
        self.refuse_counted(models)
        self.graph_of(parts)
        return []

    def seen(self, parts: Parts) -> Seen:
        """Return the tables: no node stands for anybody."""
        return ReleaseKind.seen(self, self.tables(parts))

    def truth(self) -> str:
        """No node is anybody."""
        return say("truth.statistics")

    def guarantee(self, parts: Parts) -> dict[str, Json]:
        """Return what the procedure is stated to spend."""
        return {"epsilon": self.epsilon}

    def statement(self) -> Statement:
        return Statement(
            mechanism="private-degree-sequence",
            parameters={name: getattr(self, name) for name in self.stated},
            checked=[],
            not_checkable=[say("statement.made_so"), say("statement.run_once")],
        )
