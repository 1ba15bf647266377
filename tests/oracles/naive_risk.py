"""Risks of records from their definitions, record by record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from fractions import Fraction
from math import exp, lgamma, log

__all__ = ["attackers", "expected_inverse", "household_risk"]


def expected_inverse(f: int, weight_sum: float) -> float:
    """Return E[1 / F] for a negative binomial size, adding up P(F = j) / j for j = f, f + 1, ..."""
    p = f / weight_sum
    if weight_sum == f:
        return 1 / f
    total, left, j = 0.0, 1.0, f
    while left > 1e-14 and j < 100 * weight_sum + 10_000:
        chance = exp(lgamma(j) - lgamma(f) - lgamma(j - f + 1) + f * log(p) + (j - f) * log(1 - p))
        total += chance / j
        left -= chance
        j += 1
    return total


def household_risk(risks: Sequence[float]) -> float:
    """Return the chance that at least one is found."""
    missed = 1.0
    for risk in risks:
        missed *= 1 - risk
    return 1 - missed


def attackers(records: Sequence[Hashable], persons: Sequence[Hashable], threshold: float) -> dict[str, Fraction]:
    """Return the figures of the three adversaries; every record and person is given by its group."""
    sample, population = Counter(records), Counter(persons)
    prosecutor = [Fraction(1, sample[record]) for record in records]
    journalist = [Fraction(1, population[record]) for record in records]
    n = len(records)
    by_record = sum(journalist, Fraction(0)) / n
    by_class = Fraction(len(sample), sum(population[group] for group in sample))
    return {
        "prosecutor_max": max(prosecutor),
        "prosecutor_min": min(prosecutor),
        "prosecutor_average": sum(prosecutor, Fraction(0)) / n,
        "prosecutor_share": Fraction(sum(float(risk) > threshold for risk in prosecutor), n),
        "journalist_max": max(journalist),
        "journalist_min": min(journalist),
        "journalist_average": max(by_record, by_class),
        "journalist_share": Fraction(sum(float(risk) > threshold for risk in journalist), n),
        "marketer": by_record,
    }
