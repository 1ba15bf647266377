"""Edge insertion and label generalization: links are added and labels made more general until neighbourhoods are alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from sfumato.contracts.algorithm import Outcome, Search, SearchTraits
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.data.tree import Tree
from sfumato.errors import Infeasible
from sfumato.graphs.algorithms._degree_edits import Links
from sfumato.graphs.algorithms._labels import ROOT, common_label
from sfumato.graphs.built import GraphFacts, built_graph, edits_between
from sfumato.graphs.graph import Graph
from sfumato.graphs.measures import triangle_counts
from sfumato.graphs.neighborhoods import neighborhood_classes
from sfumato.graphs.refinement import structures
from sfumato.graphs.task import GraphTask

__all__ = ["EdgeInsertionLabelGeneralization", "Protected"]


@dataclass(frozen=True, eq=False)
class Protected:
    """A graph on the way to k-neighbourhood anonymity: how many links were added, and how many nodes are not safe yet."""

    graph: Graph
    added: int
    unsafe: int


_SMALL = 50
"""Up to so many nodes whatever helps is done; a larger graph with twice its links is not worth publishing."""


class EdgeInsertionLabelGeneralization(Search[GraphTask]):
    """Make the neighbourhoods of k nodes alike by adding links and generalizing labels, group by group.

    The unsafe node with the largest neighbourhood is taken with the k - 1 unsafe nodes whose neighbourhoods are most like it
    (all the rest if fewer than 2k are left). Their neighbours are put in the same order, by label and by links with the others;
    whoever has fewer is linked with unsafe nodes of smallest degree; a link between two places that one of them has, all get;
    labels in one place become their lowest common ancestor. What was safe and is touched is looked at again. Links are only
    added, so that it ends, in the complete graph with one label at the latest. With ``limits.lose_at_most`` it is refused when
    more links would be needed, and said how many nodes were still unsafe; so is a graph of more than 50 nodes that would get
    more links than it has.

    Examples
    --------
    >>> from sfumato.graphs.models import KNeighborhoodAnonymity
    >>> graph = Graph.of([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("d", "e")])
    >>> made = EdgeInsertionLabelGeneralization().protect(graph, 2, None, Run())
    >>> made.unsafe, KNeighborhoodAnonymity(k=2).judge(made.graph).satisfied
    (0, True)

    References
    ----------
    Zhou, Pei, "Preserving privacy in social networks against neighborhood attacks", 2008, doi:10.1109/ICDE.2008.4497459.
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, sections 15.2.1 and 15.3.1.
    """

    id: ClassVar[str] = "edge-insertion-label-generalization"
    traits: ClassVar[SearchTraits] = SearchTraits(
        release="edited-graph",
        optimal=False,
        deterministic=True,
        truthful=False,
        anytime=False,
        cost="groups x (neighbourhoods + links added)",
    )

    patience: int = param(default=200, ge=1, doc="rounds after which all nodes are linked with each other")

    def run(self, task: GraphTask, run: Run) -> Outcome:
        k = task.largest("k", self.id, ("k-neighborhood-anonymity", "k-degree-anonymity"))
        worth = len(task.graph.edges) if len(task.graph) > _SMALL else None
        bounds = [one for one in (task.edits, worth) if one is not None]
        found = self.protect(task.graph, k, min(bounds, default=None), run)
        if found.unsafe > task.tolerated * len(task.graph):
            alone = [one.alone for one in structures(found.graph, 3)[1:]]
            raise Infeasible(
                say(
                    "graph.not_worth",
                    added=found.added,
                    unsafe=found.unsafe,
                    nodes=len(task.graph),
                    first=alone[0],
                    second=alone[1],
                    third=alone[2],
                ),
                measured=found.unsafe / len(task.graph),
                bound=task.lose_at_most,
                requirement="limits.lose_at_most",
            )
        task.refuse_edits(found.added)
        return Outcome(built=built_graph(found.graph, run.rng), facts=GraphFacts.of(task.graph, found.graph))

    def protect(self, graph: Graph, k: int, budget: int | None, run: Run) -> Protected:
        """Return how far a number of added links goes; without a bound, until every node is safe."""
        if len(graph) < k:
            raise Infeasible(f"k={k} is larger than the number of nodes, {len(graph)}", measured=len(graph), bound=k)
        run.stage("searching")
        made = graph
        for _ in range(self.patience):
            classes = neighborhood_classes(made)
            unsafe = np.flatnonzero(classes.sizes < k).tolist()
            added = edits_between(graph, made)[0]
            run.tick(len(graph) - len(unsafe))
            if not unsafe or (budget is not None and added >= budget):
                return Protected(made, added, len(unsafe))
            following = self._round(made, unsafe, k, None if budget is None else budget - added)
            if following is None:
                break
            made = following
        everybody = graph.with_edges(np.stack(np.triu_indices(len(graph), 1), axis=1).astype(np.int64))
        top = {name: (ROOT,) * len(graph) for name in graph.label}
        everybody = replace(everybody, columns={**everybody.columns, **top})
        added = edits_between(graph, everybody)[0]
        if budget is not None and added > budget:
            left = int((neighborhood_classes(made).sizes < k).sum())
            return Protected(made, edits_between(graph, made)[0], left)
        return Protected(everybody, added, 0)

    def _round(self, graph: Graph, unsafe: Sequence[int], k: int, budget: int | None) -> Graph | None:
        """Return the graph after making every unsafe node part of a group once; nothing if there was nothing to do."""
        inner = triangle_counts(graph)
        left = sorted(unsafe, key=lambda node: (-graph.degrees[node], -inner[node], node))
        # Too few unsafe nodes for a group: safe ones with the nearest neighbourhoods come along.
        if len(left) < k:
            size = graph.degrees[left[0]]
            others = sorted(
                set(range(len(graph))) - set(left), key=lambda node: (abs(graph.degrees[node] - size), node)
            )
            left += others[: k - len(left)]
        links = Links(graph)
        labels = {name: list(graph.columns[name]) for name in graph.label}
        while left:
            seed = left[0]
            if len(left) < 2 * k:
                group = left
            else:
                code = (graph.label_codes[seed], graph.degrees[seed], inner[seed])
                rest = sorted(
                    left[1:],
                    key=lambda node: (
                        graph.label_codes[node] != code[0],
                        abs(graph.degrees[node] - code[1]) * 2 + abs(inner[node] - code[2]),
                        node,
                    ),
                )
                group = [seed, *rest[: k - 1]]
            _alike(graph, group, links, labels, graph.tree)
            chosen = set(group)
            left = [node for node in left if node not in chosen]
            if budget is not None and len(links.added) >= budget:
                break
        changed = any(tuple(held) != graph.columns[name] for name, held in labels.items())
        if not links.added and not changed:
            return None
        made = graph.edited(*links.arrays())
        return replace(made, columns={**made.columns, **{name: tuple(held) for name, held in labels.items()}})


def _alike(
    graph: Graph, group: Sequence[int], links: Links, labels: dict[str, list[str | None]], tree: Tree | None
) -> None:
    """Add links and generalize labels so that the neighbourhoods of a group are alike."""

    def ordered(node: int) -> list[int]:
        near = links.near(node)
        return sorted(near, key=lambda at: (_label(labels, at), -len(links.near(at) & near), -len(links.near(at)), at))

    width = max(len(links.near(node)) for node in group)
    for node in group:
        lacking = width - len(links.near(node))
        if lacking > 0:
            free = [
                at
                for at in np.argsort(graph.degrees, kind="stable").tolist()
                if at != node and at not in links.near(node)
            ]
            outside = [at for at in free if at not in group]
            for other in (outside + [at for at in free if at in group])[:lacking]:
                links.flip(node, other)
    places = [ordered(node)[:width] for node in group]
    wanted = {
        (one, other)
        for held in places
        for one in range(len(held))
        for other in range(one + 1, len(held))
        if held[other] in links.near(held[one])
    }
    for held in places:
        for one, other in sorted(wanted):
            if other < len(held) and held[other] not in links.near(held[one]):
                links.flip(held[one], held[other])
    for texts in labels.values():
        columns = [list(group), *(list(column) for column in zip(*places, strict=False))]
        for nodes in columns:
            shown = {texts[node] for node in nodes}
            if len(shown) > 1:
                common = common_label(tree, shown)
                for node in nodes:
                    texts[node] = common


def _label(labels: dict[str, list[str | None]], node: int) -> tuple[str, ...]:
    return tuple(held[node] or "" for held in labels.values())
