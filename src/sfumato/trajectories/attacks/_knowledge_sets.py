"""All that somebody may know who knows h things of a trace: sets of points by person, and how many persons fit each."""

from __future__ import annotations

from collections.abc import Callable
from math import comb

import numpy as np

from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Floats, Ints
from sfumato.trajectories.attacks._knowledge_kernels import fitting_counts

__all__ = ["Sets", "each_size", "fewest", "knowledge_sets", "persons_by_set", "persons_within"]

_MOST_SETS = 100_000_000
Sets = tuple[Ints, Ints]
"""The person of each set, rising, and the places of its members in a trace, a row for each."""


def knowledge_sets(starts: Ints, size: int) -> Sets:
    """Return every choice of so many points of each trace, in the order of the trace.

    >>> owners, members = knowledge_sets(np.array([0, 3, 4]), 2)
    >>> owners.tolist(), members.tolist()
    ([0, 0, 0], [[0, 1], [0, 2], [1, 2]])
    """
    lengths = np.diff(starts)
    sizes, often = np.unique(lengths, return_counts=True)
    total = sum(comb(length, size) * count for length, count in zip(sizes.tolist(), often.tolist(), strict=True))
    if total > _MOST_SETS:
        raise BadRequest(
            f"{total:,} sets of {size} points are too many to look at: fewer known points, larger cells or longer bins help",
            parameter="power",
            value=size,
        )
    owners = np.repeat(np.arange(len(lengths)), lengths)
    members = np.arange(starts[-1])[:, None]
    ends = starts[1:]
    for _ in range(size - 1):
        further = ends[owners] - members[:, -1] - 1
        first = np.cumsum(further) - further
        row = np.repeat(np.arange(len(owners)), further)
        following = np.arange(len(row)) - first[row] + members[row, -1] + 1
        owners, members = owners[row], np.column_stack((members[row], following))
    return owners, members


def persons_by_set(owners: Ints, known: Ints) -> Ints:
    """Return for each set how many persons have an equal one; ``known`` holds what is known, a row for each set."""
    key = _numbered(known)
    order = np.argsort(key, kind="stable")  # owners rise, and go on rising among equal sets
    sorted_key, sorted_owner = key[order], owners[order]
    new_key = np.concatenate(([True], sorted_key[1:] != sorted_key[:-1]))
    new = new_key | np.concatenate(([True], sorted_owner[1:] != sorted_owner[:-1]))
    group = np.cumsum(new_key) - 1
    counts = np.bincount(group[new], minlength=group[-1] + 1 if len(group) else 0)
    out = np.empty(len(key), np.int64)
    out[order] = counts[group]
    return out


def persons_within(places: Ints, values: Floats, tolerance: float) -> Ints:
    """Return for each set how many have the same places with values that differ by at most a share of its own.

    A person has at most one set of the same places. ``values`` has a row for each set: ``v`` fits ``w`` if
    ``w - tolerance w <= v <= w + tolerance w`` in every place.
    """
    key = _numbered(places)
    order = np.lexsort((*values.T[::-1], key))
    key, ranked = key[order], values[order]
    new = np.concatenate(([True], (key[1:] != key[:-1]) | (ranked[1:] != ranked[:-1]).any(axis=1)))
    alike = np.cumsum(new) - 1
    distinct = np.flatnonzero(new)
    counts = np.diff(np.append(distinct, len(key)))
    cuts = np.flatnonzero(np.concatenate(([True], key[distinct][1:] != key[distinct][:-1])))
    found = fitting_counts(np.append(cuts, len(distinct)), ranked[distinct], counts, tolerance)
    out = np.empty(len(key), np.int64)
    out[order] = found[alike]
    return out


def fewest(starts: Ints, size: int, counted: Callable[[Ints, Ints], Ints]) -> Ints:
    """Return how many persons fit the most telling set of each person; whoever knows more than a trace knows all of it.

    ``counted`` says of sets, by owner and members, how many persons fit each. Who has no trace fits everybody.
    """
    lengths = np.diff(starts)
    known = np.minimum(lengths, size)
    out = np.full(len(lengths), len(lengths), np.int64)
    for own in each_size(known):
        owners, members = knowledge_sets(starts, own)
        found = counted(owners, members)
        least = np.full(len(lengths), len(lengths), np.int64)
        np.minimum.at(least, owners, found)
        out[known == own] = least[known == own]
    return out


def each_size(known: Ints) -> list[int]:
    """Return the sizes of sets that occur."""
    return [size for size in np.unique(known).tolist() if size > 0]


def _numbered(rows: Ints) -> Ints:
    """Return a number for each row, equal for equal rows."""
    key = rows[:, 0].astype(np.int64)
    for column in rows.T[1:]:
        base = int(column.max(initial=0)) + 1
        if int(key.max(initial=0)) > 2**62 // base:
            key = np.unique(key, return_inverse=True)[1].astype(np.int64)
        key = key * base + column
    return key
