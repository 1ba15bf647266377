"""Supergraph generation: links are added, or also removed, until every degree is that of k nodes."""

from __future__ import annotations

from math import ceil, floor
from typing import ClassVar

import numpy as np

from sfumato.contracts.algorithm import Outcome, Search, SearchTraits
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.errors import Infeasible
from sfumato.graphs.algorithms._degree_edits import given_degrees, with_dummies
from sfumato.graphs.built import GraphFacts, built_graph, edits_between
from sfumato.graphs.degree_sequences import Sequenced, nearest_sequence
from sfumato.graphs.graph import Graph
from sfumato.graphs.refinement import structures
from sfumato.graphs.task import GraphTask
from sfumato.kernels.arrays import Ints

__all__ = ["SupergraphGeneration"]

_SHARES = (0.001, 0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.5, 0.7, 0.9)


class SupergraphGeneration(Search[GraphTask]):
    """Choose the nearest degrees that occur k times each, then add links (or add and remove them) to get there.

    Step 1 finds degrees d' with the smallest ``L1 = sum |d' - d|`` (see ``degree-sequence-dp``). Step 2 joins nodes that lack
    links, those that lack most first. The greedy step of the paper ends there and often fails, because hubs need more new
    neighbours than others need links; here open ends go to nodes of common degrees, which are raised by one, as many at a time
    as leave every degree with k nodes. Where that does not do, the smallest degree is raised and all is tried again, and in the
    end all nodes are linked with each other. No way of changing links takes fewer than ``L1 / 2`` edits.

    With a ``tolerated`` share in the requirement, the nodes that would cost most (hubs) keep their degrees. With
    ``limits.lose_at_most`` too many edits are refused, and it is said how far those that are allowed would go.

    ``supergraph`` only adds links, so that every link of the original is published. ``edit`` also removes and moves some, and
    aims at medians. ``dummies`` adds nodes that nobody stands behind.

    Examples
    --------
    >>> from sfumato.graphs.models import KDegreeAnonymity
    >>> graph = Graph.of([("a", "b"), ("a", "c"), ("a", "d"), ("c", "d"), ("d", "e")])
    >>> outcome = SupergraphGeneration().run(GraphTask(graph, [KDegreeAnonymity(k=2)]), Run())
    >>> outcome.facts.added, outcome.facts.bound
    (1, 1)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 15.3.3.
    Liu, Terzi, "Towards identity anonymization on graphs", 2008, doi:10.1145/1376616.1376629.
    """

    id: ClassVar[str] = "supergraph-generation"
    traits: ClassVar[SearchTraits] = SearchTraits(
        release="edited-graph",
        optimal=False,
        deterministic=True,
        truthful=False,
        anytime=False,
        cost="nodes x k, and links of nodes that lack some",
    )

    mode: str = param(
        default="supergraph",
        choices=("supergraph", "edit", "dummies"),
        doc="supergraph only adds links, edit also removes some, dummies adds nodes",
    )
    max_tries: int = param(default=50, ge=1, doc="how often the smallest degree is raised before all nodes are linked")

    def run(self, task: GraphTask, run: Run) -> Outcome:
        k = task.largest("k", self.id, ("k-degree-anonymity",))
        graph = self.anonymized(task.graph, k, run, task.tolerated)
        edits, most = sum(edits_between(task.graph, graph)), task.edits
        if most is not None and edits > most:
            self._refuse(task, k, edits, most, run)
        bound = (self.sequence(task.graph, k).cost + 1) // 2
        known = self.mode != "dummies" and not task.tolerated
        facts = GraphFacts.of(task.graph, graph, bound=bound if known else None)
        return Outcome(built=built_graph(graph, run.rng), facts=facts)

    def sequence(self, graph: Graph, k: int) -> Sequenced:
        """Return the degrees that are aimed at."""
        return nearest_sequence(graph.degrees, k, "both" if self.mode == "edit" else "increase")

    def within(self, graph: Graph, k: int, edits: int, run: Run) -> Graph:
        """Return the graph with at most so many edits, and about as few nodes as can be whose degree fewer than k have."""
        low, high = 0, len(_SHARES)  # all of them tolerated is the graph as it is
        found = graph
        while low < high:
            middle = (low + high) // 2
            made = self.anonymized(graph, k, run, _SHARES[middle])
            if sum(edits_between(graph, made)) <= edits:
                high, found = middle, made
            else:
                low = middle + 1
        return found

    def _refuse(self, task: GraphTask, k: int, edits: int, most: int, run: Run) -> None:
        """Refuse more edits than are allowed, and tell how far those go."""
        made = self.within(task.graph, k, most, run)
        unsafe, alone = _unsafe(made, k), [one.alone for one in structures(made, 3)[1:]]
        raise Infeasible(
            say(
                "graph.partial",
                count=edits,
                most=most,
                links=task.graph.links,
                unsafe=unsafe,
                k=k,
                share=ceil(1000 * unsafe / len(made)) / 1000,
                first=alone[0],
                second=alone[1],
                third=alone[2],
            ),
            measured=edits / max(task.graph.links, 1),
            bound=task.lose_at_most,
            requirement="limits.lose_at_most",
        )

    def anonymized(self, graph: Graph, k: int, run: Run, tolerated: float = 0.0) -> Graph:
        """Return the graph with k-anonymous degrees, for all nodes or all but a tolerated share of them."""
        if len(graph) < k:
            raise Infeasible(f"k={k} is larger than the number of nodes, {len(graph)}", measured=len(graph), bound=k)
        spared = floor(tolerated * len(graph) + 1e-9)
        if _unsafe(graph, k) <= spared:
            return graph
        run.stage("searching")
        aimed = _spared(graph.degrees, self.sequence(graph, k).targets, spared)
        if self.mode == "dummies":
            return with_dummies(graph, aimed, k)
        raised = graph.degrees.copy()
        for tried in range(self.max_tries):
            run.checkpoint()
            found = given_degrees(graph, aimed, k, exchange=self.mode == "edit") if aimed.max() < len(graph) else None
            if found is not None and _unsafe(found, k) <= spared:
                return found
            if self.mode == "edit" and tried == 0 and aimed.sum() % 2:
                aimed = _even(graph.degrees, aimed)  # no graph has degrees with an odd sum
                continue
            # Where medians cannot be reached, links are only added; then Probing: more on the smallest degrees.
            if tried > 1 or self.mode == "supergraph":
                raised[np.argmin(raised)] += 1
            aimed = _spared(graph.degrees, nearest_sequence(raised, k).targets, spared)
        return graph.with_edges(_all_pairs(len(graph)))


