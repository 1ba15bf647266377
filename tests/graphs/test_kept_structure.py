"""What is left of a graph: communities, centralities and spectrum, beside networkx and plain code."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from sfumato.datasets import communities as planted
from sfumato.graphs import Graph
from sfumato.graphs.algorithms import DegreePreservingRewiring
from sfumato.graphs.measures import label_distances, nearest_label
from sfumato.graphs.metric import Changed
from sfumato.graphs.metrics import CentralityOverlap, CommunitySimilarity, GraphUtilityMeasures, SpectrumShift
from sfumato.graphs.metrics._centralities import betweenness, leading, page_rank
from sfumato.graphs.metrics._centrality_kernels import paths_through
from sfumato.graphs.metrics._communities import communities, modularity, normalised_mutual_information
from sfumato.graphs.metrics._community_kernels import moved_members


def _drawn(seed: int) -> Graph:
    rng = np.random.default_rng(seed)
    every = np.stack(np.triu_indices(int(rng.integers(2, 14)), 1), axis=1)
    return Graph.of_edges(int(every.max()) + 1, every[rng.random(len(every)) < rng.random()])


GRAPHS = [_drawn(seed) for seed in range(12)]
METRICS = [CentralityOverlap(), CommunitySimilarity(), GraphUtilityMeasures(), SpectrumShift()]


@pytest.mark.parametrize("graph", GRAPHS, ids=repr)
def test_centralities_of_networkx(graph: Graph) -> None:
    other = graph.to_networkx()
    through = nx.betweenness_centrality(other, normalized=False)
    assert np.allclose(paths_through(graph.starts, graph.targets, np.arange(len(graph))) / 2, list(through.values()))
    assert np.allclose(betweenness(graph, np.array([0])) <= betweenness(graph) + 1e-9, True)
    assert np.allclose(page_rank(graph), list(nx.pagerank(other, tol=1e-10, max_iter=1000).values()), atol=1e-6)


@pytest.mark.parametrize("graph", GRAPHS, ids=repr)
def test_no_node_gains_by_moving(graph: Graph) -> None:
    if not graph.links:
        return
    moved = moved_members(graph.starts, graph.targets, np.ones(len(graph.targets)), np.zeros(len(graph)), 100)
    best = modularity(graph, moved)
    sets = [set(np.flatnonzero(moved == one).tolist()) for one in np.unique(moved)]
    assert best == pytest.approx(nx.community.modularity(_of(graph), sets))
    for node in range(len(graph)):
        for there in {int(moved[other]) for other in graph.adjacency[node]}:
            tried = moved.copy()
            tried[node] = there
            assert modularity(graph, tried) <= best + 1e-9
    assert modularity(graph, communities(graph)) >= best - 1e-9


def _of(graph: Graph) -> nx.Graph[int]:
    made: nx.Graph[int] = nx.Graph()
    made.add_nodes_from(range(len(graph)))
    made.add_edges_from(graph.edges.tolist())
    return made


def test_planted_communities_are_found_and_lost() -> None:
    links, group = planted(200, 4, 10.0, 1.0)
    graph = Graph.of_edges(200, links)
    assert normalised_mutual_information(communities(graph), group) > 0.9
    other = DegreePreservingRewiring(share=5.0).rewired(graph, np.random.default_rng(1))
    same, changed = (CommunitySimilarity().measure(Changed(graph, one)).value for one in (graph, other))
    assert same == 1.0
    assert changed < 0.3
    assert CentralityOverlap().measure(Changed(graph, other)).by_attribute["degree"] == 1.0


def test_nothing_changes_where_nothing_was_changed() -> None:
    for graph in [Graph.of([], nodes=["a", "b"]), *GRAPHS[:4]]:
        for metric in METRICS:
            found = metric.measure(Changed(graph, graph))
            assert found.value == (1.0 if metric.traits.better == "higher" else 0.0)


def test_nearest_labels() -> None:
    graph = Graph.of([(1, 2), (2, 3), (3, 4), (5, 6)], labels={1: "x", 2: "y", 3: "y", 4: "z", 5: "x", 6: "z"})
    assert sorted(label_distances(graph, "z")) == [1, 1, 2, 3]
    assert sorted(nearest_label(graph, "x", "z").per_node) == [1, 3]  # type: ignore[type-var]
    other = graph.edit(remove=[(1, 2)])
    assert "nearest label" in GraphUtilityMeasures().measure(Changed(graph, other)).by_attribute


def test_those_equal_to_the_last_count_too() -> None:
    assert leading(np.array([3, 1, 2, 2]), 2).tolist() == [0, 2, 3]


def test_one_node_that_leaves_the_only_part_is_no_upheaval() -> None:
    ring = [(at, (at + 1) % 100) for at in range(100)]
    before = Graph.of(ring)
    after = Graph.of([pair for pair in ring if 0 not in pair], nodes=before.names)
    found = GraphUtilityMeasures(pairs=20).measure(Changed(before, after)).by_attribute
    assert 0 < found["components"] <= 0.02
    apart = Graph.of([], nodes=before.names)
    assert GraphUtilityMeasures(pairs=20).measure(Changed(before, apart)).by_attribute["components"] == 0.99
