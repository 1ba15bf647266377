"""Group statistics: how many records look alike, and how a column is distributed inside each group."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any

import numpy as np

from sfumato.data.frozen import frozen
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Codes, Floats, Ints

__all__ = ["CodedKeys", "GroupStats", "Histogram"]


@frozen(eq=False)
class CodedKeys(Sequence[Hashable]):
    """The published values of one column, group by group, as codes: a value is looked up when somebody asks for it.

    Code -1 stands for a missing value.
    """

    values: Sequence[Hashable]
    codes: Codes

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return CodedKeys(self.values, self.codes[index])
        code = self.codes[index]
        return None if code < 0 else self.values[code]

    def __iter__(self) -> Iterator[Hashable]:
        # The last entry answers for missing, -1.
        return map([*self.values, None].__getitem__, self.codes.tolist())

    @classmethod
    def of(cls, keys: Sequence[Hashable]) -> CodedKeys:
        """Return published values as codes, whatever form they come in.

        >>> coded = CodedKeys.of(["b", None, "b"])
        >>> coded.values, coded.codes.tolist(), list(coded)
        (['b'], [0, -1, 0], ['b', None, 'b'])
        """
        if isinstance(keys, CodedKeys):
            return keys
        numbers: dict[Hashable, int] = {}
        codes = [-1 if key is None else numbers.setdefault(key, len(numbers)) for key in keys]
        return cls(list(numbers), np.array(codes, np.int32))

    def take(self, groups: Ints | Codes) -> CodedKeys:
        """Return the values of some groups."""
        return CodedKeys(self.values, self.codes[groups])


_PORTION = 1 << 20  # entries that are added up at once, in wider numbers


@frozen(eq=False)
class Histogram:
    """Counts of one column's values inside each group, as rows ``start[g]:start[g+1]`` of ``code`` and ``count``.

    Codes rise inside a group and index ``values``; only values that occur are stored.
    """

    values: tuple[Hashable, ...]
    start: Ints
    code: Ints
    count: Ints

    @classmethod
    def from_pairs(
        cls, groups: int, values: Sequence[Hashable], group: Ints | Codes, code: Ints, count: Ints
    ) -> Histogram:
        """Build from (group, value, count) triples in any order; equal pairs are added."""
        # What is counted and in order already is told by neighbours: a key for each pair would be more than the pairs.
        further = group[1:] == group[:-1]
        further &= code[1:] > code[:-1]
        further |= group[1:] > group[:-1]
        if not further.all():
            width = max(len(values), 1)
            key = group.astype(np.int64)
            key *= width
            key += code
            distinct, where = np.unique(key, return_inverse=True)
            group, code = distinct // width, distinct % width
            given, count = count, np.zeros(len(distinct), count.dtype)
            np.add.at(count, where, given)
        keep = count > 0
        if not keep.all():
            group, code, count = group[keep], code[keep], count[keep]
        start = np.searchsorted(group, np.arange(groups + 1, dtype=group.dtype))
        return cls(tuple(values), start.astype(np.int64, copy=False), code.astype(np.int64, copy=False), count)

    # Every group holds at least one record, so reducing over the runs of ``start`` is safe.

    def distinct(self) -> Ints:
        """Return the number of distinct values in each group."""
        return np.diff(self.start)

    def totals(self) -> Ints:
        """Return the number of records counted in each group."""
        return np.add.reduceat(self.count, self.start[:-1]) if len(self.start) > 1 else np.empty(0, np.int64)

    def largest(self) -> Ints:
        """Return the count of the most frequent value of each group."""
        return np.maximum.reduceat(self.count, self.start[:-1]) if len(self.start) > 1 else np.empty(0, np.int64)

    def group(self) -> Ints:
        """Return the group of each stored (value, count) entry."""
        return np.repeat(np.arange(len(self.start) - 1, dtype=np.int64), np.diff(self.start))

    def per_value(self) -> Ints:
        """Return the count of each value over all groups."""
        if self.count.dtype.kind != "i":  # the order of sums tells in the last digit
            return np.bincount(self.code, weights=self.count, minlength=len(self.values)).astype(self.count.dtype)
        out = np.zeros(len(self.values), self.count.dtype)
        for start in range(0, len(self.code), _PORTION):
            part = slice(start, start + _PORTION)
            out += np.bincount(self.code[part], self.count[part], len(out)).astype(out.dtype)
        return out

    def of(self, value: Hashable) -> Ints:
        """Return the count of one value in each group; 0 everywhere if it does not occur."""
        out = np.zeros(len(self.start) - 1, self.count.dtype)
        if value in self.values:
            entries = np.flatnonzero(self.code == self.values.index(value))
            out[self.group()[entries]] = self.count[entries]
        return out

    def row(self, group: int) -> dict[Hashable, int]:
        """Return ``{value: count}`` of one group."""
        entries = slice(int(self.start[group]), int(self.start[group + 1]))
        return {
            self.values[code]: count.item() for code, count in zip(self.code[entries], self.count[entries], strict=True)
        }

    def dense(self) -> Ints:
        """Return ``groups x values`` counts; mind the memory with many of both."""
        out = np.zeros((len(self.start) - 1, len(self.values)), self.count.dtype)
        out[self.group(), self.code] = self.count
        return out

    def taken(self, groups: Ints) -> Histogram:
        """Return the rows of some groups, in the given order."""
        lengths = self.distinct()[groups]
        start = np.zeros(len(groups) + 1, np.int64)
        np.cumsum(lengths, out=start[1:])
        entries = np.repeat(self.start[groups] - start[:-1], lengths) + np.arange(start[-1])
        return Histogram(self.values, start, self.code[entries], self.count[entries])

    def merge(self, target: Ints, groups: int) -> Histogram:
        """Add up the rows of groups that are sent to the same target group."""
        group = np.repeat(np.asarray(target, np.int64), np.diff(self.start))
        return Histogram.from_pairs(groups, self.values, group, self.code, self.count)


@frozen(eq=False)
class GroupStats:
    """A partition of records by what is published of them: sizes, the published values, histograms by column.

    Sizes and counts are whole numbers, unless records carry weights that are not. Searches show some groups of a table only:
    ``whole`` and ``table_records`` then say what the table holds. Whoever compares a group with the table asks
    :meth:`whole_table` and :attr:`records`, never the groups at hand. ``people`` is how many persons of a population look like
    each group, ``lost`` the share of a record's bits that its published values leave open, both where somebody counted them.

    >>> groups = GroupStats.from_sizes([99, 1])
    >>> groups.merge([0, 0]).sizes
    array([100])
    """

    columns: tuple[str, ...]
    keys: tuple[Sequence[Hashable], ...]
    sizes: Ints
    histograms: Mapping[str, Histogram] = field(default_factory=dict)
    whole: Mapping[str, Ints] = field(default_factory=dict)
    table_records: float | None = None
    people: Ints | None = None
    lost: Floats | None = None

    @classmethod
    def from_histograms(
        cls,
        groups: Mapping[Hashable, Mapping[Hashable, int]] | Sequence[Mapping[Hashable, int]],
        column: str = "sensitive",
    ) -> GroupStats:
        """Build from one histogram of a sensitive column per group, named or not.

        >>> GroupStats.from_histograms([{"Flu": 3, "HIV": 1}, {"Flu": 2}]).sizes.tolist()
        [4, 2]
        """
        named = groups if isinstance(groups, Mapping) else dict(enumerate(groups))
        present = {value for histogram in named.values() for value, count in histogram.items() if count}
        values = sorted(present, key=lambda value: (str(type(value)), value))
        place = {value: code for code, value in enumerate(values)}
        triples = [
            (group, place[value], count)
            for group, histogram in enumerate(named.values())
            for value, count in histogram.items()
            if count
        ]
        if any(count < 0 for _, _, count in triples):
            raise BadRequest("counts must not be negative", parameter="groups")
        group, code, count = (
            (np.array(part, np.int64) for part in zip(*triples, strict=True))
            if triples
            else [np.empty(0, np.int64)] * 3
        )
        histogram = Histogram.from_pairs(len(named), values, group, code, count)
        if len(named) and (histogram.distinct() == 0).any():
            raise BadRequest("a group holds no record", parameter="groups")
        return cls(("group",), (list(named),), histogram.totals(), {column: histogram})

    def whole_table(self, column: str) -> Ints:
        """Return the count of each value of a column over the whole table.

        Usually that is the sum over the groups; a search that looks at some groups only says what the table holds.
        """
        return self.whole[column] if column in self.whole else self.histograms[column].per_value()

    @property
    def records(self) -> float:
        """Number of records of the whole table, whatever part of it is shown."""
        shown: float = self.sizes.sum().item()
        return shown if self.table_records is None else self.table_records

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
        return {self.key(group): size.item() for group, size in enumerate(self.sizes)}

    def taken(self, groups: Ints) -> GroupStats:
        """Return some of the groups, in the given order; what the whole table holds stays as it was.

        >>> GroupStats.from_sizes([99, 1]).taken(np.array([1])).records
        100
        """
        return GroupStats(
            self.columns,
            tuple(_taken(values, groups) for values in self.keys),
            self.sizes[groups],
            {name: histogram.taken(groups) for name, histogram in self.histograms.items()},
            {**self.whole, **{name: self.whole_table(name) for name in self.histograms}},
            self.records,
            None if self.people is None else self.people[groups],
            None if self.lost is None else self.lost[groups],
        )

    def merge(self, target: Sequence[int] | Ints) -> GroupStats:
        """Merge groups that share a target number (0, 1, ...); a merged group keeps the key of its first member.

        What its published values leave open is then not known.
        """
        sent = np.asarray(target, np.int64)
        if len(sent) != len(self):
            raise BadRequest("needs one target per group", parameter="target", value=len(sent))
        present, first = np.unique(sent, return_index=True)
        groups = len(present)
        if groups and (present[0] != 0 or present[-1] != groups - 1):
            raise BadRequest("targets must be numbered from 0 without gaps", parameter="target")
        return GroupStats(
            self.columns,
            tuple(_taken(values, first) for values in self.keys),
            np.bincount(sent, weights=self.sizes, minlength=groups).astype(self.sizes.dtype),
            {name: histogram.merge(sent, groups) for name, histogram in self.histograms.items()},
            self.whole,
            self.table_records,
            None
            if self.people is None
            else np.bincount(sent, weights=self.people, minlength=groups).astype(self.people.dtype),
        )


def _taken(values: Sequence[Hashable], groups: Ints) -> Sequence[Hashable]:
    return values.take(groups) if isinstance(values, CodedKeys) else [values[int(group)] for group in groups]
