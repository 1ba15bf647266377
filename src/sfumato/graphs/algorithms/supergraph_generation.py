"""Supergraph generation: links are added, or also removed, until every degree is that of k nodes."""

from __future__ import annotations

from math import ceil, floor
from typing import ClassVar

import numpy as np

from sfumato.contracts.algorithm import Outcome, Search, SearchTraits
from sfumato.contracts.run import Run
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.errors import Infeasible, Unsupported
from sfumato.graphs.algorithms._degree_edits import given_degrees, with_dummies
from sfumato.graphs.algorithms._labels import large_labels
from sfumato.graphs.built import GraphFacts, built_graph, edits_between
from sfumato.graphs.degree_sequences import Direction, Sequenced, nearest_sequence
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

    Where ``k-candidate-anonymity`` says that labels are known too (``rounds: 1, use_labels: true``), rare labels are made more
    general first, and k nodes get each label and degree together.

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
        k = task.largest("k", self.id, ("k-degree-anonymity", "k-candidate-anonymity"))
        further = next((one for one in task.models if getattr(one, "rounds", 1) > 1), None)
        if further is not None:
            raise Unsupported(f"{self.id} knows degrees and labels: {further.id} with rounds 0 or 1", thing=further.id)
        labelled = bool(task.graph.label) and any(
            getattr(one, "use_labels", False) or getattr(one, "rounds", 1) == 0 for one in task.models
        )
        begun = large_labels(task.graph, k) if labelled else task.graph
        labels = begun.label_codes.astype(np.int64) if labelled else None
        graph = self.anonymized(begun, k, run, task.tolerated, labels=labels)
        edits, most = sum(edits_between(task.graph, graph)), task.edits
        if most is not None and edits > most:
            self._refuse(task, begun, k, edits, most, run, labels)
        bound = (self.sequence(task.graph, k).cost + 1) // 2
        known = self.mode != "dummies" and not task.tolerated
        facts = GraphFacts.of(task.graph, graph, bound=bound if known else None)
        return Outcome(built=built_graph(graph, run.rng, k=k), facts=facts)

    def sequence(self, graph: Graph, k: int) -> Sequenced:
        """Return the degrees that are aimed at where nobody knows labels."""
        return nearest_sequence(graph.degrees, k, "both" if self.mode == "edit" else "increase")

    def _aimed(self, graph: Graph, degrees: Ints, k: int, labels: Ints | None, spared: int, *, rising: bool) -> Ints:
        """Return the degrees that are aimed at, label by label; whoever is spared keeps the own one."""
        direction: Direction = "increase" if rising else "both"
        if labels is None:
            return _spared(graph.degrees, nearest_sequence(degrees, k, direction).targets, spared)
        out = np.empty(len(degrees), np.int64)
        for label in np.unique(labels):
            own = labels == label
            out[own] = nearest_sequence(degrees[own], k, direction).targets
        return _spared(graph.degrees, out, spared, labels)

    def within(self, graph: Graph, k: int, edits: int, run: Run, labels: Ints | None = None) -> Graph:
        """Return the graph with at most so many edits, and about as few nodes as can be whose degree fewer than k have."""
        low, high = 0, len(_SHARES)  # all of them tolerated is the graph as it is
        found = graph
        while low < high:
            middle = (low + high) // 2
            made = self.anonymized(graph, k, run, _SHARES[middle], labels=labels)
            if sum(edits_between(graph, made)) <= edits:
                high, found = middle, made
            else:
                low = middle + 1
        return found

    def _refuse(
        self, task: GraphTask, begun: Graph, k: int, edits: int, most: int, run: Run, labels: Ints | None
    ) -> None:
        """Refuse more edits than are allowed, and tell how far those go."""
        made = self.within(begun, k, most, run, labels)
        unsafe, alone = _unsafe(made, k, labels), [one.alone for one in structures(made, 3)[1:]]
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

    def anonymized(
        self, graph: Graph, k: int, run: Run, tolerated: float = 0.0, *, labels: Ints | None = None
    ) -> Graph:
        """Return the graph with k-anonymous degrees, for all nodes or all but a tolerated share of them.

        With ``labels``, of which each must be that of k nodes, k nodes have each label and degree together.
        """
        if len(graph) < k:
            raise Infeasible(f"k={k} is larger than the number of nodes, {len(graph)}", measured=len(graph), bound=k)
        spared = floor(tolerated * len(graph) + 1e-9)
        if _unsafe(graph, k, labels) <= spared:
            return graph
        run.stage("searching")
        aimed = self._aimed(graph, graph.degrees, k, labels, spared, rising=self.mode != "edit")
        if self.mode == "dummies":
            return with_dummies(graph, aimed, k)
        raised = graph.degrees.copy()
        for tried in range(self.max_tries):
            run.checkpoint()
            found = None
            if aimed.max() < len(graph):
                found = given_degrees(graph, aimed, k, exchange=self.mode == "edit", labels=labels)
            if found is not None and _unsafe(found, k, labels) <= spared:
                return found
            if self.mode == "edit" and tried == 0 and aimed.sum() % 2:
                aimed = _even(graph.degrees, aimed, labels)  # no graph has degrees with an odd sum
                continue
            # Where medians cannot be reached, links are only added; then Probing: more on the smallest degrees.
            if tried > 1 or self.mode == "supergraph":
                raised[np.argmin(raised)] += 1
            aimed = self._aimed(graph, raised, k, labels, spared, rising=True)
        return graph.with_edges(_all_pairs(len(graph)))


def _unsafe(graph: Graph, k: int, labels: Ints | None = None) -> int:
    """Return how many nodes have a degree (and label) that fewer than k have; nodes that were added have labels later."""
    keys = graph.degrees if labels is None else graph.degrees[: len(labels)] * (labels.max() + 1) + labels
    sizes = np.unique(keys, return_counts=True)[1]
    return int(sizes[sizes < k].sum())


def _groups(targets: Ints, labels: Ints | None) -> tuple[Ints, Ints]:
    """Return the group of each node, by target and label, and how many nodes each has."""
    keys = targets if labels is None else targets * (labels.max() + 1) + labels
    return np.unique(keys, return_inverse=True, return_counts=True)[1:]


def _spared(degrees: Ints, targets: Ints, count: int, labels: Ints | None = None) -> Ints:
    """Return targets in which so many nodes at most keep their degree: whole groups, those that cost most per node first."""
    group, sizes = _groups(targets, labels)
    cost = np.bincount(group, np.abs(targets - degrees)) / sizes
    order = np.argsort(-cost, kind="stable")
    chosen = order[np.cumsum(sizes[order]) <= count]
    return np.where(np.isin(group, chosen), degrees, targets)


def _even(degrees: Ints, targets: Ints, labels: Ints | None) -> Ints:
    """Return targets with an even sum: one group with an odd number of nodes moves by one, that where it costs least."""
    group, sizes = _groups(targets, labels)
    costs = {
        (int(np.abs(targets[group == at] + step - degrees[group == at]).sum()), at, step)
        for at in np.flatnonzero(sizes % 2).tolist()
        for step in (1, -1)
        if targets[group == at][0] + step >= 0
    }
    _, at, step = min(costs)
    return np.where(group == at, targets + step, targets)


def _all_pairs(nodes: int) -> Ints:
    return np.stack(np.triu_indices(nodes, 1), axis=1).astype(np.int64)
