"""Supergraph generation: links are added, or also removed, until every degree is that of k nodes."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from sfumato.contracts.algorithm import Outcome, Search, SearchTraits
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.errors import Infeasible
from sfumato.graphs.algorithms._degree_edits import given_degrees, with_dummies
from sfumato.graphs.built import GraphFacts, built_graph, edits_between
from sfumato.graphs.degree_sequences import Sequenced, anonymity, nearest_sequence
from sfumato.graphs.graph import Graph
from sfumato.graphs.task import GraphTask
from sfumato.kernels.arrays import Ints

__all__ = ["SupergraphGeneration"]


class SupergraphGeneration(Search[GraphTask]):
    """Choose the nearest degrees that occur k times each, then add links (or add and remove them) to get there.

    Step 1 finds degrees d' with the smallest ``L1 = sum |d' - d|`` (see ``degree-sequence-dp``). Step 2 joins nodes that lack
    links, those that lack most first. The greedy step of the paper ends there and often fails, because hubs need more new
    neighbours than others need links; here open ends go to nodes of common degrees, which are raised by one, as many at a time
    as leave every degree with k nodes. Where that does not do, the smallest degree is raised and all is tried again, and in the
    end all nodes are linked with each other. No way of changing links takes fewer than ``L1 / 2`` edits.

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
        graph = self.anonymized(task.graph, k, run)
        task.refuse_edits(sum(edits_between(task.graph, graph)))
        bound = (self.sequence(task.graph, k).cost + 1) // 2
        facts = GraphFacts.of(task.graph, graph, bound=None if self.mode == "dummies" else bound)
        return Outcome(built=built_graph(graph, run.rng), facts=facts)

    def sequence(self, graph: Graph, k: int) -> Sequenced:
        """Return the degrees that are aimed at."""
        return nearest_sequence(graph.degrees, k, "both" if self.mode == "edit" else "increase")

    def anonymized(self, graph: Graph, k: int, run: Run) -> Graph:
        """Return the graph with k-anonymous degrees."""
        if len(graph) < k:
            raise Infeasible(f"k={k} is larger than the number of nodes, {len(graph)}", measured=len(graph), bound=k)
        if anonymity(graph.degrees) >= k:
            return graph
        run.stage("searching")
        aimed = self.sequence(graph, k).targets
        if self.mode == "dummies":
            return with_dummies(graph, aimed, k)
        raised = graph.degrees.copy()
        for tried in range(self.max_tries):
            run.checkpoint()
            found = given_degrees(graph, aimed, k) if aimed.max() < len(graph) else None
            if found is not None and anonymity(found.degrees) >= k:
                return found
            # Where medians cannot be reached, links are only added; then Probing: more on the smallest degrees.
            if tried or self.mode == "supergraph":
                raised[np.argmin(raised)] += 1
            aimed = nearest_sequence(raised, k).targets
        return graph.with_edges(_all_pairs(len(graph)))


def _all_pairs(nodes: int) -> Ints:
    return np.stack(np.triu_indices(nodes, 1), axis=1).astype(np.int64)
