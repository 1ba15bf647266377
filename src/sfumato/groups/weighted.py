"""Groups of records that stand for several persons each: sizes and histograms are sums of weights.

Sums of whole weights are whole numbers, and everything works as for counts. Other sums are real numbers; sizes and counts
then hold floats.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from sfumato.errors import BadRequest, InternalError
from sfumato.groups.stats import GroupStats, Histogram

__all__ = ["WeightedGroups", "WeightedHistogram", "weighted_groups"]

SLACK = 1e-9


class Grouping(Protocol):
    """Anything that can count groups of equal values, in the order of the values, missing first."""

    def groups(self, columns: Sequence[str], histograms: Sequence[str] = ()) -> GroupStats:
        """Return sizes (and histograms) of the groups of equal values in ``columns``."""


class WeightedHistogram(Histogram):
    """A histogram of real sums of weights instead of counts."""

    def per_value(self) -> Any:
        """Return the weight of each value over all groups."""
        return np.bincount(self.code, weights=self.count, minlength=len(self.values))

    def of(self, value: Hashable) -> Any:
        """Return the weight of one value in each group; 0 everywhere if it does not occur."""
        out = np.zeros(len(self.start) - 1)
        if value in self.values:
            entries = np.flatnonzero(self.code == self.values.index(value))
            out[self.group()[entries]] = self.count[entries]
        return out

    def row(self, group: int) -> dict[Hashable, Any]:
        """Return ``{value: weight}`` of one group."""
        entries = slice(int(self.start[group]), int(self.start[group + 1]))
        return {
            self.values[code]: float(count) for code, count in zip(self.code[entries], self.count[entries], strict=True)
        }

    def dense(self) -> Any:
        """Return ``groups x values`` weights; mind the memory with many of both."""
        out = np.zeros((len(self.start) - 1, len(self.values)))
        out[self.group(), self.code] = self.count
        return out

    def merge(self, target: Any, groups: int) -> WeightedHistogram:
        """Add up the rows of groups that are sent to the same target group."""
        width = max(len(self.values), 1)
        key = np.repeat(np.asarray(target, np.int64), np.diff(self.start)) * width + self.code
        distinct, where = np.unique(key, return_inverse=True)
        start = np.searchsorted(distinct, np.arange(groups + 1, dtype=np.int64) * width).astype(np.int64)
        total: Any = np.bincount(where, weights=self.count, minlength=len(distinct))
        return WeightedHistogram(self.values, start, distinct % width, total)


class WeightedGroups(GroupStats):
    """Groups whose sizes are real sums of weights."""

    def merge(self, target: Any) -> WeightedGroups:
        """Merge groups that share a target number (0, 1, ...); a merged group keeps the key of its first member."""
        merged = super().merge(target)
        sizes: Any = np.bincount(np.asarray(target, np.int64), weights=self.sizes, minlength=len(merged))
        return WeightedGroups(merged.columns, merged.keys, sizes, merged.histograms, merged.whole)


def weighted_groups(table: Grouping, columns: Sequence[str], histograms: Sequence[str], weights: str) -> GroupStats:
    """Return the groups of equal values in ``columns`` with sums of a column of positive weights in place of counts."""
    counted = table.groups(columns, list(dict.fromkeys([*histograms, weights])))
    held = counted.histograms[weights]
    _refuse_bad_weights(weights, held.values)
    whole = all(float(value).is_integer() for value in held.values)  # type: ignore[arg-type]
    sizes = _sums(held, whole)
    if len(sizes) and sizes.min() < 1:
        raise BadRequest("the weights of a group must stand for one person at least", column=weights)
    summed: dict[str, Histogram] = {}
    kind = Histogram if whole else WeightedHistogram
    for name in histograms:
        shape = counted.histograms[name]
        # Groups on one column more come in the order of the histogram's entries: by group, then by value.
        cells = table.groups(list(dict.fromkeys([*columns, name])), [weights]).histograms[weights]
        if len(cells.start) - 1 != len(shape.code):
            raise InternalError("the cells of a histogram do not match the groups", column=name)
        summed[name] = kind(shape.values, shape.start, shape.code, _sums(cells, whole))
    made = GroupStats if whole else WeightedGroups
    return made(counted.columns, counted.keys, sizes, summed)


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


def _refuse_bad_weights(column: str, values: Sequence[Any]) -> None:
    if None in values:
        raise BadRequest("a weight is missing", column=column)
    if any(not 0 < value < np.inf for value in values):
        raise BadRequest("weights must be positive, finite numbers", column=column)
