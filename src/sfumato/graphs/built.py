"""From what a search made of a graph to what is published of it, and what is told of the way there."""

from __future__ import annotations

from dataclasses import field, replace

import numpy as np

from sfumato.contracts.built import Built
from sfumato.contracts.engine import Table
from sfumato.contracts.facts import Facts
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.data.text import to_text
from sfumato.engines import read
from sfumato.graphs.graph import Dummy, Graph
from sfumato.graphs.releases.edited_graph import EditedGraph

__all__ = ["BuiltGraph", "GraphFacts", "built_graph", "edits_between"]

_TOO_MUCH = 0.5


@frozen(eq=False)
class BuiltGraph(Built):
    """Public tables of a graph; ``masked`` is the same graph with the nodes of the input, which stays.

    ``world``: only groups of nodes are published, and ``masked`` is one of the graphs that fit them.
    """

    masked: Graph = field(kw_only=True)
    world: bool = field(default=False, kw_only=True)


def built_graph(masked: Graph, rng: np.random.Generator, k: int = 1) -> BuiltGraph:
    """Return the public tables of a changed graph: its nodes get the numbers of a random order.

    Nodes that were added are told the values of drawn persons where nothing is told of them yet, k of them the same labels: a
    gap would give them away.
    """
    order = rng.permutation(len(masked))
    masked = _dressed(masked, rng, k)
    public = masked.relabelled(order)
    kind = EditedGraph(
        labels=masked.label,
        sensitive=masked.sensitive,
        plain=tuple(name for name in masked.columns if name not in {*masked.label, *masked.sensitive}),
        copies=masked.copies is not None,
    )
    texts = [to_text(masked.names[at]) for at in order.tolist()]

    def links() -> Table:
        return read({"raw node": texts, "node": list(public.names)}, types={"raw node": "text", "node": "integer"})

    return BuiltGraph(kind, kind.parts_of(public), links, masked=masked)


def _dressed(graph: Graph, rng: np.random.Generator, k: int) -> Graph:
    added = [at for at, name in enumerate(graph.names) if isinstance(name, Dummy)]
    if not added or not graph.columns:
        return graph
    persons = len(graph) - len(added)
    alike = rng.integers(0, persons, max(len(added) // k, 1))[
        np.minimum(np.arange(len(added)) // k, len(added) // k - 1)
    ]
    single = rng.integers(0, persons, len(added))
    columns = {}
    for name, held in graph.columns.items():
        drawn = alike if name in graph.label else single
        told = [held[at] if held[at] is not None else held[one] for at, one in zip(added, drawn.tolist(), strict=True)]
        columns[name] = (*held[:persons], *told)
    return replace(graph, columns=columns)


def edits_between(before: Graph, after: Graph) -> tuple[int, int]:
    """Return how many links were added and how many removed; nodes of ``after`` begin with those of ``before``."""
    width = np.int64(max(len(before), len(after), 1))
    held, now = (graph.edges[:, 0] * width + graph.edges[:, 1] for graph in (before, after))
    both = len(np.intersect1d(held, now, assume_unique=True))
    return len(now) - both, len(held) - both


@frozen(eq=False, repr=False, kw_only=True)
class GraphFacts(Facts):
    """What was done to a graph: links and nodes before and after, links added and removed.

    ``bound`` is a number of edits that nothing of this kind can go below, where one is known.
    """

    nodes: int
    links: int
    added: int
    removed: int
    dummies: int = 0
    bound: int | None = None

    def words(self, *, chosen: bool = False) -> list[str]:
        """Say how many links were added and removed."""
        said: list[str] = [
            say("graph.edits", added=self.added, removed=self.removed, links=self.links, nodes=self.nodes)
        ]
        if self.dummies:
            said.append(say("graph.dummies", count=self.dummies))
        if self.bound is not None:
            said.append(say("graph.bound", bound=self.bound))
        changed = (self.added + self.removed) / max(self.links, 1)
        if changed > _TOO_MUCH:
            said.append(say("graph.destroyed", share=changed))
        return said

    @classmethod
    def of(cls, before: Graph, after: Graph, *, bound: int | None = None) -> GraphFacts:
        """Return the facts of a graph before and after."""
        added, removed = edits_between(before, after)
        return cls(
            nodes=len(before),
            links=before.links,
            added=added,
            removed=removed,
            dummies=len(after) - len(before),
            bound=bound,
        )
