"""What a graph is like, as analysts look at it: degrees, distances, clustering, resilience, spreading, nearest labels."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from sfumato.data.frozen import frozen
from sfumato.errors import BadRequest
from sfumato.graphs.graph import Graph, compressed
from sfumato.graphs.measure_kernels import distances, largest_parts, parts, removal_order, spread_size, triangles
from sfumato.kernels.arrays import Floats, Ints

__all__ = [
    "NearestLabel",
    "PathLengths",
    "area_distance",
    "clustering",
    "component_sizes",
    "degree_histogram",
    "infectiousness",
    "ks_distance",
    "label_distances",
    "local_clustering",
    "nearest_label",
    "path_lengths",
    "resilience",
    "total_variation",
    "transitivity",
    "triangle_counts",
]


def degree_histogram(graph: Graph) -> dict[int, int]:
    """Return how many nodes have each degree."""
    values, counts = np.unique(graph.degrees, return_counts=True)
    return dict(zip(values.tolist(), counts.tolist(), strict=True))


@frozen(eq=False)
class PathLengths:
    """Lengths of shortest paths between pairs of nodes that a path connects, and how many pairs none connects."""

    lengths: Ints
    unreachable: int

    def histogram(self) -> dict[int, int]:
        """Return how many pairs have each length."""
        values, counts = np.unique(self.lengths, return_counts=True)
        return dict(zip(values.tolist(), counts.tolist(), strict=True))


def path_lengths(graph: Graph, *, pairs: int | None = None, rng: np.random.Generator | None = None) -> PathLengths:
    """Return the lengths of shortest paths: between all pairs of nodes, or so many drawn pairs (Fung et al. 2010, 15.1.3)."""
    nodes = len(graph)
    if nodes < 2:
        return PathLengths(np.empty(0, np.int64), 0)
    if pairs is None:
        found = [distances(graph.starts, graph.targets, node, -1)[node + 1 :] for node in range(nodes - 1)]
        lengths = np.concatenate(found).astype(np.int64)
    else:
        drawn = (np.random.default_rng(0) if rng is None else rng).integers(0, [nodes, nodes - 1], (pairs, 2))
        drawn[:, 1] += drawn[:, 1] >= drawn[:, 0]  # two different nodes
        lengths = np.array(
            [distances(graph.starts, graph.targets, one, other)[other] for one, other in drawn.tolist()], np.int64
        )
    return PathLengths(lengths[lengths >= 0], int((lengths < 0).sum()))


def triangle_counts(graph: Graph) -> Ints:
    """Return in how many triangles each node is."""
    found: Ints = triangles(graph.starts, graph.targets)
    return found


def clustering(graph: Graph) -> Floats:
    """Return the share of pairs of neighbours that are linked, for each node; 0 for nodes with fewer than two."""
    rooms = graph.degrees * (graph.degrees - 1) / 2
    return np.divide(triangle_counts(graph), rooms, out=np.zeros(len(graph)), where=rooms > 0)


def local_clustering(graph: Graph) -> list[Fraction]:
    """Return the same exactly."""
    found = zip(triangle_counts(graph).tolist(), graph.degrees.tolist(), strict=True)
    return [Fraction(2 * count, degree * (degree - 1)) if degree > 1 else Fraction(0) for count, degree in found]


def transitivity(graph: Graph) -> float:
    """Return how many paths of two links are closed by a third, as a share."""
    rooms = int((graph.degrees * (graph.degrees - 1) // 2).sum())
    return int(triangle_counts(graph).sum()) / rooms if rooms else 0.0


def component_sizes(graph: Graph) -> Ints:
    """Return with how many nodes each node hangs together, itself among them."""
    held = parts(graph.starts, graph.targets)
    return np.bincount(held, minlength=len(graph)).astype(np.int64)[held] if len(graph) else np.empty(0, np.int64)


def resilience(graph: Graph, *, rng: np.random.Generator | None = None) -> list[int]:
    """Return the size of the largest part before each removal: of the highest current degree, or at random with ``rng``."""
    order = removal_order(graph.starts, graph.targets) if rng is None else rng.permutation(len(graph))
    found: list[int] = largest_parts(graph.starts, graph.targets, order).tolist()
    return found


def infectiousness(graph: Graph, beta: float, rng: np.random.Generator, *, starts: int = 50) -> Floats:
    """Return the share of nodes that catch what one has, for so many random starts; ``beta`` is the rate of transmission."""
    out = np.empty(starts)
    for at, source in enumerate(rng.integers(0, len(graph), starts).tolist()):
        caught = np.zeros(len(graph), np.bool_)
        draws = rng.random(len(graph.targets))
        out[at] = spread_size(graph.starts, graph.targets, source, draws, beta, caught) / len(graph)
    return out


@frozen
class NearestLabel:
    """Distances from the nodes of one label to the nearest other node of another; ``None`` where no path leads."""

    per_node: list[int | None]

    @property
    def unreachable(self) -> int:
        """How many nodes reach none."""
        return sum(one is None for one in self.per_node)

    @property
    def mean(self) -> Fraction | None:
        """The mean over nodes that reach one; nothing if there are none."""
        held = [one for one in self.per_node if one is not None]
        return Fraction(sum(held), len(held)) if held else None


def nearest_label(graph: Graph, one: str, other: str) -> NearestLabel:
    """Return how far nodes with a label are from the nearest other node with another (Zhou and Pei 2008; the book's [143])."""
    labels = [graph.label_of(node) for node in range(len(graph))]
    for asked in (one, other):
        if asked not in labels:
            raise BadRequest("no node has this label", parameter="label", value=asked, available=sorted(set(labels)))
    aims = np.array([label == other for label in labels])
    out: list[int | None] = []
    for node in (at for at, label in enumerate(labels) if label == one):
        found = distances(graph.starts, graph.targets, node, -1)
        near = found[aims & (found > 0)]
        out.append(int(near.min()) if len(near) else None)
    return NearestLabel(out)


def label_distances(graph: Graph, label: str) -> Ints:
    """Return how far every node without a label is from the nearest one with it, where a path leads there."""
    held = np.array([graph.label_of(node) == label for node in range(len(graph))], np.bool_)
    # One node more, linked with all that have the label: a single walk from it meets everybody by the nearest of these.
    spokes = np.stack((np.flatnonzero(held), np.full(int(held.sum()), len(graph))), axis=1)
    starts, targets = compressed(np.concatenate((graph.edges, spokes)), len(graph) + 1)
    away = distances(starts, targets, len(graph), -1)[:-1].astype(np.int64) - 1
    return away[~held & (away > 0)]


def ks_distance(one: Floats | Ints, other: Floats | Ints) -> float:
    """Return the largest difference of two distribution functions (Kolmogorov and Smirnov); 1 if only one is empty."""
    if not len(one) or not len(other):
        return float(len(one) != len(other))
    points = np.unique(np.concatenate((one, other)))
    shares = [np.searchsorted(np.sort(held), points, side="right") / len(held) for held in (one, other)]
    return float(np.abs(shares[0] - shares[1]).max())


def area_distance(one: Floats | Ints, other: Floats | Ints) -> float:
    """Return the area between two distribution functions: how far values must move on average (Kantorovich, Wasserstein).

    >>> near, far = np.full(300, 1.0), np.array([299 / 300] * 299 + [1 / 300])  # one of 300 nodes left the only part
    >>> round(area_distance(near, far), 3), round(ks_distance(near, far), 3)
    (0.007, 1.0)
    """
    if not len(one) or not len(other):
        return float(len(one) != len(other))
    points = np.unique(np.concatenate((one, other)))
    shares = [np.searchsorted(np.sort(held), points[:-1], side="right") / len(held) for held in (one, other)]
    return float((np.abs(shares[0] - shares[1]) * np.diff(points)).sum())


def total_variation(one: Floats | Ints, other: Floats | Ints) -> float:
    """Return half the sum of differences of two distributions over their values."""
    points = np.unique(np.concatenate((one, other)))
    shares = []
    for held in (one, other):
        at, counts = np.searchsorted(points, held), np.zeros(len(points))
        np.add.at(counts, at, 1 / max(len(held), 1))
        shares.append(counts)
    return float(np.abs(shares[0] - shares[1]).sum() / 2)
