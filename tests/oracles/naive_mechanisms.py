"""Procedures judged by hand: every output, every prior on a grid, every point, every draw. Fractions where a ratio is meant.

epsilon      = max |ln(p / q)| over outputs, 0/0 left out
posteriors   = Bayes' rule, written out
isolation    : fewer than t points at a distance of at most c times that of the victim
distributional: share of ordered pairs of draws within e^alpha
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, product
from math import comb, inf, log
from typing import Any

__all__ = [
    "binomial_at_least",
    "epsilon",
    "isolates",
    "posterior",
    "quantile_of_pairs",
    "smallest_ratio",
    "worst_event",
]


def smallest_ratio(p: Fraction, q: Fraction) -> float:
    """Return |ln(p / q)|; 0 for 0/0 and infinity for x/0."""
    if p == q:
        return 0.0
    return abs(log(p / q)) if p and q else inf


def epsilon(first: Mapping[Hashable, Fraction], second: Mapping[Hashable, Fraction]) -> float:
    """Return the smallest epsilon of two output distributions."""
    return max(
        smallest_ratio(first.get(output, Fraction(0)), second.get(output, Fraction(0))) for output in {*first, *second}
    )


def worst_event(first: Mapping[Hashable, Fraction], second: Mapping[Hashable, Fraction]) -> float:
    """Return the same over all sets of outputs, not only single ones."""
    outputs = list({*first, *second})
    events = [event for size in range(1, len(outputs) + 1) for event in combinations(outputs, size)]
    return max(
        smallest_ratio(*(sum((d.get(output, Fraction(0)) for output in event), Fraction(0)) for d in (first, second)))
        for event in events
    )


def posterior(prior: Fraction, if_true: Fraction, if_false: Fraction) -> Fraction | None:
    """Return the belief after an event of these probabilities; ``None`` if it never happens."""
    total = prior * if_true + (1 - prior) * if_false
    return prior * if_true / total if total else None


def isolates(points: Sequence[Sequence[int]], guess: Sequence[int], victim: int, c: Fraction, t: int) -> bool:
    """Count the points in the closed ball, with squared distances."""

    def away(point: Sequence[int]) -> int:
        return sum((a - b) ** 2 for a, b in zip(point, guess, strict=True))

    return sum(away(point) <= c**2 * away(points[victim]) for point in points) < t


def quantile_of_pairs(
    mechanism: Callable[[tuple[Any, ...]], Mapping[Hashable, Fraction]],
    population: Sequence[Any],
    size: int,
    beta: Fraction,
) -> float:
    """Return the smallest alpha within which a share 1 - beta of all ordered pairs of draws lies."""
    draws = [tuple(population[at] for at in chosen) for chosen in combinations(range(len(population)), size)]
    apart = sorted(epsilon(mechanism(one), mechanism(other)) for one, other in product(draws, draws))
    needed = (1 - beta) * len(apart)
    return next(distance for place, distance in enumerate(apart, 1) if place >= needed)


def binomial_at_least(successes: int, trials: int, p: Fraction) -> Fraction:
    """Return the probability of this many successes or more."""
    return sum((comb(trials, i) * p**i * (1 - p) ** (trials - i) for i in range(successes, trials + 1)), Fraction(0))
