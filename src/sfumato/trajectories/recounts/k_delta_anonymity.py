"""(k, delta)-anonymity, recounted: how far any two written paths of a group are apart at any time."""

from __future__ import annotations

from math import inf, sqrt

from sfumato.recounts import Groups, Key, Level

__all__ = ["level"]


def level(groups: Groups, *, k: int, delta: float) -> Level:
    """Judge the size of each group whose members are near each other; others walk alone."""
    most = delta if isinstance(delta, int) else delta * (1 + 1e-9)
    sizes = []
    for inside in groups.values():
        lines = list(inside)
        widest = max((_apart(one, other) for at, one in enumerate(lines) for other in lines[:at]), default=0.0)
        sizes.append(int(sum(inside.values())) if widest <= most else 1)
    broken = sum(size < k for size in sizes)
    return Level(min(sizes, default=None), broken, broken == 0)


def _apart(one: Key, other: Key) -> float:
    """Return the largest distance of two paths, infinite if they have other times."""
    if one[::3] != other[::3]:
        return inf
    first, second = ([float(text or "nan") for text in (*line[1::3], *line[2::3])] for line in (one, other))
    half = len(first) // 2
    steps = ((first[at] - second[at], first[half + at] - second[half + at]) for at in range(half))
    return sqrt(max((dx * dx + dy * dy for dx, dy in steps), default=0.0))
