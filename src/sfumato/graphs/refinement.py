"""Structural knowledge H_i: the degree of a node, the degrees around it, what is around those, and so on."""

from __future__ import annotations

import numpy as np

from sfumato.graphs.candidates import Classes
from sfumato.graphs.graph import Graph
from sfumato.graphs.refinement_kernels import equal_rows, row_hashes, rows_by_colour
from sfumato.kernels.arrays import Codes

__all__ = ["compact", "query_value", "refined", "stable", "structure", "structures"]


def structures(graph: Graph, rounds: int, *, use_labels: bool = False) -> list[Classes]:
    """Return the classes of equal ``H_0 ... H_rounds`` (Fung et al. 2010, section 15.1.2.1; Hay et al. 2008).

    ``H_0(x)`` is the label of x, ``H_1(x)`` its degree, and ``H_i(x)`` the multiset of ``H_{i-1}`` over its neighbours. With
    ``use_labels`` every round also tells nodes apart by their own label. A class gets a number in each round, so that no
    multiset of multisets is ever built; classes are exact.
    """
    own = graph.label_codes
    nothing = np.zeros(len(graph), np.int32)
    found = [Classes(own)]
    colours: Codes = graph.degrees.astype(np.int32)
    for at in range(1, rounds + 1):
        if at > 1:
            finer = refined(graph, colours, own if use_labels else nothing)
            if finer.max(initial=-1) == found[-1].codes.max(initial=-1):  # no further round splits a class
                return found + [found[-1]] * (rounds + 1 - at)
            colours = finer
        elif use_labels:
            colours = compact(colours.astype(np.int64) * len(graph.label_names) + own)
        found.append(Classes(compact(colours)))
    return found


def structure(graph: Graph, rounds: int, *, use_labels: bool = False) -> Classes:
    """Return the classes of equal ``H_rounds``; after as many rounds as there are nodes none is split any more."""
    return structures(graph, min(rounds, len(graph) + 1), use_labels=use_labels)[-1]


def stable(graph: Graph, *, use_labels: bool = False) -> tuple[Classes, int]:
    """Return the classes that no further round splits, and after how many rounds."""
    colours = structure(graph, 1, use_labels=use_labels).codes
    own = graph.label_codes if use_labels else np.zeros(len(graph), np.int32)
    rounds = 1
    while True:
        finer = refined(graph, colours, own)
        if finer.max(initial=-1) == colours.max(initial=-1):
            return Classes(colours), rounds
        colours, rounds = finer, rounds + 1


def refined(graph: Graph, colours: Codes, own: Codes) -> Codes:
    """Return the classes of nodes whose neighbours have the same colours equally often, and whose own codes are equal."""
    rows = rows_by_colour(graph.starts, graph.targets, colours, int(colours.max(initial=-1)) + 1)
    hashes = row_hashes(graph.starts, rows, own)
    return compact(equal_rows(np.argsort(hashes), hashes, graph.starts, rows, own))


def compact(codes: Codes | np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> Codes:
    """Return codes numbered from 0 without gaps, in the order of the given ones."""
    if not len(codes):
        return np.empty(0, np.int32)
    if int(codes.max()) < 4 * len(codes) + 1024:
        there = np.bincount(codes) > 0
        return (np.cumsum(there) - 1)[codes].astype(np.int32)
    return np.unique(codes, return_inverse=True)[1].astype(np.int32)


def query_value(graph: Graph, node: int, round_: int) -> object:
    """Return the value of ``H_round`` of a node itself: its label, its degree, or the sorted values of its neighbours."""
    if round_ == 0:
        return graph.label_of(node)
    if round_ == 1:
        return int(graph.degrees[node])
    return sorted((query_value(graph, other, round_ - 1) for other in graph.neighbours(node).tolist()), key=repr)
