"""Metrics on graphs: what they read, the graph before and after side by side."""

from __future__ import annotations

from typing import ClassVar

from sfumato.contracts.metric import ReleaseMetric
from sfumato.data.frozen import frozen
from sfumato.graphs.graph import Graph

__all__ = ["Changed", "GraphMetric"]


@frozen(eq=False)
class Changed:
    """A graph before and after, the same nodes first; nodes that were added come last."""

    before: Graph
    after: Graph


class GraphMetric(ReleaseMetric[Changed]):
    """Scores a changed graph beside the one before.

    ``of_worlds``: where only groups of nodes are published, it also says something of a graph that is drawn to fit them.
    """

    of_worlds: ClassVar[bool] = True
