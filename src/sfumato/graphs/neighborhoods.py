"""Neighbourhoods of one step: a node, its neighbours and the links among them, told apart up to isomorphism."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from sfumato.graphs.candidates import Classes
from sfumato.graphs.canonical import Undecided, canonical_code
from sfumato.graphs.graph import Graph
from sfumato.graphs.measures import triangle_counts
from sfumato.graphs.neighborhood_kernels import shared_neighbours
from sfumato.graphs.refinement import compact
from sfumato.graphs.refinement_kernels import equal_rows, row_hashes
from sfumato.kernels.arrays import Codes, Ints

__all__ = ["counts_classes", "neighborhood_classes", "neighborhood_code"]


def counts_classes(graph: Graph, *, use_labels: bool = True) -> Classes:
    """Return the classes of nodes with as many neighbours and as many links among these (de Jong et al. 2023)."""
    links = triangle_counts(graph)
    own = graph.label_codes.astype(np.int64) if use_labels else np.zeros(len(graph), np.int64)
    key = (graph.degrees * (int(links.max(initial=0)) + 1) + links) * len(graph.label_names) + own
    return Classes(compact(key))


def neighborhood_classes(graph: Graph) -> Classes:
    """Return the classes of nodes whose 1-neighbourhoods are isomorphic, centres and labels kept (Zhou and Pei 2008).

    What can be counted (how many neighbours each neighbour shares with the centre, by label) settles most nodes; only those
    that agree in it are compared by their codes, unless no neighbours are linked, or without labels each with one other at
    most: then the counts tell everything. One that cannot be decided within bounds counts as alone.
    """
    shared = shared_neighbours(graph.starts, graph.targets)
    first = _counted(graph, shared)
    found = first.astype(np.int64) * 2
    sizes = np.bincount(first) if len(first) else np.empty(0, np.int64)
    codes: dict[tuple[int, object], int] = {}
    most = np.zeros(len(graph), np.int32)
    np.maximum.at(most, graph.owners, shared)
    open_ = most > (0 if graph.label else 1)
    for node in np.flatnonzero((sizes[first] > 1) & open_).tolist() if len(first) else []:
        try:
            code: object = neighborhood_code(graph, node)
        except Undecided:
            code = node
        found[node] = codes.setdefault((int(first[node]), code), 2 * len(sizes) + len(codes))
    return Classes(compact(found))


def neighborhood_code(graph: Graph, node: int) -> tuple[object, ...]:
    """Return the code of a node's 1-neighbourhood: the parts it falls into without its centre, each by its own code."""
    near = sorted(graph.neighbours(node).tolist())
    place = {other: at for at, other in enumerate(near)}
    inside = [frozenset(place[one] for one in graph.adjacency[other] if one in place) for other in near]
    codes, left = [], set(range(len(near)))
    while left:
        part = _reached(inside, min(left))
        left -= part
        order = sorted(part)
        number = {at: here for here, at in enumerate(order)}
        shown = [frozenset(number[one] for one in inside[at]) for at in order]
        codes.append(_part_code(tuple(shown), tuple(int(graph.label_codes[near[at]]) for at in order)))
    return int(graph.label_codes[node]), tuple(sorted(codes, key=repr))


@lru_cache(maxsize=1 << 16)  # many neighbourhoods have the same small parts
def _part_code(near: tuple[frozenset[int], ...], labels: tuple[int, ...]) -> tuple[object, ...]:
    return canonical_code(near, labels)


def _reached(inside: list[frozenset[int]], first: int) -> set[int]:
    found, open_ = {first}, [first]
    while open_:
        more = inside[open_.pop()] - found
        found |= more
        open_ += more
    return found


def _counted(graph: Graph, shared: Codes) -> Codes:
    values: Ints = shared.astype(np.int64) * len(graph.label_names) + graph.label_codes[graph.targets]
    order = np.lexsort((values, graph.owners))
    rows = compact(values)[order] if len(values) else np.empty(0, np.int32)
    hashes = row_hashes(graph.starts, rows, graph.label_codes)
    return compact(equal_rows(np.argsort(hashes), hashes, graph.starts, rows, graph.label_codes))
