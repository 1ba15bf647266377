"""Graphs of up to seven nodes, against brute force: isomorphism, automorphisms, candidates, neighbourhoods, possible worlds."""

from __future__ import annotations

import itertools

import networkx as nx
import numpy as np
import pytest

from sfumato.contracts.run import Run
from sfumato.graphs import Graph
from sfumato.graphs.algorithms import SupergraphGeneration
from sfumato.graphs.attacks import StructuralQueries
from sfumato.graphs.built import edits_between
from sfumato.graphs.canonical import automorphisms, canonical_code
from sfumato.graphs.degree_sequences import anonymity, fewest_edits
from sfumato.graphs.models import KAutomorphism
from sfumato.graphs.neighborhoods import neighborhood_classes
from sfumato.graphs.patterns import Pattern, matches
from sfumato.graphs.refinement import query_value, structures
from sfumato.graphs.supernodes import Supernodes


def random_graph(seed: int) -> Graph:
    rng = np.random.default_rng(seed)
    nodes = int(rng.integers(2, 8))
    every = np.stack(np.triu_indices(nodes, 1), axis=1)
    graph = Graph.of_edges(nodes, every[rng.random(len(every)) < rng.random()])
    return graph.labelled({at: "AB"[int(rng.integers(2))] for at in range(nodes)}) if seed % 2 else graph


def mappings(graph: Graph) -> list[tuple[int, ...]]:
    near, labels = graph.adjacency, graph.label_codes
    return [
        one
        for one in itertools.permutations(range(len(graph)))
        if all(labels[at] == labels[to] for at, to in enumerate(one))
        and all((one[b] in near[one[a]]) == (b in near[a]) for a, b in itertools.combinations(range(len(graph)), 2))
    ]


@pytest.mark.parametrize("seed", range(30))
def test_automorphisms_of_all_permutations(seed: int) -> None:
    graph = random_graph(seed)
    plain = mappings(graph)
    assert sorted(automorphisms(graph.adjacency, graph.label_codes.tolist())) == sorted(plain)
    found = KAutomorphism(k=1).symmetry(graph)
    assert found.automorphisms == len(plain)
    most = 1
    deranged = [one for one in plain if all(at != to for at, to in enumerate(one))]
    for count in range(1, len(graph)):
        if any(
            all(a[at] != b[at] for a, b in itertools.combinations(chosen, 2) for at in range(len(graph)))
            for chosen in itertools.islice(itertools.combinations(deranged, count), 20_000)
        ):
            most = count + 1
    assert found.max_k >= most
    if len(deranged) <= 20:
        assert found.max_k == most


@pytest.mark.parametrize("seed", range(30))
def test_codes_are_equal_iff_graphs_are_isomorphic(seed: int) -> None:
    one, other = random_graph(seed), random_graph(seed + 1000)
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(one))
    turned = one.relabelled(order)

    def code(graph: Graph) -> object:
        return canonical_code(graph.adjacency, [graph.label_of(at) for at in range(len(graph))])

    assert code(one) == code(turned)
    shown = [graph.to_networkx() for graph in (one, other)]
    alike = nx.is_isomorphic(*shown, node_match=lambda a, b: a.get("label") == b.get("label"))
    assert (code(one) == code(other)) == alike


@pytest.mark.parametrize("seed", range(30))
def test_neighbourhoods_of_networkx(seed: int) -> None:
    graph = random_graph(seed)
    whole = graph.to_networkx()
    shown = []
    for node in range(len(graph)):
        inner = whole.subgraph([node, *graph.neighbours(node).tolist()]).copy()
        for at in inner:
            inner.nodes[at]["centre"] = at == node
        shown.append(inner)
    found = neighborhood_classes(graph).codes
    for one, other in itertools.combinations(range(len(graph)), 2):
        alike = nx.is_isomorphic(shown[one], shown[other], node_match=lambda a, b: a == b)
        assert (found[one] == found[other]) == alike


@pytest.mark.parametrize("seed", range(20))
def test_structural_queries_of_nested_values(seed: int) -> None:
    graph = random_graph(seed)
    before = None
    for rounds, classes in enumerate(structures(graph, 4)):
        values = [repr(query_value(graph, at, rounds)) for at in range(len(graph))]
        for one, other in itertools.combinations(range(len(graph)), 2):
            assert (classes.codes[one] == classes.codes[other]) == (values[one] == values[other])
        if before is not None and rounds > 1:
            assert all(set(classes.of(at)) <= set(before.of(at)) for at in range(len(graph)))
        before = classes
    # Whoever can be exchanged by an automorphism is never told apart.
    stable = StructuralQueries(rounds=len(graph) + 1).candidates(graph.without_labels(), Run())
    for one in mappings(graph):
        assert all(stable.codes[at] == stable.codes[to] for at, to in enumerate(one))


@pytest.mark.parametrize("seed", range(20))
def test_patterns_of_all_injections(seed: int) -> None:
    graph, rng = random_graph(seed), np.random.default_rng(seed)
    every = list(itertools.combinations(range(4), 2))
    links = [every[at] for at in sorted(rng.choice(6, int(rng.integers(1, 5)), replace=False))]
    used = sorted({end for pair in links for end in pair})
    found = matches(graph, Pattern.of(used[0], links)).fitting.tolist()
    plain = {
        image[0]
        for image in itertools.permutations(range(len(graph)), len(used))
        if all(image[used.index(b)] in graph.adjacency[image[used.index(a)]] for a, b in links)
    }
    assert found == sorted(plain)


@pytest.mark.parametrize("seed", range(25))
def test_degrees_become_anonymous_at_nearly_the_fewest_edits(seed: int) -> None:
    graph = random_graph(2 * seed)
    if len(graph) > 6:
        return
    for k in range(2, len(graph) + 1):
        for mode in ("supergraph", "edit", "dummies"):
            search = SupergraphGeneration(mode=mode)
            made = search.anonymized(graph, k, Run())
            added, removed = edits_between(graph, made)
            assert anonymity(made.degrees) >= k
            assert (removed == 0) or mode == "edit"
            if mode != "dummies":
                fewest = len(fewest_edits(graph, k, remove=mode == "edit")[0])
                assert fewest <= added + removed
                assert added + removed >= search.sequence(graph, k).cost / 2


@pytest.mark.parametrize("seed", range(10))
def test_possible_worlds_are_counted_and_drawn(seed: int) -> None:
    graph, rng = random_graph(2 * seed), np.random.default_rng(seed)
    if len(graph) > 5:
        return
    member = np.unique(rng.integers(0, 2, len(graph)), return_inverse=True)[1].astype(np.int64)
    found = Supernodes.of_members(graph, member)
    order = np.argsort(member, kind="stable")
    every = list(itertools.combinations(range(len(graph)), 2))
    worlds = set()
    for chosen in itertools.combinations(every, graph.links):
        made = Graph.of_edges(len(graph), np.array(chosen, np.int64).reshape(-1, 2))
        if Supernodes.of_members(made, member).weights == found.weights:
            worlds.add(chosen)
    assert found.worlds == len(worlds)
    for _ in range(20):
        drawn = found.sampled(rng)
        back = np.sort(order[drawn.edges], axis=1)
        assert tuple(sorted(map(tuple, back.tolist()))) in worlds
    merged = Supernodes.of_members(graph, np.zeros(len(graph), np.int64))
    assert merged.worlds >= found.worlds
