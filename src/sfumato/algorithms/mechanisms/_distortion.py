"""Replace sensitive values in groups that show one too often, until none has more than its share."""

from __future__ import annotations

import numpy as np

from sfumato.contracts.model import RELATIVE_SLACK
from sfumato.data.frozen import frozen
from sfumato.kernels.arrays import Codes, Ints

__all__ = ["Distortion", "distorted", "most_of", "numbered"]

TOGETHER = 1 << 22  # counts of values in violating groups that are looked at together


@frozen(eq=False)
class Distortion:
    """The sensitive value of every record, by code, after distortion; how many groups there are, violate, and do not."""

    codes: Ints
    groups: int
    violating: int
    satisfying: int


def distorted(group: Ints, codes: Ints, values: int, l: float, rng: np.random.Generator) -> Distortion:
    """Replace values so that in no group one is carried by more than 1/l of the records.

    ``group`` and ``codes`` give the group and the value of each record, numbered from 0. Every group must have a size that can
    be shared out.

    >>> group, codes = np.array([0, 0, 0, 0, 1, 1]), np.array([2, 2, 2, 2, 0, 1])
    >>> found = distorted(group, codes, 3, 2.0, np.random.default_rng(0))
    >>> found.violating, found.satisfying, bool(np.bincount(found.codes[:4]).max() <= 2)
    (1, 1, True)
    """
    groups = int(group.max(initial=-1)) + 1
    size = np.bincount(group, minlength=groups)
    limit = most_of(size, l)
    cell, number = np.unique(group * values + codes, return_counts=True)
    bad = np.zeros(groups, bool)
    bad[cell[number > limit[cell // values]] // values] = True
    fine = np.flatnonzero(~bad)
    shares = _Shares(cell, number, size, fine, values)
    out = codes.copy()
    order = np.argsort(group, kind="stable")
    start = np.concatenate([[0], np.cumsum(size)])
    violating = np.flatnonzero(bad)
    step = max(TOGETHER // max(values, 1), 1)
    for first in range(0, len(violating), step):
        chosen = violating[first : first + step]
        rows = order[_ranges(start[chosen], size[chosen])]
        part = np.repeat(np.arange(len(chosen)), size[chosen])
        out[rows] = _replaced(part, codes[rows], size[chosen], limit[chosen], shares, rng)
    return Distortion(out, groups, len(violating), len(fine))


@frozen(eq=False)
class _Shares:
    """The shares of values in the groups that do not violate, to be drawn from."""

    cell: Ints
    number: Ints
    size: Ints
    fine: Ints
    values: int

    def drawn(self, value: Ints, size: Ints, limit: Ints, rng: np.random.Generator) -> Ints:
        """Return how many records of groups of a size keep a value if its share is that in a group drawn at random."""
        if not len(self.fine):
            return limit
        like = self.fine[rng.integers(len(self.fine), size=len(value))]
        wanted = like * self.values + value
        at = np.minimum(np.searchsorted(self.cell, wanted), len(self.cell) - 1)
        number = np.where(self.cell[at] == wanted, self.number[at], 0)
        kept: Ints = np.minimum(number * size // self.size[like], limit)
        return kept


def _replaced(part: Ints, codes: Ints, size: Ints, limit: Ints, shares: _Shares, rng: np.random.Generator) -> Ints:
    """Return the values of the records of some violating groups, given group by group, after distortion."""
    values = shares.values
    counts = np.bincount(part * values + codes, minlength=len(size) * values).reshape(len(size), values)
    over = counts > limit[:, None]
    at, value = np.nonzero(over)
    kept = np.zeros_like(counts)
    kept[at, value] = shares.drawn(value, size[at], limit[at], rng)
    room = np.where(over, 0, limit[:, None] - counts)
    lost = np.where(over, counts - kept, 0)
    # What the others have no room for stays, with the most frequent values first.
    lacking = np.maximum(lost.sum(axis=1) - room.sum(axis=1), 0)
    by_count = np.argsort(-counts, axis=1, kind="stable")
    spare = np.take_along_axis(np.where(over, limit[:, None] - kept, 0), by_count, axis=1)
    before = np.cumsum(spare, axis=1) - spare
    back = np.clip(lacking[:, None] - before, 0, spare)
    np.put_along_axis(lost, by_count, np.take_along_axis(lost, by_count, axis=1) - back, axis=1)
    # Which records lose their value, and which of the free places they get, is drawn.
    losing = _drawn(part * values + codes, lost.reshape(-1), rng)
    slot = np.repeat(np.arange(room.size), room.reshape(-1))
    taken = _drawn(slot // values, lost.sum(axis=1), rng)
    out = codes.copy()
    out[losing[np.argsort(part[losing], kind="stable")]] = (
        slot[taken[np.argsort(slot[taken] // values, kind="stable")]] % values
    )
    return out


def _drawn(key: Ints, wanted: Ints, rng: np.random.Generator) -> Ints:
    """Draw as many places of each key as are wanted of it, in random order."""
    mixed = rng.permutation(len(key))
    order = mixed[np.argsort(key[mixed], kind="stable")]
    ranked = key[order]
    first = np.searchsorted(ranked, np.arange(len(wanted)))
    chosen = order[np.arange(len(order)) - first[ranked] < wanted[ranked]]
    drawn: Ints = chosen[rng.permutation(len(chosen))]
    return drawn


def _ranges(start: Ints, count: Ints) -> Ints:
    """Return the places of runs, one after the other."""
    before = np.cumsum(count) - count
    places: Ints = np.repeat(start - before, count) + np.arange(int(count.sum()))
    return places


def numbered(codes: Codes) -> Ints:
    """Return one number for each row of codes, from 0, the same for equal rows."""
    key = np.zeros(len(codes), np.int64)
    for column in codes.T:
        key = np.unique(key * (int(column.max(initial=0)) + 2) + column + 1, return_inverse=True)[1].reshape(-1)
    return key.astype(np.int64)


def most_of(sizes: Ints, l: float) -> Ints:
    """Return how many records of a group may carry one value, with the slack of the requirement."""
    return np.floor(sizes / l * (1 + RELATIVE_SLACK)).astype(np.int64)
