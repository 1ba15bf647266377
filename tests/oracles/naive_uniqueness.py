"""Estimates of population uniqueness from their definitions: exact fractions, grids, and size laws added up term by term."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import comb, log

__all__ = ["log_likelihood", "pitman", "shlosser", "slide_expectations", "zayatz"]

Sizes = Mapping[int, int]


def zayatz(sizes: Sizes, population: int) -> tuple[Fraction, Fraction]:
    """Return the chance that a sample unique is a population unique, and the number of population uniques."""
    n = sum(size * count for size, count in sizes.items())
    ways = comb(population, n)

    def one_sampled(size: int) -> Fraction:
        return Fraction(size * comb(population - size, n - 1), ways)

    total = sum((count * one_sampled(size) for size, count in sizes.items()), Fraction(0))
    chance = sizes.get(1, 0) * one_sampled(1) / total
    return chance, sizes.get(1, 0) * chance * Fraction(population, n)


def log_likelihood(sizes: Sizes, theta: float, alpha: float) -> float:
    """Return the logarithm of Pitman's sampling formula, without what depends on neither parameter."""
    n, u = sum(size * count for size, count in sizes.items()), sum(sizes.values())
    classes = sum(log(theta + i * alpha) for i in range(1, u))
    records = sum(log(theta + i) for i in range(1, n))
    inside = sum(count * sum(log(i - alpha) for i in range(1, size)) for size, count in sizes.items())
    return classes - records + inside


def pitman(sizes: Sizes, *, rounds: int = 12, points: int = 10) -> tuple[float, float, float]:
    """Return the best log-likelihood, with theta and alpha: the best theta for each alpha of ever finer grids."""
    low, high = 1e-6, 1 - 1e-6
    best = (float("-inf"), 0.0, 0.0)
    for _ in range(rounds):
        step = (high - low) / points
        for alpha in [low + step * i for i in range(points + 1)]:
            theta = _best_theta(sizes, alpha)
            best = max(best, (log_likelihood(sizes, theta, alpha), theta, alpha))
        low, high = max(1e-6, best[2] - step), min(1 - 1e-6, best[2] + step)
    return best


def _best_theta(sizes: Sizes, alpha: float) -> float:
    """Cut the interval of powers of ten in three and drop the part that cannot hold the top."""
    n = sum(size * count for size, count in sizes.items())
    low, high = -4.0, log(n * n + 10, 10) + 1
    for _ in range(60):
        one, two = low + (high - low) / 3, high - (high - low) / 3
        if log_likelihood(sizes, 10**one - alpha, alpha) < log_likelihood(sizes, 10**two - alpha, alpha):
            low = one
        else:
            high = two
    return 10 ** ((low + high) / 2) - alpha


def shlosser(sizes: Sizes, population: int) -> Fraction:
    """Return Shlosser's third estimate of the number of population classes."""
    n = sum(size * count for size, count in sizes.items())
    f = Fraction(n, population)
    items = list(sizes.items())
    first = sum(j * f**2 * (1 - f**2) ** (j - 1) * c for j, c in items) / sum(
        (1 - f) ** j * ((1 + f) ** j - 1) * c for j, c in items
    )
    second = sum((1 - f) ** j * c for j, c in items) / sum(j * f * (1 - f) ** (j - 1) * c for j, c in items)
    return Fraction(sum(sizes.values())) + sizes.get(1, 0) * first * second**2


def slide_expectations(classes: float, alpha: float, beta: float, f: float) -> tuple[float, float, float]:
    """Return how many population classes have one member, and how many sample classes have one and two.

    The sizes are 1 + x, where x is negative binomial; their probabilities are added up until nothing is left.
    """
    alone = beta**alpha
    chance, ones, twos, left = alone, 0.0, 0.0, 1.0
    size = 1
    while left > 1e-13 and size < 200_000:
        ones += chance * size * f * (1 - f) ** (size - 1)
        if size > 1:
            twos += chance * comb(size, 2) * f**2 * (1 - f) ** (size - 2)
        left -= chance
        chance *= (alpha + size - 1) / size * (1 - beta)
        size += 1
    return classes * alone, classes * ones, classes * twos
