"""Groups of records that stand for several persons each: sizes and histograms are sums of weights.

Sums of whole weights are whole numbers, and everything works as for counts. Other sums are real numbers; sizes and counts
then hold floats.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from sfumato.errors import BadRequest, InternalError
from sfumato.groups.stats import GroupStats, Histogram

__all__ = ["refuse_bad_weights", "weighted_groups"]

_MOST = 100_000_000_000  # more persons than there are, and few enough to be added up exactly

SLACK = 1e-9


class Grouping(Protocol):
    """Anything that can count groups of equal values, in the order of the values, missing first."""

    def groups(self, columns: Sequence[str], histograms: Sequence[str] = ()) -> GroupStats:
        """Return sizes (and histograms) of the groups of equal values in ``columns``."""


def weighted_groups(table: Grouping, columns: Sequence[str], histograms: Sequence[str], weights: str) -> GroupStats:
    """Return the groups of equal values in ``columns`` with sums of a column of positive weights in place of counts."""
    counted = table.groups(columns, list(dict.fromkeys([*histograms, weights])))
    held = counted.histograms[weights]
    refuse_bad_weights(weights, held.values)
    whole = all(float(value).is_integer() for value in held.values)  # type: ignore[arg-type]
    sizes = _sums(held, whole)
    if len(sizes) and sizes.min() < 1:
        raise BadRequest("the weights of a group must stand for one person at least", column=weights)
    summed: dict[str, Histogram] = {}
    for name in histograms:
        shape = counted.histograms[name]
        # Groups on one column more come in the order of the histogram's entries: by group, then by value.
        cells = table.groups(list(dict.fromkeys([*columns, name])), [weights]).histograms[weights]
        if len(cells.start) - 1 != len(shape.code):
            raise InternalError("the cells of a histogram do not match the groups", column=name)
        summed[name] = Histogram(shape.values, shape.start, shape.code, _sums(cells, whole))
    return GroupStats(counted.columns, counted.keys, sizes, summed)


def _sums(held: Histogram, whole: bool) -> Any:
    """Return the sum of the weights in each group; whole numbers where all weights are."""
    values: npt.NDArray[Any] = np.array(held.values, np.int64 if whole else np.float64)
    if len(held.start) == 1:
        return values[:0]
    total = np.add.reduceat(values[held.code] * held.count, held.start[:-1])
    if whole:
        return total
    # Ten weights of 0.1 make 1, so that a sum meets a whole threshold in spite of rounding.
    near = np.rint(total)
    return np.where(np.abs(total - near) <= SLACK * near, near, total)


def refuse_bad_weights(column: str, values: Sequence[Any]) -> None:
    """Refuse values of a column that cannot say how many persons a record stands for."""
    if None in values:
        raise BadRequest("a weight is missing", column=column)
    if any(not 0 < value < np.inf for value in values):
        raise BadRequest("weights must be positive, finite numbers", column=column)
    if any(value > _MOST for value in values):
        raise BadRequest(f"a weight is above {_MOST:,}, more persons than a record can stand for", column=column)
