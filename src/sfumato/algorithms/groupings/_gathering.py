"""r-gather: clusters of at least r records whose radius is at most twice the least possible, or four times with outliers.

Let OPT be the least radius. If ``length >= 2 OPT``, centres that are more than ``length`` apart lie in different optimal
clusters, and each finds r records of its own within ``length``; so the test of :func:`_tried` succeeds for every such
length, and every success has a radius of at most its length. Halving the lengths between a failure and a success until no
distance lies between them therefore ends at a length of at most ``2 OPT``.

With outliers, a record that has r records within ``2 OPT`` is all that an optimal solution needs of those it keeps. The
least length at which enough records have that is at most ``2 OPT``; full balls of this length become clusters, and
whoever is left over touches one of them, so no radius exceeds twice the length.

Reference: Aggarwal, Feder, Kenthapadi, Khuller, Panigrahy, Thomas, Zhu, "Achieving anonymity via clustering", 2006.
"""

from __future__ import annotations

import numpy as np

from sfumato.algorithms.groupings._gathering_kernels import cover, scan, share_out
from sfumato.contracts.progress import Progress
from sfumato.data.frozen import frozen
from sfumato.kernels.arrays import Floats, Ints

__all__ = ["Gathered", "gather", "gather_most"]

_CELLS = 1 << 22


@frozen(eq=False)
class Gathered:
    """Clusters of weighted points: how many records of which point are in which cluster, and the points that are centres.

    ``length`` bounds the least possible radius from below: it is at most twice that. Records that are in no cluster are
    outliers.
    """

    centres: Ints
    point: Ints
    cluster: Ints
    records: Ints
    length: float


def gather(points: Floats, weights: Ints, r: int, progress: Progress) -> Gathered:
    """Cluster all records, at least r in a cluster, with a radius of at most twice the least possible one.

    >>> from sfumato.contracts.progress import Silent
    >>> line = np.array([[0.0], [1.0], [10.0], [12.0]])
    >>> found = gather(line, np.ones(4, np.int64), 2, Silent())
    >>> found.cluster.tolist(), found.length
    ([0, 0, 1, 1], 2.0)
    """
    found, low, _ = _tried(points, weights, r, 0.0)
    if found is not None:
        return found
    # From this length on one centre reaches everything, and there are r records.
    reach = float(np.sqrt(((points - points[0]) ** 2).sum(axis=1)).max())
    best, high, _ = _tried(points, weights, r, reach * (1 + 1e-12))
    assert best is not None
    done = 0
    while low < high:
        middle = low + (high - low) / 2
        found, near, far = _tried(points, weights, r, middle)
        done += 1
        progress.tick(done, f"largest distance from a centre between {low:.4g} and {high:.4g}")
        if found is None:
            low = far
        else:
            best, high = found, near
    return best


def _tried(points: Floats, weights: Ints, r: int, length: float) -> tuple[Gathered | None, float, float]:
    """Try one length; return the clusters or ``None``.

    After a success the second number is the least length that gives these very clusters; after a failure the second and the
    third are the least length that may give anything else.
    """
    fits, centres, start, member, away, near, far = cover(points, weights, r, length)
    if not fits:
        return None, far, far
    shared, given, left = share_out(weights, start, member, r)
    if not shared:
        return None, far, far
    ball = np.repeat(np.arange(len(centres)), np.diff(start))
    # What no centre needed goes to the nearest one; each point is in at least one ball.
    order = np.lexsort((ball, away, member))
    nearest = order[np.unique(member[order], return_index=True)[1]]
    given[nearest] += left[member[nearest]]
    used = given > 0
    return Gathered(centres, member[used], ball[used], given[used], near), near, far


def gather_most(points: Floats, weights: Ints, r: int, leave: int, progress: Progress | None = None) -> Gathered:
    """Cluster all but at most ``leave`` records, with a radius of at most four times the least possible one.

    An outlier that lies no farther from a centre than the records of the clusters do is taken in.

    >>> line = np.array([[0.0], [1.0], [2.0], [50.0]])
    >>> gather_most(line, np.ones(4, np.int64), 2, 1).point.tolist()
    [0, 1, 2]
    """
    lengths = _reaches(points, weights, r, progress)
    order = np.argsort(lengths, kind="stable")
    kept = int(np.searchsorted(np.cumsum(weights[order]), int(weights.sum()) - leave))
    length = float(lengths[order[kept]])
    outlier = lengths > length
    centres, cluster = scan(points, weights, outlier, r, length)
    nearest, away = _nearest(points, points[centres])
    cluster = np.where((cluster < 0) & ~outlier, nearest, cluster)
    inside = np.flatnonzero(cluster >= 0)
    radius = float(np.sqrt(((points[inside] - points[centres[cluster[inside]]]) ** 2).sum(axis=1)).max())
    cluster = np.where((cluster < 0) & (away <= radius), nearest, cluster)
    inside = np.flatnonzero(cluster >= 0)
    return Gathered(centres, inside, cluster[inside], weights[inside], length)


def _blocks(points: Floats, others: Floats) -> list[slice]:
    step = max(1, _CELLS // max(1, others.size))
    return [slice(begin, begin + step) for begin in range(0, len(points), step)]


def _away(points: Floats, others: Floats) -> Floats:
    """Return the distances between points and others, added up column by column as the kernels do."""
    total = np.zeros((len(points), len(others)))
    for column in range(points.shape[1]):
        total += (points[:, column, None] - others[None, :, column]) ** 2
    return np.sqrt(total)


def _reaches(points: Floats, weights: Ints, r: int, progress: Progress | None = None) -> Floats:
    """Return the distance from each point within which r records lie, its own included."""
    count = min(r, len(points))  # a point stands for at least one record, so more are never needed
    out = np.empty(len(points))
    for block in _blocks(points, points):
        if progress is not None:
            progress.tick(block.start / len(points), "distances to the nearest records")
        away = _away(points[block], points)
        near = np.argpartition(away, count - 1, axis=1)[:, :count]
        lengths = np.take_along_axis(away, near, axis=1)
        order = np.argsort(lengths, axis=1, kind="stable")
        held = np.cumsum(weights[np.take_along_axis(near, order, axis=1)], axis=1)
        enough = (held >= r).argmax(axis=1)
        out[block] = np.take_along_axis(np.take_along_axis(lengths, order, axis=1), enough[:, None], axis=1)[:, 0]
    return out


def _nearest(points: Floats, centres: Floats) -> tuple[Ints, Floats]:
    """Return the nearest centre of each point and its distance; of equally near ones the first."""
    chosen, lengths = np.empty(len(points), np.int64), np.empty(len(points))
    for block in _blocks(points, centres):
        away = _away(points[block], centres)
        chosen[block] = away.argmin(axis=1)
        lengths[block] = away.min(axis=1)
    return chosen, lengths
