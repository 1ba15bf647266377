"""Kernels of r-gather: cover points by balls, share the points out among the balls, and scan for balls that are full.

Points are rows of coordinates with weights: how many records stand on each. Every comparison with a length is one of a
distance from a centre, so a run repeats itself for all lengths between the largest distance it took for near (``near``)
and the smallest it took for far (``far``).
"""

from __future__ import annotations

import numpy as np

from sfumato.kernels.arrays import Array, Floats, Ints
from sfumato.kernels.jit import njit

__all__ = ["cover", "scan", "share_out"]


@njit(cache=True, nogil=True)
def _distance(points: Array, i: int, j: int) -> float:
    total = 0.0
    for column in range(points.shape[1]):
        step = points[i, column] - points[j, column]
        total += step * step
    distance: float = np.sqrt(total)
    return distance


@njit(cache=True, nogil=True)
def cover(points: Array, weights: Array, r: int, length: float) -> tuple[bool, Ints, Ints, Ints, Floats, float, float]:
    """Cover all points by balls around some of them that are more than ``length`` apart.

    Returns whether every ball holds r records and all of them together enough; the centres; the points of each ball as
    ``member[start[c]:start[c + 1]]`` with their distances ``away``; and the lengths from which and below which the run
    repeats itself. It stops at the first ball that is too poor.
    """
    n = len(points)
    total = 0
    for i in range(n):
        total += weights[i]
    covered = np.zeros(n, np.bool_)
    centres, start = np.empty(n, np.int64), np.zeros(n + 1, np.int64)
    member, away = np.empty(2 * n, np.int64), np.empty(2 * n)
    near, far = 0.0, np.inf
    count, held = 0, 0
    for i in range(n):
        if covered[i]:
            continue
        if held + n > len(member):
            grown, longer = np.empty(2 * len(member) + n, np.int64), np.empty(2 * len(member) + n)
            grown[:held], longer[:held] = member[:held], away[:held]
            member, away = grown, longer
        inside = 0
        for j in range(n):
            distance = _distance(points, i, j)
            if distance <= length:
                near = max(near, distance)
                covered[j] = True
                inside += weights[j]
                member[held], away[held] = j, distance
                held += 1
            else:
                far = min(far, distance)
        centres[count] = i
        count += 1
        start[count] = held
        if inside < r or count * r > total:
            return False, centres[:count], start[: count + 1], member[:held], away[:held], near, far
    return True, centres[:count], start[: count + 1], member[:held], away[:held], near, far


@njit(cache=True, nogil=True)
def share_out(weights: Ints, start: Array, member: Array, r: int) -> tuple[bool, Ints, Ints]:
    """Give r records inside its ball to every centre, no record twice: a maximum flow by shortest augmenting paths.

    Returns whether that is possible, how many records of each ``member`` its centre gets, and how many of each point are
    left.
    """
    balls, edges, n = len(start) - 1, len(member), len(weights)
    owner = np.empty(edges, np.int64)
    for ball in range(balls):
        owner[start[ball] : start[ball + 1]] = ball
    first, at_point = np.zeros(n + 1, np.int64), np.empty(edges, np.int64)
    for edge in range(edges):
        first[member[edge] + 1] += 1
    for i in range(n):
        first[i + 1] += first[i]
    filled = first.copy()
    for edge in range(edges):
        at_point[filled[member[edge]]] = edge
        filled[member[edge]] += 1
    given, left = np.zeros(edges, np.int64), weights.copy()
    queue, came = np.empty(balls, np.int64), np.empty(balls, np.int64)
    ball_seen, point_seen = np.full(balls, -1, np.int64), np.full(n, -1, np.int64)
    way = np.empty(n, np.int64)
    for ball in range(balls):
        need = r
        for edge in range(start[ball], start[ball + 1]):
            taken = min(need, left[member[edge]])
            given[edge] += taken
            left[member[edge]] -= taken
            need -= taken
            if need == 0:
                break
        stamp = 0
        while need > 0:
            # Look for a record that is left, and for who can hand one on until it is reached.
            mark = ball * (r + 1) + stamp
            stamp += 1
            head, tail, found = 0, 1, -1
            queue[0] = ball
            ball_seen[ball] = mark
            while head < tail and found < 0:
                here = queue[head]
                head += 1
                for edge in range(start[here], start[here + 1]):
                    point = member[edge]
                    if point_seen[point] == mark:
                        continue
                    point_seen[point] = mark
                    way[point] = edge
                    if left[point] > 0:
                        found = point
                        break
                    for at in range(first[point], first[point + 1]):
                        other = at_point[at]
                        if given[other] > 0 and ball_seen[owner[other]] != mark:
                            ball_seen[owner[other]] = mark
                            came[owner[other]] = other
                            queue[tail] = owner[other]
                            tail += 1
            if found < 0:
                return False, given, left
            amount, point = min(need, left[found]), found
            while owner[way[point]] != ball:
                back = came[owner[way[point]]]
                amount = min(amount, given[back])
                point = member[back]
            left[found] -= amount
            point = found
            while True:
                edge = way[point]
                given[edge] += amount
                if owner[edge] == ball:
                    break
                back = came[owner[edge]]
                given[back] -= amount
                point = member[back]
            need -= amount
    return True, given, left


@njit(cache=True, nogil=True)
def scan(points: Array, weights: Array, outlier: Array, r: int, length: float) -> tuple[Ints, Ints]:
    """Make a cluster of every ball that still holds r free records, in order; return centres and the cluster of each point.

    Only points that are no outliers become centres. Points in no cluster have -1.
    """
    n = len(points)
    cluster, centres = np.full(n, -1, np.int64), np.empty(n, np.int64)
    inside = np.empty(n, np.int64)
    count = 0
    for i in range(n):
        if outlier[i] or cluster[i] >= 0:
            continue
        held, found = 0, 0
        for j in range(n):
            if cluster[j] < 0 and _distance(points, i, j) <= length:
                inside[found] = j
                found += 1
                held += weights[j]
        if held >= r:
            for at in range(found):
                cluster[inside[at]] = count
            centres[count] = i
            count += 1
    return centres[:count], cluster
