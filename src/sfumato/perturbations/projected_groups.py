"""Groups of records that stand side by side on one line through the cloud of all: the first principal component."""

from __future__ import annotations

import numpy as np

from sfumato.kernels.arrays import Floats, Ints

__all__ = ["clusters_of", "first_component", "groups_of_neighbours", "standardised"]

_ROUNDS = 100


def standardised(points: Floats, robust: bool = False) -> Floats:
    """Return columns minus their mean over their standard deviation (n - 1), or minus the median over the MAD if robust.

    A column without spread is 0 everywhere; where half of a column is one value, its MAD is 0 and the mean distance from the
    median stands in.
    """
    centred = points - (np.median(points, axis=0) if robust else points.mean(axis=0))
    if robust:
        spread = np.median(np.abs(centred), axis=0)
        spread = np.where(spread > 0, spread, np.abs(centred).mean(axis=0))
    else:
        spread = points.std(axis=0, ddof=1) if len(points) > 1 else np.zeros(points.shape[1])
    return np.asarray(centred / np.where(spread > 0, spread, 1.0))


def first_component(points: Floats, robust: bool = False) -> Floats:
    """Return where each record lies on the first principal component of the standardised columns.

    The sign of the component is such that its first loading that is not 0 is positive.

    >>> first_component(np.array([[1.0, 2.0], [2.0, 1.0], [3.0, 5.0], [4.0, 4.0]])).round(3).tolist()
    [-1.209, -1.048, 1.048, 1.209]
    """
    scaled = standardised(points, robust)
    centred = scaled - scaled.mean(axis=0)
    loadings = np.linalg.eigh(centred.T @ centred)[1][:, -1]
    first = loadings[np.abs(loadings) > 1e-12][0]
    return np.asarray(scaled @ (loadings * np.sign(first)))


def groups_of_neighbours(scores: Floats, k: int) -> Ints:
    """Return group numbers of k neighbours in sorted order; the last group takes the rest, fewer than 2 k.

    >>> groups_of_neighbours(np.array([5.0, 1.0, 4.0, 2.0, 3.0]), 2).tolist()
    [1, 0, 1, 0, 1]
    """
    groups = np.empty(len(scores), np.int64)
    last = max(len(scores) // k - 1, 0)
    groups[np.argsort(scores, kind="stable")] = np.minimum(np.arange(len(scores)) // k, last)
    return groups


def clusters_of(points: Floats, count: int, k: int) -> Ints:
    """Return the clusters of k-means on the standardised columns, each of at least k records.

    Nothing is drawn: the first centres are records that lie evenly along the first component. A cluster of fewer than k
    records joins the one whose centre is nearest, smallest first.
    """
    scaled = standardised(points)
    order = np.argsort(first_component(points), kind="stable")
    at = ((np.arange(count) + 0.5) * len(points) / count).astype(np.int64)
    centres = scaled[order[at]]
    nearest = np.full(len(points), -1, np.int64)
    for _ in range(_ROUNDS):
        found = _nearest(scaled, centres)
        if (found == nearest).all():
            break
        nearest = found
        centres = np.array(
            [scaled[nearest == c].mean(axis=0) if (nearest == c).any() else centres[c] for c in range(count)]
        )
    return _large_enough(scaled, nearest, k)


def _nearest(points: Floats, centres: Floats) -> Ints:
    # One centre at a time: a table of all distances would be as large as records times clusters.
    best, found = np.full(len(points), np.inf), np.zeros(len(points), np.int64)
    for number, centre in enumerate(centres):
        away = ((points - centre) ** 2).sum(axis=1)
        closer = away < best
        best[closer], found[closer] = away[closer], number
    return found


def _large_enough(points: Floats, clusters: Ints, k: int) -> Ints:
    clusters = np.unique(clusters, return_inverse=True)[1].astype(np.int64)
    while True:
        sizes = np.bincount(clusters)
        small = int(np.argmin(sizes))
        if sizes[small] >= k or len(sizes) == 1:
            return clusters
        centres = np.array([points[clusters == number].mean(axis=0) for number in range(len(sizes))])
        away = ((centres - centres[small]) ** 2).sum(axis=1)
        away[small] = np.inf
        clusters[clusters == small] = int(np.argmin(away))
        clusters = np.unique(clusters, return_inverse=True)[1].astype(np.int64)
