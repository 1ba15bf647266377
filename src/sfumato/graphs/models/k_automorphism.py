"""k-automorphism: the graph maps onto itself in k ways that take every person somewhere else."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from sfumato.contracts.model import Verdict
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.graphs.candidates import Classes
from sfumato.graphs.canonical import automorphisms
from sfumato.graphs.class_model import ClassModel
from sfumato.graphs.graph import Copies, Graph
from sfumato.graphs.refinement import stable
from sfumato.graphs.supernodes import Supernodes
from sfumato.graphs.traits import GraphTraits

__all__ = ["KAutomorphism", "Symmetry"]

_SMALL = 12  # nodes of a graph whose automorphisms are listed
_LISTED = 20_000


@frozen
class Symmetry:
    """How many automorphisms a graph has, and the largest k for which it is k-automorphic."""

    automorphisms: int
    max_k: int


class KAutomorphism(ClassModel):
    """There are k - 1 automorphisms that, with the identity, take every node to k different nodes.

    Then no knowledge of the structure finds anybody with more than 1/k: degrees, neighbourhoods, subgraphs, all of them. A
    release says which nodes correspond to each other; that shifting them by one is an automorphism is checked in
    ``O(k |E|)``. Without that, graphs of a few nodes are decided by listing all automorphisms; of larger ones only the
    refinement of degrees is known, and where that leaves somebody alone k is 1.

    Adversary: knows everything about the structure around her victim.

    Examples
    --------
    >>> graph = Graph.of([("a", "b"), ("b", "c"), ("c", "a")])
    >>> KAutomorphism(k=3).judge(graph).satisfied, KAutomorphism(k=3).symmetry(graph)
    (True, Symmetry(automorphisms=6, max_k=3))

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 15.1.2.1.
    Zou, Chen, Özsu, "K-automorphism: a general framework for privacy preserving network publication", 2009,
    doi:10.14778/1687627.1687734.
    """

    id: ClassVar[str] = "k-automorphism"
    traits: ClassVar[GraphTraits] = GraphTraits(frozenset({"record"}), "record", against="everything", labels=True)
    adversary: ClassVar[str] = say("adversary.k-automorphism")

    def classes(self, graph: Graph) -> Classes:
        """Return the classes of nodes that correspond to each other; those of refinement where nobody told."""
        if graph.copies is not None and shifts(graph, graph.copies):
            return Classes(graph.copies.row.astype(np.int32))
        return stable(graph, use_labels=bool(graph.label))[0]

    def judge(self, view: Graph | Supernodes, *, worst: int = 10) -> Verdict:
        """Judge the correspondence that is told, or all automorphisms of a small graph; what is not known is no yes."""
        if isinstance(view, Supernodes) or (view.copies is not None and shifts(view, view.copies)):
            return super().judge(view, worst=worst)
        most = self.symmetry(view).max_k if len(view) <= _SMALL else 1
        sizes = self.classes(view).counts
        return self.judged(np.minimum(sizes[sizes > 0], most), worst=worst)

    def symmetry(self, graph: Graph) -> Symmetry:
        """Return how many automorphisms a small graph has, and the largest k."""
        labels = graph.label_codes.tolist()
        found = []
        for mapping in automorphisms(graph.adjacency, labels):
            found.append(mapping)
            if len(found) > _LISTED:
                break
        deranged = [one for one in found if all(at != other for at, other in enumerate(one))]
        bound = min((len(set(orbit)) for orbit in zip(*found, strict=True)), default=0)
        return Symmetry(len(found), _largest(deranged, bound) if len(graph) else 0)


def shifts(graph: Graph, copies: Copies) -> bool:
    """Tell whether shifting every row of an arrangement by one column is an automorphism that keeps labels."""
    columns = int(copies.column.max(initial=-1)) + 1
    rows = int(copies.row.max(initial=-1)) + 1
    if rows * columns != len(graph):
        return False
    at = np.full((rows, columns), -1, np.int64)
    at[copies.row, copies.column] = np.arange(len(graph))
    if (at < 0).any():
        return False
    image = at[copies.row, (copies.column + 1) % columns]
    if not np.array_equal(graph.label_codes, graph.label_codes[image]):
        return False
    width = np.int64(max(len(graph), 1))
    moved = np.sort(image[graph.edges], axis=1)
    return np.array_equal(
        np.sort(moved[:, 0] * width + moved[:, 1]), np.sort(graph.edges[:, 0] * width + graph.edges[:, 1])
    )


def _largest(deranged: list[tuple[int, ...]], bound: int) -> int:
    """Return the largest number of mappings, the identity among them, no two of which agree anywhere."""
    best = 1

    def onward(chosen: int, left: list[tuple[int, ...]]) -> None:
        nonlocal best
        best = max(best, chosen)
        for at, one in enumerate(left):
            if best >= bound or chosen + len(left) - at <= best:
                return
            onward(
                chosen + 1, [other for other in left[at + 1 :] if all(a != b for a, b in zip(one, other, strict=True))]
            )

    onward(1, deranged)
    return best
