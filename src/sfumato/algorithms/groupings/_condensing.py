"""Condensation: groups of k near records, all at once or one record after the other.

Reference: Aggarwal, Yu, "A condensation approach to privacy preserving data mining", 2004.
"""

from __future__ import annotations

import numpy as np

from sfumato.algorithms.groupings._condensing_kernels import add_until_full
from sfumato.contracts.progress import Progress
from sfumato.estimates.moments import Moments
from sfumato.kernels.arrays import Bools, Floats, Ints

__all__ = ["condense", "condense_stream"]


def condense(points: Floats, k: int, rng: np.random.Generator, progress: Progress) -> Ints:
    """Return the group of each point, from 0: a random point and its k - 1 nearest, until fewer than k are left.

    Those join the group with the nearest mean. There are ``n // k`` groups of k to 2k - 1 points; n must be at least k.

    >>> from sfumato.contracts.progress import Silent
    >>> groups = condense(np.array([[0.0], [9.0], [1.0], [8.0]]), 2, np.random.default_rng(0), Silent())
    >>> bool(groups[0] == groups[2]), bool(groups[1] == groups[3])
    (True, True)
    """
    n = len(points)
    group = np.full(n, -1, np.int64)
    # The points that are left stand in front; what is taken is overwritten from the back.
    rest, at = np.arange(n), np.ascontiguousarray(points.T)
    groups = n // k
    for number in range(groups):
        left = n - number * k
        chosen = int(rng.integers(left))
        away = np.zeros(left)
        for column in at[:, :left]:
            away += (column - column[chosen]) ** 2
        away[chosen] = -1.0  # first among points that are equal
        near = np.argpartition(away, k - 1)[:k]
        group[rest[near]] = number
        stays = np.ones(left, bool)
        stays[near] = False
        _close_ranks(rest, at, stays, left, k)
        if number % 256 == 0:
            progress.tick(number / groups, f"{number:,} of {groups:,} groups")
    if n % k:
        means = Moments.of(points[group >= 0], group[group >= 0]).mean
        leftover = np.flatnonzero(group < 0)
        for record in leftover.tolist():
            group[record] = int(((means - points[record]) ** 2).sum(axis=1).argmin())
    return group


def _close_ranks(rest: Ints, at: Floats, stays: Bools, left: int, k: int) -> None:
    """Move the last of the remaining points into the gaps before them, so that no array has to be made anew."""
    front = left - k
    gaps = np.flatnonzero(~stays[:front])
    movers = front + np.flatnonzero(stays[front:left])
    rest[gaps] = rest[movers]
    at[:, gaps] = at[:, movers]


def condense_stream(points: Floats, k: int, progress: Progress) -> Moments:
    """Return the moments of the groups after all points came by, in order; no point is kept.

    A point joins the group with the nearest mean. A group that reaches 2k is split in two of k by its moments alone, so at
    the end every group stands for k to 2k - 1 points; n must be at least k.

    >>> from sfumato.contracts.progress import Silent
    >>> condense_stream(np.array([[0.0], [9.0], [1.0], [8.0], [2.0]]), 2, Silent()).count.tolist()
    [3, 2]
    """
    n, wide = points.shape
    room = max(1, n // k)
    counts, sums = np.zeros(room, np.int64), np.zeros((room, wide))
    products = np.zeros((room, wide, wide))
    counts[0], sums[0], products[0] = 1, points[0], np.outer(points[0], points[0])
    groups, read = 1, 1
    ready = np.ascontiguousarray(points)
    while read < n:
        read, full = add_until_full(ready, read, groups, counts, sums, products, 2 * k)
        if full >= 0:
            halves = Moments(counts[full : full + 1], sums[full : full + 1], products[full : full + 1]).split()
            for place, half in ((full, 0), (groups, 1)):
                counts[place], sums[place], products[place] = (
                    halves.count[half],
                    halves.sums[half],
                    halves.products[half],
                )
            groups += 1
            if groups % 256 == 0:
                progress.tick(read / n, f"{groups:,} groups")
    return Moments(counts[:groups], sums[:groups], products[:groups])
