"""Population uniqueness, recounted: persons who are alone in the population, estimated from the sizes of the groups."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from sfumato.errors import BadRequest
from sfumato.recounts._level import Groups, Level, at_most
from sfumato.recounts._pitman import pitman
from sfumato.recounts._slide import slide

__all__ = ["level"]

_SMALL = 0.1


def level(groups: Groups, *, threshold: float, population: int, estimator: str, fallback: str) -> Level:
    """Judge the estimated share of the population that is alone; without an answer the requirement does not hold."""
    sizes = Counter(int(sum(rows.values())) for rows in groups.values())
    if sum(size * count for size, count in sizes.items()) > population:
        raise BadRequest("must not be smaller than the table", parameter="population-uniqueness.population")
    alone = _estimated(sizes, population, estimator, fallback)
    share = None if alone is None else alone / population
    satisfied = share is not None and at_most(share, float(threshold))
    return Level(share if groups else None, 0 if satisfied else sizes[1], satisfied)


def _estimated(sizes: Mapping[int, int], population: int, estimator: str, fallback: str) -> float | None:
    """Return how many persons are alone: Dankar's rule takes Pitman for small samples, else the smaller of the others.

    Where the one it takes has no answer, Zayatz may speak only if that was allowed.
    """
    if not sizes.get(1):
        return 0.0
    if estimator == "zayatz":
        return _zayatz(sizes, population)
    sampled = sum(size * count for size, count in sizes.items()) / population
    if estimator == "pitman" or (estimator == "dankar" and sampled <= _SMALL):
        found = pitman(sizes, population)
    else:
        found = slide(sizes, population)
    # Of a whole population nothing is estimated: Zayatz counts.
    if estimator != "dankar" or (found is None and fallback == "none" and sampled < 1):
        return found
    base = _zayatz(sizes, population)
    return base if found is None or (sampled > _SMALL and base <= found) else found


def _zayatz(sizes: Mapping[int, int], population: int) -> float:
    """By Bayes' rule: of a population class of j persons exactly one is sampled, beside the same for j = 1."""
    n = sum(size * count for size, count in sizes.items())
    ratio, total = 1.0, 0.0
    for size in range(1, max(sizes) + 1):
        total += sizes.get(size, 0) * size * ratio
        ratio *= max(population - n - size + 1, 0) / (population - size) if population > size else 0.0
    return sizes[1] * (sizes[1] / total) * population / n
