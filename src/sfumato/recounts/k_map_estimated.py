"""k-map without a population table, recounted: sizes beside the size that a sampled group must have."""

from __future__ import annotations

from math import exp, expm1, lgamma, log, sqrt

from sfumato.recounts._level import Groups, Level, lowest

__all__ = ["level"]


def level(
    groups: Groups, *, k: int, population: int, significance: float, law: str, sample: int | None, as_arx: bool
) -> Level:
    """Judge the sizes of the groups."""
    sizes = [sum(rows.values()) for rows in groups.values()]
    sampled = sample or max(1, round(sum(sizes)))
    rate = k * sampled / population
    seen = -expm1(-rate) if law == "zero-truncated-poisson" else 1.0
    # P(X >= size) is added up from far out, where nothing is left; the first that is too likely ends it.
    size, tail = int(rate + 40 * sqrt(rate + 1) + 60), 0.0
    while size > 1:
        tail += exp((size - 1) * log(rate) - rate - lgamma(size))
        if min(tail / seen, 1.0) > significance:
            break
        size -= 1
    asked = size + 1 if as_arx and law == "poisson" else size
    return lowest(sizes, min(asked, k, sampled))
