"""Population uniques by the most likely Pitman sampling formula."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import exp, log, log1p

__all__ = ["pitman"]

# Bernoulli numbers B_2, B_4, ..., B_10: from 10 on five terms of the Euler-Maclaurin series are enough.
_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66)


def pitman(sizes: Mapping[int, int], population: int) -> float | None:
    """Return how many persons are alone, or ``None`` where the likelihood has no maximum with a positive alpha."""
    n, u = sum(size * count for size, count in sizes.items()), sum(sizes.values())
    if n == population:
        return float(sizes[1])
    if not 1 < u < n:
        return None

    def inside(of_run: Callable[[float, float], float], alpha: float) -> float:
        return sum(count * of_run(1 - alpha, size - 1) for size, count in sizes.items())

    def best_theta(alpha: float) -> float:
        """Where the score in theta, which falls through 0 once, is 0; y is theta + alpha."""
        low = log(0.5 / (1 / (1 - alpha) + 1 + log(n)))
        high = log((u - 1) * (n - 1) / (n - u) + 1 + alpha)
        while low < (middle := (low + high) / 2) < high and high - low > 1e-15 * (1 + abs(low)):
            y = exp(middle)
            rising = _inverses(y / alpha, u - 1) / alpha > _inverses(y - alpha + 1, n - 1)
            low, high = (middle, high) if rising else (low, middle)
        return exp((low + high) / 2) - alpha

    def slope(alpha: float) -> float:
        a = best_theta(alpha) / alpha
        return ((u - 1) - a * _inverses(a + 1, u - 1)) / alpha - inside(_inverses, alpha)

    def likelihood(alpha: float) -> float:
        theta = best_theta(alpha)
        classes = (u - 1) * log(alpha) + _logs(theta / alpha + 1, u - 1)
        return classes - _logs(theta + 1, n - 1) + inside(_logs, alpha)

    edges = [10.0**-power for power in range(7, 2, -1)]
    grid = [*edges, *(at / 100 for at in range(1, 100)), *(1 - edge for edge in reversed(edges))]
    slopes = [slope(alpha) for alpha in grid]
    tops = []
    for at in range(len(grid) - 1):
        if slopes[at] > 0 >= slopes[at + 1]:
            low, high = grid[at : at + 2]
            while low < (middle := (low + high) / 2) < high:
                low, high = (middle, high) if slope(middle) > 0 else (low, middle)
            tops.append((low + high) / 2)
    if not tops:
        return None
    alpha = max(tops, key=likelihood)
    if slopes[0] <= 0 and likelihood(grid[0]) >= likelihood(alpha):
        return None
    return min(exp(_logs(best_theta(alpha) + alpha, 1 - alpha) + alpha * log(population)), float(population))


def _logs(x: float, m: float) -> float:
    """Return the sum of ln(x + i) over i = 0 ... m - 1; a length that is not whole is that of the gamma function."""
    out = 0.0
    while x < 10:
        out -= log1p(m / x)
        x += 1
    high, grown = x + m, log1p(m / x)
    out += x * grown - m + m * log(high) - grown / 2
    for order, number in enumerate(_BERNOULLI, 1):
        out += number / (2 * order * (2 * order - 1)) * (high ** (1 - 2 * order) - x ** (1 - 2 * order))
    return out


def _inverses(x: float, m: float) -> float:
    """Return the sum of 1 / (x + i) over i = 0 ... m - 1."""
    out = 0.0
    while x < 10:
        out += m / (x * (x + m))
        x += 1
    high = x + m
    out += log1p(m / x) + m / (2 * x * high)
    for order, number in enumerate(_BERNOULLI, 1):
        out += number / (2 * order) * (x ** (-2 * order) - high ** (-2 * order))
    return out
