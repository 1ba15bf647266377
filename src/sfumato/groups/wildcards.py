"""Wildcards: groups in which an empty cell matches every value, so that matching is no longer a matter of being equal."""

from __future__ import annotations

from collections.abc import Collection, Hashable

import numpy as np

from sfumato.groups.distinct import distinct_rows
from sfumato.groups.stats import GroupStats
from sfumato.kernels.arrays import Floats, Ints

__all__ = ["matching", "wildcard_codes"]


def wildcard_codes(groups: GroupStats, empty: Collection[Hashable]) -> Ints:
    """Return the values of groups as numbers, column by column; -1 stands for every one of ``empty``."""
    out = np.empty((len(groups), len(groups.keys)), np.int64)
    for at, keys in enumerate(groups.keys):
        place: dict[Hashable, int] = dict.fromkeys(empty, -1)
        out[:, at] = [place.setdefault(key, len(place)) for key in keys]
    return out


def matching(codes: Ints, amounts: Floats) -> Floats:
    """Return the amounts of all groups that match each one: equal in every column in which neither is empty.

    Groups with gaps in the same columns are summed up together, over the columns that they share with others.

    >>> matching(np.array([[0, 0], [-1, 1], [1, 1]]), np.array([[2.0], [1.0], [3.0]])).ravel().tolist()
    [2.0, 4.0, 4.0]
    """
    gaps, pattern = distinct_rows(codes < 0)
    members = [np.flatnonzero(pattern == number) for number in range(len(gaps))]
    out = np.zeros_like(amounts)
    for mine, own in zip(gaps, members, strict=True):
        for theirs, others in zip(gaps, members, strict=True):
            shared = np.flatnonzero(~(mine | theirs))
            both = codes[np.ix_(np.concatenate([own, others]), shared)]
            found = distinct_rows(both)[1] if len(shared) else np.zeros(len(both), np.int64)
            for at in range(amounts.shape[1]):
                sums = np.bincount(found[len(own) :], amounts[others, at], minlength=found.max() + 1)
                out[own, at] += sums[found[: len(own)]]
    return out
