"""Edge edits: how many links were added and removed."""

from __future__ import annotations

from typing import ClassVar

from sfumato.contracts.metric import Measured, MetricTraits
from sfumato.graphs.built import edits_between
from sfumato.graphs.metric import Changed, GraphMetric

__all__ = ["EdgeEdits"]


class EdgeEdits(GraphMetric):
    """The number of links added and removed, as a share of the links before: ``(|E' - E| + |E - E'|) / |E|``.

    Examples
    --------
    >>> from sfumato.graphs import Graph
    >>> before = Graph.of([("a", "b"), ("b", "c")])
    >>> EdgeEdits().measure(Changed(before, before.edit(add=[("a", "c")]))).value
    0.5

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 15.3.
    """

    id: ClassVar[str] = "edge-edits"
    traits: ClassVar[MetricTraits] = MetricTraits(better="lower")
    of_worlds: ClassVar[bool] = False

    def measure(self, published: Changed) -> Measured:
        added, removed = edits_between(published.before, published.after)
        links = max(published.before.links, 1)
        each = {"added": added / links, "removed": removed / links}
        return Measured(self.id, sum(each.values()), by_attribute=each, lowest=0.0, denominator=links)
