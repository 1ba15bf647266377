"""Finite procedures: the probability of each output on each table, and how far two of them are apart."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from math import fsum, inf, isfinite, log

from sfumato.errors import BadRequest

__all__ = ["Distribution", "largest_log_ratio", "refuse_bad_distribution"]

Distribution = Mapping[Hashable, float]

SLACK = 1e-9


def refuse_bad_distribution(parameter: str, outputs: object) -> None:
    """Refuse what does not give each output a probability, adding up to one.

    >>> refuse_bad_distribution("mechanism", {"yes": 0.75, "no": 0.75})
    Traceback (most recent call last):
    sfumato.errors.BadRequest: mechanism: the probabilities of the outputs must add up to 1, got 1.5
    """
    if not isinstance(outputs, Mapping):
        raise BadRequest("must map outputs to probabilities", parameter=parameter, value=type(outputs).__name__)
    for probability in outputs.values():
        if isinstance(probability, bool) or not _is_number(probability) or not 0 <= probability <= 1 + SLACK:
            raise BadRequest("a probability must be a number from 0 to 1", parameter=parameter, value=probability)
    total = fsum(outputs.values())
    if abs(total - 1) > SLACK:
        raise BadRequest("the probabilities of the outputs must add up to 1", parameter=parameter, value=total)


def _is_number(value: float) -> bool:
    try:
        return isfinite(value)
    except TypeError:
        return False


def largest_log_ratio(first: Distribution, second: Distribution) -> tuple[float, Hashable]:
    """Return the largest ``|ln(p / q)|`` over all outputs, and an output that has it.

    0/0 is left out; p/0 is infinite. Single outputs suffice: the ratio of any set of outputs lies between theirs.

    >>> largest_log_ratio({"a": 1.0}, {"a": 1.0, "b": 0.0})
    (0.0, 'a')
    >>> largest_log_ratio({"a": 1.0}, {"a": 0.5, "b": 0.5})
    (inf, 'b')
    """
    worst, shown = 0.0, next(iter(first), None)
    for output in dict.fromkeys([*first, *second]):
        p, q = first.get(output, 0.0), second.get(output, 0.0)
        if p == q == 0:
            continue
        apart = abs(log(p) - log(q)) if p > 0 and q > 0 else inf
        if apart > worst:
            worst, shown = apart, output
    return worst, shown
