"""From one number per attribute to one number: the ways other tools put attributes together, and the two factors they use.

With ``v_i`` the value of attribute i of d and ``w_i`` its weight divided by the largest weight:

- ``mean``: ``(1/d) sum v_i w_i``
- ``sum``: ``sum v_i w_i``
- ``maximum``: ``max v_i w_i``
- ``geometric-mean``: ``(product of (v_i w_i + 1))^(1/d) - 1``
- ``rank``: all ``v_i w_i`` from large to small, compared one after the other

``gs_factor`` x in [0, 1] weighs generalization against suppression: what generalization costs is multiplied by
``gF = 1`` up to x = 0.5 and ``1 - 2 (x - 0.5)`` above, what suppression costs by ``sF = 2x`` below 0.5 and 1 from there on.

Reference: Prasser, Eicher, Spengler, Bild, Kuhn, "Flexible data anonymization using ARX", 2020, doi:10.1002/spe.2812.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import exp, isfinite, log1p

from sfumato.contracts.metric import Aggregate, Measured
from sfumato.errors import BadRequest

__all__ = ["AGGREGATES", "Aggregate", "combine", "factors", "refuse_bad_weights", "relative_weights"]

AGGREGATES: tuple[Aggregate, ...] = ("mean", "sum", "maximum", "geometric-mean", "rank")


def factors(gs_factor: float) -> tuple[float, float]:
    """Return what the cost of generalization and that of suppression are multiplied by.

    >>> factors(0.5), factors(0.25), factors(1.0)
    ((1.0, 1.0), (1.0, 0.5), (0.0, 1.0))
    """
    return (1.0 if gs_factor <= 0.5 else 2.0 - 2.0 * gs_factor), (2.0 * gs_factor if gs_factor < 0.5 else 1.0)


def relative_weights(weights: Mapping[str, float] | None, names: Iterable[str]) -> dict[str, float]:
    """Return the weight of each attribute as a share of the largest; 1 where none is given.

    >>> relative_weights({"Age": 4}, ["Age", "Sex"])
    {'Age': 1.0, 'Sex': 0.25}
    """
    given = {name: float((weights or {}).get(name, 1.0)) for name in names}
    largest = max(given.values(), default=0.0)
    return {name: weight / largest if largest > 0 else 0.0 for name, weight in given.items()}


def combine(
    metric: str,
    values: Mapping[str, float],
    highest: Mapping[str, float],
    aggregate: Aggregate,
    weights: Mapping[str, float] | None = None,
) -> Measured:
    """Return the total of weighted values; 0 is the lowest of each, ``highest`` their upper bounds."""
    relative = relative_weights(weights, values)
    weighted = {name: value * relative[name] for name, value in values.items()}
    bound = _total([highest[name] * relative[name] for name in values], aggregate)
    rank = tuple(sorted(weighted.values(), reverse=True)) if aggregate == "rank" else None
    return Measured(metric, _total(list(weighted.values()), aggregate), weighted, 0.0, bound, rank)


def _total(values: list[float], aggregate: Aggregate) -> float:
    if not values:
        return 0.0
    match aggregate:
        case "mean":
            return sum(values) / len(values)
        case "sum":
            return float(sum(values))
        case "geometric-mean":
            # Sums of logarithms: a product over many records' worth of entropy leaves the range of a float.
            return exp(sum(log1p(value) for value in values) / len(values)) - 1.0
        case _:
            return max(values)


def refuse_bad_weights(parameter: str, weights: object) -> None:
    """Refuse weights that do not map attributes to finite numbers of at least 0.

    >>> refuse_bad_weights("iloss.weights", {"Age": -1})
    Traceback (most recent call last):
    sfumato.errors.BadRequest: iloss.weights: must map columns to numbers >= 0, got Age
    """
    rule = "must map columns to numbers >= 0"
    if weights is None:
        return
    if not isinstance(weights, Mapping):
        raise BadRequest(rule, parameter=parameter, value=type(weights).__name__)
    wrong = [
        str(name)
        for name, weight in weights.items()
        if isinstance(weight, bool) or not isinstance(weight, (int, float)) or not isfinite(weight) or weight < 0
    ]
    if wrong:
        raise BadRequest(rule, parameter=parameter, value=wrong)
