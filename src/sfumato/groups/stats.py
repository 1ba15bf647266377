"""Group statistics: how many records look alike, and how a column is distributed inside each group."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from sfumato.errors import BadRequest

__all__ = ["GroupStats", "Histogram"]

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Histogram:
    """Counts of one column's values inside each group, as rows ``start[g]:start[g+1]`` of ``code`` and ``count``.

    Codes rise inside a group and index ``values``; only values that occur are stored.
    """

    values: tuple[Hashable, ...]
    start: Ints
    code: Ints
    count: Ints

    @classmethod
    def from_pairs(cls, groups: int, values: Sequence[Hashable], group: Ints, code: Ints, count: Ints) -> Histogram:
        """Build from (group, value, count) triples in any order; equal pairs are added."""
        width = max(len(values), 1)
        key = group.astype(np.int64) * width + code
        distinct, where = np.unique(key, return_inverse=True)
        total = np.zeros(len(distinct), np.int64)
        np.add.at(total, where, count)
        keep = total > 0
        distinct, total = distinct[keep], total[keep]
        start = np.searchsorted(distinct, np.arange(groups + 1, dtype=np.int64) * width)
        return cls(tuple(values), start.astype(np.int64), distinct % width, total)

    def dense(self) -> Ints:
        """Return ``groups x values`` counts; mind the memory with many of both."""
        out = np.zeros((len(self.start) - 1, len(self.values)), np.int64)
        group = np.repeat(np.arange(len(self.start) - 1), np.diff(self.start))
        out[group, self.code] = self.count
        return out

    def merge(self, target: Ints, groups: int) -> Histogram:
        """Add up the rows of groups that are sent to the same target group."""
        group = np.repeat(np.asarray(target, np.int64), np.diff(self.start))
        return Histogram.from_pairs(groups, self.values, group, self.code, self.count)


@dataclass(frozen=True, eq=False)
class GroupStats:
    """A partition of records by what is published of them: sizes, the published values, histograms by column.

    >>> groups = GroupStats.from_sizes([99, 1])
    >>> groups.merge([0, 0]).sizes
    array([100])
    """

    columns: tuple[str, ...]
    keys: tuple[Sequence[Hashable], ...]
    sizes: Ints
    histograms: Mapping[str, Histogram] = field(default_factory=dict)

    @classmethod
    def from_sizes(cls, sizes: Sequence[int]) -> GroupStats:
        """Build from sizes alone; groups are named by their position."""
        counts = np.asarray(sizes, np.int64)
        if counts.ndim != 1 or (counts <= 0).any():
            raise BadRequest("group sizes must be positive whole numbers", parameter="sizes", value=list(sizes))
        return cls(("group",), (list(range(len(counts))),), counts)

    def __len__(self) -> int:
        return len(self.sizes)

    def key(self, group: int) -> tuple[Hashable, ...]:
        """Return the published values that the records of a group share."""
        return tuple(values[group] for values in self.keys)

    def as_dict(self) -> dict[tuple[Hashable, ...], int]:
        """Return ``{published values: size}``."""
        return {self.key(group): int(size) for group, size in enumerate(self.sizes)}

    def merge(self, target: Sequence[int] | Ints) -> GroupStats:
        """Merge groups that share a target number (0, 1, ...); a merged group keeps the key of its first member."""
        sent = np.asarray(target, np.int64)
        if len(sent) != len(self):
            raise BadRequest("needs one target per group", parameter="target", value=len(sent))
        groups = int(sent.max()) + 1 if len(sent) else 0
        first = np.full(groups, -1, np.int64)
        for group in range(len(sent) - 1, -1, -1):
            first[sent[group]] = group
        if (first < 0).any():
            raise BadRequest("targets must be numbered without gaps", parameter="target")
        return GroupStats(
            self.columns,
            tuple([values[int(group)] for group in first] for values in self.keys),
            np.bincount(sent, weights=self.sizes, minlength=groups).astype(np.int64),
            {name: histogram.merge(sent, groups) for name, histogram in self.histograms.items()},
        )
