"""What one of two releases has and the other lacks, group by group, as far as they label them alike."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from sfumato.attacks._partitions import numbered
from sfumato.attacks._shared_codes import codes_in, codes_of_values
from sfumato.data.frozen import frozen
from sfumato.groups.stats import CodedKeys, GroupStats
from sfumato.kernels.arrays import Ints

__all__ = ["Difference", "Differences", "differences_of"]


@frozen
class Difference:
    """The few records of a group that one release has beside those of the other: labels and sensitive values."""

    key: tuple[Hashable, ...]
    only_in: str
    values: dict[Hashable, int]


@frozen(eq=False)
class Differences:
    """Entries (label tuple, value, how many more records the first release has), where the two releases differ.

    Label tuples are numbered: those of the first release in its order, then those that only the second has. ``first`` and
    ``second`` say how many records a label tuple has.
    """

    groups: GroupStats
    values: tuple[Hashable, ...]
    first: Ints
    second: Ints
    key: Ints
    value: Ints
    more: Ints

    @property
    def only_first(self) -> int:
        """Number of records that only the first release has."""
        return int(np.maximum(self.more, 0).sum())

    @property
    def only_second(self) -> int:
        """Number of records that only the second release has."""
        return int(np.maximum(-self.more, 0).sum())

    @property
    def shared_groups(self) -> int:
        """Number of groups that both releases have."""
        return int(np.count_nonzero((self.first > 0) & (self.second > 0)))

    def isolated(self, k: int) -> Ints:
        """Return the groups of which one release has all that the other has, and fewer than k records beside."""
        gained, lost = (
            np.bincount(self.key, np.maximum(sign * self.more, 0), len(self.first)).astype(np.int64) for sign in (1, -1)
        )
        one_way = (gained == 0) | (lost == 0)
        shared = (self.first > 0) & (self.second > 0)
        return np.flatnonzero(one_way & shared & (gained + lost > 0) & (gained + lost < k))

    def shown(self, keys: Ints) -> list[Difference]:
        """Return what differs in some groups that both releases have."""
        out = []
        for key in keys.tolist():
            entries = np.flatnonzero(self.key == key)
            values = {self.values[self.value[at]]: abs(int(self.more[at])) for at in entries.tolist()}
            out.append(Difference(self.groups.key(key), "published" if self.more[entries[0]] > 0 else "other", values))
        return out


def differences_of(groups: GroupStats, others: GroupStats, sensitive: str) -> Differences:
    """Compare the groups of two releases."""
    mine = np.column_stack([codes_in(keys, _known(keys)) for keys in groups.keys])
    theirs = np.column_stack([codes_in(keys, _known(own)) for own, keys in zip(groups.keys, others.keys, strict=True)])
    _, number = numbered(np.concatenate([mine, np.maximum(theirs, -1)]))
    place = np.full(int(number.max(initial=-1)) + 1, -1, np.int64)
    place[number[: len(mine)]] = np.arange(len(mine))
    key = np.where((theirs >= -1).all(axis=1), place[number[len(mine) :]], -1)
    key[key < 0] = len(mine) + np.arange(int(np.count_nonzero(key < 0)))
    keys = max(len(mine), int(key.max(initial=-1)) + 1)
    a, b = groups.histograms[sensitive], others.histograms[sensitive]
    code = codes_of_values(b.values, a.values)
    fresh = np.flatnonzero(code < 0)
    code[fresh] = len(a.values) + np.arange(len(fresh))
    values = (*a.values, *(b.values[at] for at in fresh.tolist()))
    width = max(len(values), 1)
    entry = np.concatenate([a.group() * width + a.code, key[b.group()] * width + code[b.code]])
    distinct, at = np.unique(entry, return_inverse=True)
    more = np.bincount(at, np.concatenate([a.count, -b.count]), len(distinct)).astype(np.int64)
    distinct, more = distinct[more != 0], more[more != 0]
    first, second = np.zeros(keys, np.int64), np.zeros(keys, np.int64)
    first[: len(mine)], second[key] = groups.sizes, others.sizes
    return Differences(groups, values, first, second, distinct // width, distinct % width, more)


def _known(keys: Sequence[Hashable]) -> Sequence[Hashable]:
    return keys.values if isinstance(keys, CodedKeys) else keys
