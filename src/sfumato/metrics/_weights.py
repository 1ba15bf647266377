"""Weights of attributes: what metrics that take them accept."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite

from sfumato.errors import BadRequest

__all__ = ["refuse_bad_weights"]


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
