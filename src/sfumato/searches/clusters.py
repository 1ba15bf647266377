"""Clusters of weighted records: columns as coordinates, k-means and bisecting k-means.

Equal records are one point with a weight, so the work follows the number of distinct records. All that is random comes from
the generator that is passed; clusters are numbered by the first point they hold.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import numpy.typing as npt

from sfumato.contracts.progress import SILENT, Progress
from sfumato.kernels.arrays import Floats, Ints

__all__ = ["bisecting_k_means", "coordinates", "k_means", "one_hot", "standardized"]

RESTARTS = 5
ITERATIONS = 100
# Values beyond the most frequent ones share a coordinate: each of them tells hardly anything about a cluster.
_MOST_VALUES = 200


def coordinates(columns: Sequence[Floats]) -> Floats:
    """Return columns of coordinates side by side."""
    return np.ascontiguousarray(np.column_stack(columns))


def standardized(numbers: Floats, weights: Ints) -> Floats:
    """Return numbers with mean 0 and variance 1, as one column; constant numbers become 0.

    >>> standardized(np.array([1.0, 3.0]), np.array([1, 1])).ravel().tolist()
    [-1.0, 1.0]
    """
    total = weights.sum()
    centred = numbers - numbers @ weights / total
    spread = np.sqrt(centred**2 @ weights / total)
    return np.asarray((centred / spread if spread > 0 else np.zeros_like(centred))[:, None])


def one_hot(codes: npt.NDArray[np.integer], weights: Ints) -> Floats:
    """Return a column of 0 and 1 for each code that occurs; rare codes beyond the 200 most frequent share one.

    >>> one_hot(np.array([1, 0, 1]), np.array([1, 1, 1])).tolist()
    [[0.0, 1.0], [1.0, 0.0], [0.0, 1.0]]
    """
    counts = np.bincount(codes, weights=weights)
    kept = np.flatnonzero(counts)
    place = np.zeros(len(counts), np.int64)
    if len(kept) > _MOST_VALUES:
        frequent = np.sort(np.argsort(-counts, kind="stable")[: _MOST_VALUES - 1])
        place[:] = len(frequent)
        kept = frequent
    place[kept] = np.arange(len(kept))
    spots = place[codes]
    hot = np.zeros((len(codes), int(spots.max(initial=0)) + 1))
    hot[np.arange(len(codes)), spots] = 1.0
    return hot


def k_means(
    points: Floats,
    weights: Ints,
    clusters: int,
    rng: np.random.Generator,
    progress: Progress = SILENT,
    restarts: int = RESTARTS,
) -> Ints:
    """Return the cluster of each point: the best of several runs of Lloyd's algorithm from k-means++ starts.

    Fewer distinct points than ``clusters`` give fewer clusters. ``progress`` hears of every step.

    >>> points = np.array([[0.0], [0.1], [5.0], [5.1]])
    >>> k_means(points, np.ones(4, np.int64), 2, np.random.default_rng(0)).tolist()
    [0, 0, 1, 1]
    """
    best, least = np.zeros(len(points), np.int64), np.inf
    norms = np.einsum("ij,ij->i", points, points)
    for at in range(restarts):
        told = partial(progress.tick, at, f"clusters, attempt {at + 1} of {restarts}")
        centres = _starts(points, norms, weights, clusters, rng, told)
        labels, inertia = _lloyd(points, norms, weights, centres, told)
        if inertia < least:
            best, least = labels, inertia
    return _renumbered(best)


def bisecting_k_means(
    points: Floats, weights: Ints, clusters: int, rng: np.random.Generator, progress: Progress = SILENT
) -> Ints:
    """Return the cluster of each point: the cluster with the largest sum of squares is cut in two until there are enough.

    It depends less on its start than k-means does.

    >>> points = np.array([[0.0], [0.1], [5.0], [5.1], [9.0]])
    >>> bisecting_k_means(points, np.ones(5, np.int64), 3, np.random.default_rng(0)).tolist()
    [0, 0, 1, 1, 2]
    """
    labels = np.zeros(len(points), np.int64)
    squares = [_squares(points, weights)]
    while len(squares) < clusters:
        largest = int(np.argmax(squares))
        if squares[largest] <= 0:
            break
        members = np.flatnonzero(labels == largest)
        halves = k_means(points[members], weights[members], 2, rng, progress)
        labels[members[halves == 1]] = len(squares)
        squares.append(0.0)
        for part in (largest, len(squares) - 1):
            inside = labels == part
            squares[part] = _squares(points[inside], weights[inside])
    return _renumbered(labels)


def _squares(points: Floats, weights: Ints) -> float:
    """Return the weighted sum of squared distances to the mean; equal points give exactly 0."""
    if len(points) < 2 or (points == points[0]).all():
        return 0.0
    centred = points - weights @ points / weights.sum()
    return float(weights @ np.einsum("ij,ij->i", centred, centred))


def _starts(
    points: Floats, norms: Floats, weights: Ints, clusters: int, rng: np.random.Generator, told: Callable[[], None]
) -> Floats:
    """Draw centres by k-means++: each with a probability that grows with its squared distance to those before it."""
    chosen = [_drawn(weights.astype(np.float64), rng)]
    away = np.full(len(points), np.inf)
    while True:
        told()
        last = points[chosen[-1]]
        away = np.minimum(away, np.maximum(norms - 2 * (points @ last) + last @ last, 0.0))
        # Rounding must not make a point that equals a centre look apart from it.
        away[(points == last).all(axis=1)] = 0.0
        if len(chosen) == clusters or not away.any():
            return points[chosen]
        chosen.append(_drawn(away * weights, rng))


def _drawn(shares: Floats, rng: np.random.Generator) -> int:
    heap = np.cumsum(shares)
    return min(int(np.searchsorted(heap, rng.random() * heap[-1], side="right")), int(np.flatnonzero(shares)[-1]))


def _lloyd(
    points: Floats, norms: Floats, weights: Ints, centres: Floats, told: Callable[[], None]
) -> tuple[Ints, float]:
    """Move centres to the means of their points until no point changes its cluster."""
    centres = centres.copy()
    labels = np.full(len(points), -1, np.int64)
    every = np.arange(len(points))
    for _ in range(ITERATIONS):
        told()
        away = norms[:, None] - 2 * (points @ centres.T) + np.einsum("ij,ij->i", centres, centres)
        new = np.argmin(away, axis=1)
        if np.array_equal(new, labels):
            break
        labels = new
        # One product gives all sums; picking the points of each cluster would copy them every time.
        member = np.zeros((len(centres), len(points)))
        member[labels, every] = weights
        mass = member.sum(axis=1)
        held = mass > 0
        centres[held] = (member @ points)[held] / mass[held, None]
    nearest = np.maximum(away[every, labels], 0.0)
    return labels, float(nearest @ weights)


def _renumbered(labels: Ints) -> Ints:
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    return np.asarray(np.argsort(np.argsort(first))[inverse], np.int64)
