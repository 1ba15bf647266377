"""Kernels of graphs say what plain code says, on random graphs."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from sfumato.graphs import Graph
from sfumato.graphs.algorithms._annealing_kernels import anneal
from sfumato.graphs.algorithms._rewiring_kernels import rewire
from sfumato.graphs.degree_sequence_kernels import cheapest_groups, join_residuals
from sfumato.graphs.measure_kernels import distances, largest_parts, parts, removal_order, spread_size, triangles
from sfumato.graphs.neighborhood_kernels import shared_neighbours
from sfumato.graphs.refinement_kernels import equal_rows, row_hashes, rows_by_colour
from sfumato.graphs.supernodes import Supernodes


def random_graph(seed: int, most: int = 14) -> Graph:
    rng = np.random.default_rng(seed)
    nodes = int(rng.integers(2, most))
    every = np.stack(np.triu_indices(nodes, 1), axis=1)
    return Graph.of_edges(nodes, every[rng.random(len(every)) < rng.random()])


GRAPHS = [random_graph(seed) for seed in range(12)]


@pytest.mark.parametrize("graph", GRAPHS, ids=repr)
def test_refinement_of_plain_code(graph: Graph) -> None:
    colours = (graph.degrees % 3).astype(np.int32)
    rows = rows_by_colour(graph.starts, graph.targets, colours, 3)
    plain = [sorted(int(colours[other]) for other in graph.adjacency[node]) for node in range(len(graph))]
    assert [rows[graph.starts[at] : graph.starts[at + 1]].tolist() for at in range(len(graph))] == plain
    own = (np.arange(len(graph)) % 2).astype(np.int32)
    hashes = row_hashes(graph.starts, rows, own)
    keys = [(int(own[at]), tuple(plain[at])) for at in range(len(graph))]
    # Also where every hash is the same, classes are right.
    for given in (hashes, np.zeros(len(graph), np.int64)):
        found = equal_rows(np.argsort(given), given, graph.starts, rows, own)
        for one, other in itertools.combinations(range(len(graph)), 2):
            assert (found[one] == found[other]) == (keys[one] == keys[other])


@pytest.mark.parametrize("graph", GRAPHS, ids=repr)
def test_measures_of_plain_code(graph: Graph) -> None:
    near = graph.adjacency
    triples = list(itertools.combinations(range(len(graph)), 3))
    closed = [one for one in triples if all(b in near[a] for a, b in itertools.combinations(one, 2))]
    assert triangles(graph.starts, graph.targets).tolist() == [
        sum(node in one for one in closed) for node in range(len(graph))
    ]
    shared = [len(near[one] & near[other]) for one in range(len(graph)) for other in sorted(near[one])]
    assert shared_neighbours(graph.starts, graph.targets).tolist() == shared
    away = {0: 0}
    for node in (queue := [0]):
        for other in sorted(near[node]):
            if other not in away:
                away[other] = away[node] + 1
                queue.append(other)
    assert distances(graph.starts, graph.targets, 0, -1).tolist() == [away.get(at, -1) for at in range(len(graph))]
    first = [min(_reached(near, set(range(len(graph))), at)) for at in range(len(graph))]
    assert parts(graph.starts, graph.targets).tolist() == first
    left, order, sizes = set(range(len(graph))), [], []
    while left:
        sizes.append(max(len(_reached(near, left, at)) for at in left))
        order.append(max(left, key=lambda at: (len(near[at] & left), -at)))
        left.discard(order[-1])
    assert removal_order(graph.starts, graph.targets).tolist() == order
    assert largest_parts(graph.starts, graph.targets, np.array(order)).tolist() == sizes
    caught = np.zeros(len(graph), np.bool_)
    draws = np.zeros(len(graph.targets))
    assert spread_size(graph.starts, graph.targets, 0, draws, 0.5, caught) == len(away)
    assert set(np.flatnonzero(caught).tolist()) == set(away)
    assert spread_size(graph.starts, graph.targets, 0, draws + 0.9, 0.5, np.zeros(len(graph), np.bool_)) == 1


def _reached(near: list[frozenset[int]], inside: set[int], first: int) -> set[int]:
    found, open_ = {first}, [first]
    while open_:
        more = (near[open_.pop()] & inside) - found
        found |= more
        open_ += more
    return found


@pytest.mark.parametrize("seed", range(40))
def test_degree_groups_of_exhaustive_partitioning(seed: int) -> None:
    rng = np.random.default_rng(seed)
    degrees = -np.sort(-rng.integers(0, 9, int(rng.integers(2, 11))))
    k = int(rng.integers(1, len(degrees) + 1))
    for both in (False, True):
        best = min(
            sum(_cost(degrees[first:last], both) for first, last in itertools.pairwise((0, *cuts, len(degrees))))
            for count in range(len(degrees) // k)
            for cuts in itertools.combinations(range(1, len(degrees)), count)
            if all(last - first >= k for first, last in itertools.pairwise((0, *cuts, len(degrees))))
        )
        assert cheapest_groups(degrees, k, both)[0][-1] == best


def _cost(group: np.ndarray, both: bool) -> int:
    aims = range(int(group.min()), int(group.max()) + 1) if both else [int(group.max())]
    return min(int(np.abs(group - aim).sum()) for aim in aims)


@pytest.mark.parametrize("graph", GRAPHS, ids=repr)
def test_residuals_of_the_plain_walk(graph: Graph) -> None:
    lack = np.random.default_rng(len(graph)).integers(0, 4, len(graph))
    made, left = join_residuals(graph.starts, graph.targets, lack)
    near = [set(held) for held in graph.adjacency]
    open_, plain, rest = lack.copy(), [], np.zeros(len(graph), np.int64)
    while (open_ > 0).any():
        order = sorted(np.flatnonzero(open_ > 0).tolist(), key=lambda at: (-open_[at], at))
        node = order[0]
        for other in order[1:]:
            if open_[node] and other not in near[node]:
                plain.append((node, other))
                near[node].add(other)
                near[other].add(node)
                open_[[node, other]] -= 1
        rest[node], open_[node] = open_[node], 0
    assert [tuple(pair) for pair in made.tolist()] == plain
    assert left.tolist() == rest.tolist()


@pytest.mark.parametrize("graph", GRAPHS, ids=repr)
def test_rewiring_keeps_degrees_and_follows_the_plain_walk(graph: Graph) -> None:
    rng = np.random.default_rng(3)
    drawn = rng.integers(0, max(graph.links, 1), (200 if graph.links else 0, 2))
    turned = rng.random(len(drawn)) < 0.5
    found = rewire(len(graph), graph.edges, drawn, turned)
    links = [tuple(pair) for pair in graph.edges.tolist()]
    for (first, second), turn in zip(drawn.tolist(), turned.tolist(), strict=True):
        (a, b), (c, d) = links[first], links[second][::-1] if turn else links[second]
        new = [tuple(sorted((a, d))), tuple(sorted((c, b)))]
        if first != second and len({a, b, c, d}) == 4 and not set(new) & set(links):
            links[first], links[second] = new
    assert [tuple(pair) for pair in found.tolist()] == links
    assert graph.with_edges(found).degrees.tolist() == graph.degrees.tolist()


@pytest.mark.parametrize("graph", [one for one in GRAPHS if len(one) >= 4], ids=repr)
def test_annealing_knows_what_its_partition_costs(graph: Graph) -> None:
    rng = np.random.default_rng(5)
    member, cost = anneal(graph.starts, graph.targets, np.zeros(len(graph), np.int64), 2, 500, 2.0, 0.8, 10, rng)
    _, codes = np.unique(member, return_inverse=True)
    found = Supernodes.of_members(graph, codes.astype(np.int64))
    assert found.sizes.min() >= 2
    assert np.isclose(found.log_worlds, cost)
    assert cost <= Supernodes.of_members(graph, np.zeros(len(graph), np.int64)).log_worlds + 1e-9
