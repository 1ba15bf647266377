"""Shares of a sensitive column inside groups beside its shares in the whole table: what several models compare.

Everything stays in counts, so that ``q_s - p_s`` and ``q_s / p_s`` have one rounding at the very end: with ``c`` of the
``n`` records of a group and ``w`` of the ``N`` records of the table they are ``(c N - w n) / (n N)`` and ``c N / (w n)``.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from decimal import Decimal
from functools import cached_property
from itertools import pairwise
from math import isfinite
from numbers import Real

import numpy as np

from sfumato.contracts.model import Numbers
from sfumato.data.frozen import frozen
from sfumato.errors import BadRequest
from sfumato.groups.stats import GroupStats, Histogram
from sfumato.kernels.arrays import Floats, Ints
from sfumato.models.sensitive_model import SensitiveModel, checked_histogram

__all__ = ["Shares", "by_group_max", "by_group_sum", "numbers_of", "refuse_counting", "single"]

_PORTION = 1 << 18


def numbers_of(groups: GroupStats, column: str) -> tuple[Histogram, Floats]:
    """Return the histogram of a sensitive column and its values as numbers, by code; NaN for those that do not occur.

    Text, dates and missing values are refused: a model of numbers has no place for them.
    """
    histogram = checked_histogram(groups, column, "count")
    out = np.full(len(histogram.values), np.nan)
    for code in np.flatnonzero(groups.whole_table(column)).tolist():
        value = histogram.values[code]
        number = isinstance(value, (Real, Decimal)) and not isinstance(value, bool)
        if not number or not isfinite(value):  # type: ignore[arg-type]
            kind = "a missing value" if value is None else f"a value of type {type(value).__name__}"
            raise BadRequest("must hold finite numbers only", column=column, value=kind)
        out[code] = float(value)  # type: ignore[arg-type]
    return histogram, out


def single(groups: GroupStats, column: str, group: int) -> GroupStats:
    """Return one group of a partition alone, with the whole table for reference: what a witness needs to look at."""
    histogram = groups.histograms[column]
    entries = slice(int(histogram.start[group]), int(histogram.start[group + 1]))
    code, count = histogram.code[entries], histogram.count[entries]
    return GroupStats(
        groups.columns,
        tuple([value] for value in groups.key(group)),
        groups.sizes[group : group + 1],
        {column: Histogram(histogram.values, np.array([0, len(code)], np.int64), code, count)},
        {column: groups.whole_table(column)},
        groups.records,
    )


def refuse_counting(model: SensitiveModel) -> None:
    """Refuse to count a missing value as a number."""
    if model.missing == "count":
        raise BadRequest(
            "is for categories: a missing number has no place among the others",
            parameter=f"{model.id}.missing",
            value=model.missing,
            available=["refuse"],
        )


def by_group_sum(values: Numbers, start: Ints) -> Numbers:
    """Add up the entries of each group."""
    return np.add.reduceat(values, start[:-1]) if len(start) > 1 else values[:0]


def by_group_max(values: Numbers, start: Ints) -> Numbers:
    """Return the largest entry of each group."""
    return np.maximum.reduceat(values, start[:-1]) if len(start) > 1 else values[:0]


@frozen(eq=False)
class Shares:
    """Counts of values inside groups and in the whole table.

    Entry e says that ``count[e]`` records of its group carry the value ``code[e]``; the entries of group g are
    ``start[g]:start[g + 1]``, and ``size[g]`` is their sum. ``whole`` counts each value in the table of ``total`` records.
    """

    values: tuple[Hashable, ...]
    start: Ints
    code: Ints
    count: Numbers
    size: Numbers
    whole: Numbers
    total: float | int

    @classmethod
    def of(cls, groups: GroupStats, model: SensitiveModel) -> Shares:
        """Return the shares of the model's column in a partition and in the whole table."""
        histogram = model.histogram(groups)
        whole = groups.whole_table(model.sensitive)
        return cls(
            histogram.values,
            histogram.start,
            histogram.code,
            histogram.count,
            histogram.totals(),
            whole,
            whole.sum().item(),
        )

    @classmethod
    def of_two(cls, group: Mapping[Hashable, float], overall: Mapping[Hashable, float]) -> Shares:
        """Return the shares of one group given as counts or probabilities, with the overall ones given likewise."""
        for name, given in (("group", group), ("overall", overall)):
            if any(not weight >= 0 for weight in given.values()) or not sum(given.values()) > 0:
                raise BadRequest("needs counts or probabilities >= 0, not all 0", parameter=name)
        present = {value for given in (group, overall) for value, weight in given.items() if weight > 0}
        values = tuple(sorted(present, key=lambda value: (str(type(value)), value)))
        count = np.array([group.get(value, 0) for value in values])
        whole = np.array([overall.get(value, 0) for value in values])
        code = np.flatnonzero(count > 0)
        start = np.array([0, len(code)], np.int64)
        return cls(values, start, code, count[code], count.sum(keepdims=True), whole, whole.sum().item())

    def parts(self) -> Iterator[tuple[slice, slice, Shares]]:
        """Yield the shares of some groups after the other, with the places of these groups and of their entries.

        What is worked out of each entry is several times what was counted: of millions of groups it need not be there at once.

        >>> shares = Shares.of_two({"Flu": 1, "HIV": 1}, {"Flu": 3, "HIV": 1})
        >>> [(groups, entries, part.surplus.tolist()) for groups, entries, part in shares.parts()]
        [(slice(0, 1, None), slice(0, 2, None), [-2, 2])]
        """
        cuts = np.searchsorted(self.start, np.arange(0, len(self.code), _PORTION))
        for first, last in pairwise(dict.fromkeys([*cuts.tolist(), len(self.start) - 1])):
            groups, entries = slice(first, last), slice(int(self.start[first]), int(self.start[last]))
            start = self.start[first : last + 1] - self.start[first]
            held = self.values, start, self.code[entries], self.count[entries], self.size[groups]
            yield groups, entries, Shares(*held, self.whole, self.total)

    def group_at(self, entry: int) -> int:
        """Return the group of one entry."""
        return int(np.searchsorted(self.start, entry, side="right")) - 1

    @cached_property
    def group(self) -> Ints:
        """The group of each entry."""
        return np.repeat(np.arange(len(self.start) - 1, dtype=np.int64), np.diff(self.start))

    @cached_property
    def entry_size(self) -> Numbers:
        """The size of the group of each entry, ``n``."""
        return self.size[self.group]

    @cached_property
    def entry_whole(self) -> Numbers:
        """The count of the value of each entry in the whole table, ``w``."""
        return self.whole[self.code]

    @cached_property
    def surplus(self) -> Numbers:
        """``c N - w n`` of each entry: how far the value is more frequent in the group than in the table."""
        return self.count * self.total - self.entry_whole * self.entry_size

    @cached_property
    def gain(self) -> Floats:
        """``(q_s - p_s) / p_s`` of each entry."""
        return np.asarray(self.surplus / (self.entry_whole * self.entry_size), np.float64)

    @cached_property
    def ratio(self) -> Floats:
        """``q_s / p_s`` of each entry."""
        return np.asarray(self.count * self.total / (self.entry_whole * self.entry_size), np.float64)

    @cached_property
    def occurring(self) -> Ints:
        """The codes of the values that occur in the table or in a group."""
        used = self.whole > 0
        used[self.code] = True
        return np.flatnonzero(used)

    def belief(self, entry: int) -> dict[str, object]:
        """Return what an adversary thinks of the value of one entry before and after seeing the group."""
        prior, posterior = self.beliefs(entry)
        return {
            "value": self.values[self.code[entry]],
            "prior": prior,
            "posterior": posterior,
            "ratio": float(self.ratio[entry]),
        }

    def beliefs(self, entry: int) -> tuple[float, float]:
        """Return how probable the value of one entry is in the table and in its group."""
        size = self.size[self.group_at(entry)]
        return float(self.whole[self.code[entry]] / self.total), float(self.count[entry] / size)