def _unsafe(graph: Graph, k: int) -> int:
    """Return how many nodes have a degree that fewer than k have."""
    sizes = np.bincount(graph.degrees)
    return int(sizes[sizes < k].sum())


def _spared(degrees: Ints, targets: Ints, count: int) -> Ints:
    """Return targets in which so many nodes at most keep their degree: whole groups, those that cost most per node first."""
    _, group, sizes = np.unique(targets, return_inverse=True, return_counts=True)
    cost = np.bincount(group, np.abs(targets - degrees)) / sizes
    order = np.argsort(-cost, kind="stable")
    chosen = order[np.cumsum(sizes[order]) <= count]
    return np.where(np.isin(group, chosen), degrees, targets)


def _even(degrees: Ints, targets: Ints) -> Ints:
    """Return targets with an even sum: one group with an odd number of nodes moves by one, that where it costs least."""
    values, group, sizes = np.unique(targets, return_inverse=True, return_counts=True)
    costs = {
        (int(np.abs(targets[group == at] + step - degrees[group == at]).sum()), at, step)
        for at in np.flatnonzero(sizes % 2).tolist()
        for step in (1, -1)
        if values[at] + step >= 0
    }
    _, at, step = min(costs)
    return np.where(group == at, targets + step, targets)


def _all_pairs(nodes: int) -> Ints:
    return np.stack(np.triu_indices(nodes, 1), axis=1).astype(np.int64)
