"""Groupings by trying everything, and the kernels of grouping algorithms step by step in plain Python.

Everything here looks at all partitions, all subsets or all pairs, so it is for a dozen records at most.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise

__all__ = [
    "best_gather",
    "best_runs",
    "best_values",
    "can_share",
    "fullest_buckets",
    "partitions",
    "radius",
    "ranges",
    "streamed",
]

Point = tuple[float, ...]


def partitions(items: Sequence[int]) -> Iterator[list[list[int]]]:
    """Yield every partition of the items into groups."""
    if not items:
        yield []
        return
    first, rest = items[0], items[1:]
    for smaller in partitions(rest):
        for at in range(len(smaller)):
            yield [*smaller[:at], [first, *smaller[at]], *smaller[at + 1 :]]
        yield [[first], *smaller]


# ---- (k,e)-anonymous groups ----------------------------------------------------------------------------------------------


def ranges(values: Sequence[float], groups: Sequence[Sequence[int]], k: int, e: float) -> list[float] | None:
    """Return the range of each group, or ``None`` if one lacks values or width."""
    out = []
    for group in groups:
        inside = [values[i] for i in group]
        if len(set(inside)) < k or max(inside) - min(inside) < e:
            return None
        out.append(max(inside) - min(inside))
    return out


def best_values(values: Sequence[float], k: int, e: float) -> float | None:
    """Return the least sum of ranges over all partitions, or ``None`` if none is allowed."""
    found = [ranges(values, groups, k, e) for groups in partitions(range(len(values)))]
    return min((sum(widths) for widths in found if widths is not None), default=None)


def best_runs(values: Sequence[float], k: int, e: float) -> tuple[float, float, int, int] | None:
    """Return, over all partitions into runs of the sorted values, the least sum and the least largest range.

    Then the largest number of groups with that sum, and the largest number of groups with the least sum among those with
    that largest range.
    """
    ordered = sorted(values)
    n = len(ordered)
    found: list[tuple[float, float, int]] = []
    for bits in range(1 << (n - 1)):
        cuts = [0, *(i + 1 for i in range(n - 1) if bits >> i & 1), n]
        widths = ranges(ordered, [range(a, b) for a, b in pairwise(cuts)], k, e)
        if widths is not None:
            found.append((sum(widths), max(widths), len(widths)))
    if not found:
        return None
    least, narrow = min(total for total, _, _ in found), min(widest for _, widest, _ in found)
    among = [entry for entry in found if entry[1] == narrow]
    cheapest = min(total for total, _, _ in among)
    most = max(count for total, _, count in found if total == least)
    return least, narrow, most, max(count for total, _, count in among if total == cheapest)


# ---- clusters ------------------------------------------------------------------------------------------------------------


def radius(points: Sequence[Point], group: Sequence[int]) -> float:
    """Return the radius around the best member."""
    return min(max(math.dist(points[i], points[j]) for j in group) for i in group)


def best_gather(points: Sequence[Point], r: int, leave: int = 0) -> float | None:
    """Return the smallest largest radius of clusters of at least r points, leaving out at most ``leave`` points."""
    best = None
    for gone in range(leave + 1):
        for out in combinations(range(len(points)), gone):
            inside = [i for i in range(len(points)) if i not in out]
            for groups in partitions(inside):
                if groups and all(len(group) >= r for group in groups):
                    found = max(radius(points, group) for group in groups)
                    best = found if best is None or found < best else best
    return best


def can_share(weights: Sequence[int], balls: Sequence[Sequence[int]], r: int) -> bool:
    """Tell by Hall's condition whether every ball can have r of its records: any set of balls holds r times as many."""
    for count in range(1, len(balls) + 1):
        for chosen in combinations(balls, count):
            if sum(weights[i] for i in set().union(*chosen)) < r * count:
                return False
    return True


# ---- buckets and streams -------------------------------------------------------------------------------------------------


def fullest_buckets(counts: Sequence[int], l: int) -> tuple[list[list[int]], list[int]]:
    """Return the counts that each group was taken from, largest first, and the counts that are left, as Anatomize does."""
    left, groups = list(counts), []
    while sum(count > 0 for count in left) >= l:
        chosen = sorted(range(len(left)), key=lambda bucket: -left[bucket])[:l]
        groups.append([left[bucket] for bucket in chosen])
        for bucket in chosen:
            left[bucket] -= 1
    return groups, sorted(left, reverse=True)


def streamed(points: Sequence[Point], begin: int, groups: list[list[Point]], full: int) -> tuple[int, int]:
    """Add points to the group of points with the nearest mean; return how many were read and the group that is full."""
    for at in range(begin, len(points)):
        means = [[sum(column) / len(group) for column in zip(*group, strict=True)] for group in groups]
        away = [sum((a - b) ** 2 for a, b in zip(points[at], mean, strict=True)) for mean in means]
        chosen = away.index(min(away))
        groups[chosen].append(points[at])
        if len(groups[chosen]) == full:
            return at + 1, chosen
    return len(points), -1
