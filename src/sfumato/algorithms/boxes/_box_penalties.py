"""What boxes of records cost by the normalized certainty penalty: the share of each column that a side covers, weighted."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from sfumato.algorithms.boxes._span_kernels import Spans, side
from sfumato.errors import BadRequest
from sfumato.groups.representatives import Shape
from sfumato.kernels.arrays import Codes, Floats
from sfumato.searches.box_space import BoxSpace

__all__ = ["ordered", "penalties", "refuse_weights"]

_PAIRS = 500


def refuse_weights(parameter: str, weights: Mapping[str, float] | None) -> None:
    """Refuse weights that do not map columns to finite numbers above 0.

    >>> refuse_weights("local-recoding-greedy.weights", {"Age": 0})
    Traceback (most recent call last):
    sfumato.errors.BadRequest: local-recoding-greedy.weights: must map columns to numbers > 0, got Age
    """
    if weights is None:
        return
    if not isinstance(weights, Mapping):
        raise BadRequest("must map columns to numbers > 0", parameter=parameter, value=type(weights).__name__)
    wrong = [
        str(name)
        for name, weight in weights.items()
        if isinstance(weight, bool) or not isinstance(weight, (int, float)) or not 0 < weight < float("inf")
    ]
    if wrong:
        raise BadRequest("must map columns to numbers > 0", parameter=parameter, value=wrong)


def penalties(space: BoxSpace, weights: Mapping[str, float] | None, parameter: str) -> Spans:
    """Return what sides of boxes cost.

    A run of numbers costs its width over that of the range, a node its leaves over all leaves, a run of other values its
    length over their number; a single value costs nothing. Weights are 1 where they are not given.
    """
    known = weights or {}
    strange = [name for name in known if name not in space.names]
    if strange:
        raise BadRequest("is not a quasi-identifier", parameter=parameter, value=strange[0], available=space.names)
    wide = len(space.names)
    factor, step = np.zeros(wide), np.zeros(wide)
    start, neighbours = np.zeros(wide, np.int64), np.zeros(wide, np.int64)
    tables: list[Floats] = [np.zeros(0)]
    ends = space.scales().get("ranges", {})
    for at, attribute in enumerate(space.attributes):
        weight = float(known.get(attribute.name, 1.0))
        start[at] = sum(map(len, tables))
        if attribute.tree is not None:
            shape = Shape.of(attribute.tree)
            neighbours[at] = shape.leaves - 1
            tables.append(shape.maxima(shape.leaf_count.astype(np.float64) * (weight / shape.leaves)))
        elif (line := space.lines[at]) is not None:
            low, high = line.places(ends[attribute.name]).tolist()
            factor[at] = weight / (high - low) if high > low else 0.0
        else:
            factor[at] = step[at] = weight / max(len(space.values[at]), 1)
    order = np.arange(wide)
    axes = space.axes
    return Spans(axes.tree, axes.place, axes.position, factor, step, start, neighbours, np.concatenate(tables), order)


def ordered(spans: Spans, points: Codes) -> Spans:
    """Return the same costs with the columns in an order in which a sum over them grows fast, judged by some pairs of rows."""
    some = np.linspace(0, len(points) - 1, min(len(points), _PAIRS)).astype(np.int64)
    others = some[(7919 * np.arange(len(some)) + 1) % len(some)]
    low, high = np.minimum(points[some], points[others]), np.maximum(points[some], points[others])
    typical = [
        sum(side(spans, column, a, b) for a, b in zip(low[:, column].tolist(), high[:, column].tolist(), strict=True))
        for column in range(points.shape[1])
    ]
    return spans._replace(order=np.argsort(-np.array(typical), kind="stable"))
