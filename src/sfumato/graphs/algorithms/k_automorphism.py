"""k-automorphism as an algorithm: the graph is made of k aligned copies, so that shifting them changes nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np

from sfumato.contracts.algorithm import Outcome, Search, SearchTraits
from sfumato.contracts.run import Run
from sfumato.errors import Infeasible
from sfumato.graphs.built import GraphFacts, built_graph, edits_between
from sfumato.graphs.graph import Copies, Graph
from sfumato.graphs.task import GraphTask
from sfumato.kernels.arrays import Ints

__all__ = ["KAutomorphismAlignment"]


class KAutomorphismAlignment(Search[GraphTask]):
    """Arrange the nodes in rows of k, one in each of k blocks, and add links until shifting the columns changes nothing.

    Blocks are aligned by label and degree, each node with those of the other blocks that are most like it; missing ones are
    dummies. Every link, inside a block or across, is copied to all k cyclic shifts of the columns, in both directions. Then the
    shifts are automorphisms, and no structural knowledge finds anybody with more than 1/k. Labels of a row are told only if
    they agree.

    Adversary: may know everything of the structure around her victim.

    Examples
    --------
    >>> from sfumato.graphs.models import KAutomorphism
    >>> graph = Graph.of([("a", "b"), ("b", "c"), ("c", "d")])
    >>> made = KAutomorphismAlignment().aligned(graph, 2)
    >>> made.links, KAutomorphism(k=2).judge(made).satisfied
    (3, True)

    References
    ----------
    Zou, Chen, Özsu, "K-automorphism: a general framework for privacy preserving network publication", 2009,
    doi:10.14778/1687627.1687734. An open implementation copies crossing links in one direction only; both are needed.
    """

    id: ClassVar[str] = "k-automorphism"
    traits: ClassVar[SearchTraits] = SearchTraits(
        release="edited-graph",
        optimal=False,
        deterministic=True,
        truthful=False,
        anytime=False,
        cost="k x links",
    )

    def run(self, task: GraphTask, run: Run) -> Outcome:
        known = ("k-automorphism", "k-degree-anonymity", "k-candidate-anonymity", "k-neighborhood-anonymity")
        k = task.largest("k", self.id, known)
        run.stage("searching")
        graph = self.aligned(task.graph, k)
        task.refuse_edits(sum(edits_between(task.graph, graph)))
        return Outcome(built=built_graph(graph, run.rng, k=k), facts=GraphFacts.of(task.graph, graph))

    def aligned(self, graph: Graph, k: int) -> Graph:
        """Return the k-automorphic graph: the nodes of the input first, then dummies."""
        nodes = len(graph)
        if nodes < k:
            raise Infeasible(f"k={k} is larger than the number of nodes, {nodes}", measured=nodes, bound=k)
        # Neighbours in the order of label and degree share a row, so that their links are most alike.
        order = np.lexsort((np.arange(nodes), _around(graph), graph.degrees, graph.label_codes))
        row, column = np.empty(nodes, np.int64), np.empty(nodes, np.int64)
        rows, filled = 0, 0
        for at, node in enumerate(order.tolist()):
            if filled == k or (at and graph.label_codes[node] != graph.label_codes[order[at - 1]]):
                rows, filled = rows + 1, 0
            row[node], column[node] = rows, filled
            filled += 1
        rows += 1
        held = np.full((rows, k), -1, np.int64)
        held[row, column] = np.arange(nodes)
        spare = np.argwhere(held < 0)
        held[spare[:, 0], spare[:, 1]] = nodes + np.arange(len(spare))
        rows_all = np.concatenate((row, spare[:, 0]))
        columns_all = np.concatenate((column, spare[:, 1]))
        ends = graph.edges
        shifted = [np.sort(held[rows_all[ends], (columns_all[ends] + shift) % k], axis=1) for shift in range(k)]
        edges: Ints = np.unique(np.concatenate(shifted), axis=0).reshape(-1, 2)
        made = graph.joined(len(spare), edges)
        told = {name: _filled(made.columns[name], held, columns_all, rows_all) for name in graph.label}
        return replace(made, columns={**made.columns, **told}, copies=Copies(rows_all, columns_all))


def _around(graph: Graph) -> Ints:
    """Return the sum of the degrees around each node."""
    return np.bincount(graph.owners, graph.degrees[graph.targets], len(graph)).astype(np.int64)


def _filled(texts: tuple[str | None, ...], held: Ints, column: Ints, row: Ints) -> tuple[str | None, ...]:
    """Return a label column in which dummies have the label of their row."""
    first = {int(row[at]): texts[at] for at in range(len(texts) - 1, -1, -1) if texts[at] is not None}
    return tuple(first.get(int(row[at])) if text is None else text for at, text in enumerate(texts))
