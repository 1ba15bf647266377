"""Cluster comparison and stress, written down as defined: every pair of records is looked at."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence


def naive_f_measure(before: Sequence[Hashable], after: Sequence[Hashable]) -> float:
    """Return the overall F-measure from sets of records and the harmonic mean of recall and precision."""
    overall = 0.0
    for cluster in set(before):
        inside = {i for i, label in enumerate(before) if label == cluster}
        best = 0.0
        for other in set(after):
            found = {i for i, label in enumerate(after) if label == other}
            shared = len(inside & found)
            if shared:
                recall, precision = shared / len(inside), shared / len(found)
                best = max(best, 2 * recall * precision / (recall + precision))
        overall += len(inside) / len(before) * best
    return overall


def naive_matches(before: Sequence[Hashable], after: Sequence[Hashable]) -> int:
    """Return on how many ordered pairs, the diagonal included, "same cluster" is the same answer."""
    n = len(before)
    return sum((before[i] == before[j]) == (after[i] == after[j]) for i in range(n) for j in range(n))


def naive_stress(original: Sequence[Sequence[float]], reduced: Sequence[Sequence[float]]) -> float:
    """Return the sum of squared differences of distances over the sum of squared original distances."""
    above = below = 0.0
    for i in range(len(original)):
        for j in range(i + 1, len(original)):
            d, shown = math.dist(original[i], original[j]), math.dist(reduced[i], reduced[j])
            above += (shown - d) ** 2
            below += d**2
    return above / below


def naive_inertia(points: Sequence[Sequence[float]], weights: Sequence[int], labels: Sequence[int]) -> float:
    """Return the weighted sum of squared distances of points to the mean of their cluster."""
    total = 0.0
    for cluster in set(labels):
        members = [i for i, label in enumerate(labels) if label == cluster]
        mass = sum(weights[i] for i in members)
        centre = [sum(weights[i] * points[i][at] for i in members) / mass for at in range(len(points[0]))]
        total += sum(weights[i] * math.dist(points[i], centre) ** 2 for i in members)
    return total
