"""Nodes alone: which share of the nodes is still found by whoever knows the structure around a person."""

from __future__ import annotations

from typing import ClassVar

from sfumato.contracts.metric import Measured, MetricTraits
from sfumato.contracts.thing import param
from sfumato.graphs.metric import Changed, GraphMetric
from sfumato.graphs.refinement import structures

__all__ = ["NodesAlone"]


class NodesAlone(GraphMetric):
    """The share of published nodes that are their only candidate under ``H_1``, ``H_2``, ... (see ``structural-queries``).

    The value is that of the last round. What a requirement does not cover is told here: k-degree anonymity leaves nobody alone
    under ``H_1`` and often nearly everybody under ``H_2``.

    Examples
    --------
    >>> from sfumato.graphs import Graph
    >>> graph = Graph.of([("a", "b"), ("b", "c"), ("c", "d"), ("d", "e")])
    >>> NodesAlone().measure(Changed(graph, graph)).by_attribute
    {'H1': 0.0, 'H2': 0.2, 'H3': 0.2}

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 15.1.2.1.
    Hay, Miklau, Jensen, Towsley, Weis, "Resisting structural re-identification in anonymized social networks", 2008,
    doi:10.14778/1453856.1453873.
    """

    id: ClassVar[str] = "nodes-alone"
    traits: ClassVar[MetricTraits] = MetricTraits(better="lower", compared=True)
    of_worlds: ClassVar[bool] = False

    rounds: int = param(default=3, ge=1, doc="how far the structure around a person may be known")

    def measure(self, published: Changed) -> Measured:
        found = structures(published.after, self.rounds)[1:]
        nodes = max(len(published.after), 1)
        each = {f"H{at}": classes.alone / nodes for at, classes in enumerate(found, start=1)}
        return Measured(self.id, each[f"H{self.rounds}"], by_attribute=each, lowest=0.0, highest=1.0)
