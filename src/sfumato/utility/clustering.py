"""Cluster structure: how alike the clusters of a released table are to those of the raw one.

Both tables are clustered into the same number of clusters, and the two partitions of the same records are compared by the
F-measure and by match point. Columns become coordinates in the same way before and after masking: numbers are scaled to mean 0
and variance 1, an interval is the mean of its bounds, every other value has a coordinate of its own.

References: Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 7.2; Fung, Wang, Wang, Hung,
"Privacy-preserving data publishing for cluster analysis", Data & Knowledge Engineering, 2009.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from sfumato.data.frozen import frozen
from sfumato.errors import BadRequest, Unsupported
from sfumato.kernels.arrays import Array, Floats, Ints
from sfumato.searches.clusters import bisecting_k_means, coordinates, k_means, one_hot, standardized
from sfumato.utility.features import KINDS, ColumnKind, Columns, coded, floats, listed, middle, sklearn

__all__ = [
    "CLUSTERERS",
    "FMeasure",
    "MatchPoint",
    "cluster_labels",
    "contingency",
    "f_measure",
    "f_measure_of_counts",
    "match_point",
    "match_point_of_counts",
]

Labels: TypeAlias = "Sequence[Hashable] | Array | Mapping[Any, Hashable]"


class Clusterer(Protocol):
    """Whatever gives every row of a matrix a cluster, as those of scikit-learn do."""

    def fit_predict(self, points: Floats) -> npt.ArrayLike:
        """Return the cluster of each row."""


# Agglomerative clustering keeps a distance for every pair of records.
_MOST_PAIRED = 20_000


def _agglomerative(points: Floats, weights: Ints, clusters: int, rng: np.random.Generator) -> Ints:
    if int(weights.sum()) > _MOST_PAIRED:
        raise Unsupported(
            f"agglomerative clustering compares every pair of records; {int(weights.sum()):,} are too many for it",
            thing="agglomerative",
            alternatives=["k-means", "bisecting-k-means"],
        )
    model = sklearn("cluster", "clusterer").AgglomerativeClustering(n_clusters=clusters)
    return np.asarray(_once(model, points, weights), np.int64)


#: Names of clusterers. ``bisecting-k-means`` depends least on its start; ``agglomerative`` (Ward) is for small tables.
CLUSTERERS: Mapping[str, Callable[[Floats, Ints, int, np.random.Generator], Ints]] = {
    "k-means": k_means,
    "bisecting-k-means": bisecting_k_means,
    "agglomerative": _agglomerative,
}


def cluster_labels(
    columns: Columns,
    kinds: Mapping[str, ColumnKind],
    clusters: int,
    *,
    clusterer: Clusterer | str = "k-means",
    seed: int = 0,
) -> Ints:
    """Return a cluster number for each row.

    ``kinds`` says what each column is: ``number``, ``interval`` or ``category``. ``clusterer`` is one of
    :data:`CLUSTERERS`, or an object with a method ``fit_predict`` that takes a matrix and knows its number of clusters itself.

    >>> cluster_labels({"age": [20, 21, 60, 62]}, {"age": "number"}, 2).tolist()
    [0, 0, 1, 1]
    """
    if not columns:
        raise BadRequest("needs at least one column", parameter="columns")
    lengths = {len(values) for values in columns.values()}
    rows = max(lengths)
    if len(lengths) > 1:
        raise BadRequest("must be of one length", parameter="columns", value=sorted(lengths))
    if isinstance(clusters, bool) or not isinstance(clusters, int) or not 2 <= clusters <= rows:
        raise BadRequest(f"must be from 2 to the {rows} records", parameter="clusters", value=clusters)
    points, weights, place = _points(columns, kinds)
    if not isinstance(clusterer, str) and hasattr(clusterer, "fit_predict"):
        return _numbered(np.asarray(clusterer.fit_predict(points[place])))
    if not isinstance(clusterer, str) or clusterer not in CLUSTERERS:
        raise BadRequest("is not a clusterer", parameter="clusterer", value=clusterer, available=CLUSTERERS)
    return _numbered(CLUSTERERS[clusterer](points, weights, clusters, np.random.default_rng(seed))[place])


def _points(columns: Columns, kinds: Mapping[str, ColumnKind]) -> tuple[Floats, Ints, Ints]:
    """Return the distinct records as points, how often each occurs, and the point of each record."""
    codes, domains = [], []
    for name, values in columns.items():
        if kinds.get(name) not in KINDS:
            raise BadRequest(
                "needs a kind", column=name, parameter="kinds", value=kinds.get(name, "nothing"), available=KINDS
            )
        if kinds[name] == "number":
            numbers, code = np.unique(floats(name, listed(values)), return_inverse=True)
            domain: list[Hashable] = numbers.tolist()
        else:
            code, domain = coded(listed(values))
        codes.append(code)
        domains.append(domain)
    rows, place, weights = np.unique(np.column_stack(codes), axis=0, return_inverse=True, return_counts=True)
    parts = []
    for at, (name, domain) in enumerate(zip(columns, domains, strict=True)):
        if kinds[name] == "category":
            parts.append(one_hot(rows[:, at], weights))
        else:
            ordered = domain if kinds[name] == "number" else [middle(str(label), column=name) for label in domain]
            parts.append(standardized(np.array(ordered, np.float64)[rows[:, at]], weights))
    return coordinates(parts), weights, place.reshape(-1)


def _once(model: Clusterer, points: Floats, weights: Ints) -> Ints:
    """Cluster repeated points with a model that knows no weights; return the label of each distinct one."""
    repeated = np.asarray(model.fit_predict(np.repeat(points, weights, axis=0)))
    return np.asarray(repeated[np.cumsum(weights) - 1], np.int64)


def _numbered(labels: Array) -> Ints:
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    return np.asarray(np.argsort(np.argsort(first))[inverse], np.int64)


# ---- comparing two clusterings -------------------------------------------------------------------------------------------


@frozen(eq=False)
class FMeasure:
    """How well each cluster of the raw table is found again in the released one.

    Rows are clusters before (``C_i``), columns clusters after (``K_j``). ``recall = n_ij / |C_i|``,
    ``precision = n_ij / |K_j|``, ``f`` is their harmonic mean, ``2 n_ij / (|C_i| + |K_j|)``. ``overall`` takes for each cluster
    before the best one after, ``sum_i |C_i| / |T| max_j f_ij``: in (0, 1], and 1 exactly if the partitions are equal. It is not
    symmetric.
    """

    recall: Floats
    precision: Floats
    f: Floats
    overall: float


@frozen
class MatchPoint:
    """On how many of all ordered pairs of records (a record with itself included) both clusterings agree.

    They agree on a pair if it lies in one cluster both times, or both times in two. Symmetric, in [1/n, 1].
    """

    matches: int
    n: int

    @property
    def value(self) -> float:
        """The share of pairs."""
        return self.matches / self.n**2


def contingency(before: Labels, after: Labels) -> Ints:
    """Return how many records each pair of clusters shares; clusters in the order of their labels, as texts.

    Labels come in the order of the records, or by record. Records without a cluster may have any label of their own, such as
    ``None``: they count as one cluster.

    >>> contingency(["a", "a", "b"], [1, 2, 2]).tolist()
    [[1, 1], [0, 1]]
    """
    first, second = _matched(before, after)
    rows, known = coded(first)
    columns, found = coded(second)
    return np.bincount(rows * len(found) + columns, minlength=len(known) * len(found)).reshape(len(known), len(found))


def _matched(before: Labels, after: Labels) -> tuple[list[Hashable], list[Hashable]]:
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        if set(before) != set(after):
            raise BadRequest(
                "must be the same before and after", parameter="records", value=len(set(before) ^ set(after))
            )
        first, second = list(before.values()), [after[record] for record in before]
    elif isinstance(before, Mapping) or isinstance(after, Mapping):
        raise BadRequest("must both be lists or both be mappings", parameter="labels")
    else:
        first, second = listed(before), listed(after)
    if len(first) != len(second):
        raise BadRequest("must be the same before and after", parameter="records", value=[len(first), len(second)])
    if not first:
        raise BadRequest("there are none to compare", parameter="records")
    return first, second


def f_measure(before: Labels, after: Labels) -> FMeasure:
    """Return the F-measure of a clustering after masking against the one before.

    >>> round(f_measure([0, 0, 0, 1], [0, 0, 1, 1]).overall, 4)
    0.7667
    """
    return f_measure_of_counts(contingency(before, after))


def f_measure_of_counts(counts: npt.ArrayLike) -> FMeasure:
    """Return the F-measure from the records that each cluster before (rows) shares with each after (columns)."""
    shared = _counts(counts)
    before, after = shared.sum(axis=1), shared.sum(axis=0)
    f = 2 * shared / (before[:, None] + after[None, :])
    return FMeasure(
        recall=shared / before[:, None],
        precision=shared / after[None, :],
        f=f,
        overall=float(before @ f.max(axis=1) / shared.sum()),
    )


def match_point(before: Labels, after: Labels) -> MatchPoint:
    """Return the match point of two clusterings of the same records.

    >>> match_point([1, 1, 1, 2, 2], [1, 1, 2, 2, 2]).value
    0.68
    """
    return match_point_of_counts(contingency(before, after))


def match_point_of_counts(counts: npt.ArrayLike) -> MatchPoint:
    """Return the match point from the records that clusters share: ``n^2 - sum |C_i|^2 - sum |K_j|^2 + 2 sum n_ij^2``."""
    shared = _counts(counts)
    n = int(shared.sum())
    squares = [sum(int(count) ** 2 for count in part.ravel()) for part in (shared.sum(1), shared.sum(0), shared)]
    return MatchPoint(n**2 - squares[0] - squares[1] + 2 * squares[2], n)


def _counts(counts: npt.ArrayLike) -> Ints:
    shared = np.asarray(counts)
    if shared.ndim != 2 or shared.size == 0 or not np.issubdtype(shared.dtype, np.integer) or (shared < 0).any():
        raise BadRequest("must be a table of whole numbers >= 0", parameter="counts")
    if not shared.sum(axis=1).all() or not shared.sum(axis=0).all():
        raise BadRequest("every cluster must hold a record", parameter="counts")
    return shared.astype(np.int64)
