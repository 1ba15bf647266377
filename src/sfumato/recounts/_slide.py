"""Population uniques by classes of 1 + negative binomial many persons, the number of classes by Shlosser's third form."""

from __future__ import annotations

from collections.abc import Mapping
from math import exp, expm1, log, log1p, sqrt

__all__ = ["slide"]


def slide(sizes: Mapping[int, int], population: int) -> float | None:
    """Return how many persons are alone, or ``None`` where no such law explains the classes of one and of two records."""
    f = sum(size * count for size, count in sizes.items()) / population
    if f == 1:
        return float(sizes[1])
    if not sizes.get(2):
        return None
    classes = _shlosser(sizes, f)
    wanted, ratio = log(sizes[1] / (classes * f)), 2 * sizes[2] / (f * sizes[1])

    def alpha(odds: float) -> float:
        """The ratio of both expected numbers is quadratic in alpha; take its positive root."""
        rest = 1 / (1 + exp(odds))
        d = (1 - f) * rest
        square, line, constant = rest * d, rest * (2 - d) - ratio * (1 - d) * d, ratio * (1 - d) ** 2
        root = sqrt(line**2 + 4 * square * constant)
        return 2 * constant / (line + root) if line >= 0 else (root - line) / (2 * max(square, 1e-300))

    def excess(odds: float) -> float:
        """By how much the logarithm of the expected number of classes with one record exceeds the wanted one."""
        rest = 1 / (1 + exp(odds))
        d = (1 - f) * rest
        base = -log1p(exp(-odds)) - log1p(-d) if odds < 0 else log1p(-f * rest / (1 - d))
        return alpha(odds) * base + log1p(alpha(odds) * d / (1 - d)) - wanted

    grid = [-40 + at * 72 / 2880 for at in range(2881)]  # logit of beta
    above = [excess(odds) > 0 for odds in grid]
    turn = next((at for at in range(2880) if above[at] != above[at + 1]), None)
    if turn is None:
        return None
    low, high = grid[turn], grid[turn + 1]
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if (excess(middle) > 0) == above[turn] else (low, middle)
    odds = (low + high) / 2
    return min(classes * exp(-alpha(odds) * log1p(exp(-odds))), float(population))


def _shlosser(sizes: Mapping[int, int], f: float) -> float:
    """Return the estimated number of classes of the population."""
    rare = sum(count * exp(size * log1p(-f)) for size, count in sizes.items())
    once = sum(count * size * f * exp((size - 1) * log1p(-f)) for size, count in sizes.items())
    twice = sum(count * size * f * f * exp((size - 1) * log1p(-f * f)) for size, count in sizes.items())
    seen = sum(-count * exp(size * log1p(-f * f)) * expm1(-size * log1p(f)) for size, count in sizes.items())
    return sum(sizes.values()) + sizes[1] * (twice / seen) * (rare / once) ** 2
