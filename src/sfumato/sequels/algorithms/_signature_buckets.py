"""Buckets of m-invariance: who is grouped with which sensitive values, and where a counterfeit has to stand in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from sfumato.kernels.arrays import Ints

__all__ = ["COUNTERFEIT", "Buckets", "eligible", "fill_buckets"]

COUNTERFEIT = -1

Signature = tuple[int, ...]


def eligible(counts: Ints, m: int) -> bool:
    """Tell whether records with these counts of values can be parted into groups of m different values or more.

    >>> eligible(np.array([2, 1, 1]), 2), eligible(np.array([3, 1, 1]), 2), eligible(np.array([0, 0]), 2)
    (True, False, True)
    """
    return int(counts.max(initial=0)) * m <= int(counts.sum())


@dataclass(eq=False)
class Buckets:
    """Records by signature and value: as many of each value of a bucket, counterfeits included; -1 is a counterfeit."""

    held: dict[Signature, list[list[int]]] = field(default_factory=dict)
    completed: int = 0

    def add(self, signature: Signature, value: int, record: int) -> None:
        """Put a record, or a counterfeit, into the bucket of a signature."""
        lists = self.held.setdefault(signature, [[] for _ in signature])
        lists[signature.index(value)].append(record)

    def trim(self) -> None:
        """Leave as many of each value as one of them has real records: no group is made of counterfeits alone."""
        for lists in self.held.values():
            real = [[record for record in one if record != COUNTERFEIT] for one in lists]
            wanted = max(map(len, real))
            for one, kept in zip(lists, real, strict=True):
                one[:] = kept + [COUNTERFEIT] * (wanted - len(kept))

    @property
    def counterfeits(self) -> int:
        """Number of counterfeits."""
        return sum(one.count(COUNTERFEIT) for lists in self.held.values() for one in lists)


def fill_buckets(old: Mapping[int, Signature], value: Ints, new: Sequence[int], kinds: int, m: int) -> Buckets:
    """Return all records in balanced buckets: ``old`` by the signature that hosted them, ``new`` wherever they fit.

    *Division*: a bucket for each old signature. *Balancing*: a value that a bucket has too seldom is filled by a new record, if
    the other new ones can still be parted (:func:`eligible`), else by a counterfeit. *Assignment*: new records go by the
    smallest number of their most frequent values, m or more, whose removal leaves the rest eligible; as many of each at once
    as that allows. New records that are not eligible are completed to m values with counterfeits. Where real records took the
    places that counterfeits were kept for, those go.
    """
    made = Buckets()
    for record, signature in old.items():
        made.add(signature, int(value[record]), record)
    waiting: list[list[int]] = [[] for _ in range(kinds)]
    for record in reversed(new):
        waiting[value[record]].append(record)
    counts = np.array([len(one) for one in waiting], np.int64)
    for signature in sorted(made.held):
        lists = made.held[signature]
        wanted = max(map(len, lists))
        for at, kind in enumerate(signature):
            while len(lists[at]) < wanted:
                counts[kind] -= 1
                if counts[kind] >= 0 and eligible(counts, m):
                    made.add(signature, kind, waiting[kind].pop())
                else:
                    counts[kind] += 1
                    made.add(signature, kind, COUNTERFEIT)
    while counts.sum() and not eligible(counts, m):
        _complete(made, waiting, counts, m)
    while counts.sum():
        _assign(made, waiting, counts, m)
    made.trim()
    return made


def _frequent(counts: Ints) -> Ints:
    """Return the values that occur, the most frequent first."""
    order = np.argsort(-counts, kind="stable")
    found: Ints = order[counts[order] > 0]
    return found


def _assign(made: Buckets, waiting: list[list[int]], counts: Ints, m: int) -> None:
    """Move as many records of the most frequent values as leaves the rest eligible."""
    order = _frequent(counts)
    for width in range(m, len(order) + 1):
        chosen = order[:width]
        counts[chosen] -= 1
        if not eligible(counts, m):
            counts[chosen] += 1
            continue
        taken, more = 1, 1
        while more:  # the rest stays eligible for a run of steps; larger strides only save rounds
            counts[chosen] -= more
            if counts[chosen].min() >= 0 and eligible(counts, m):
                taken, more = taken + more, 2 * more
            else:
                counts[chosen] += more
                more //= 2
        signature = tuple(sorted(chosen.tolist()))
        for kind in signature:
            for _ in range(taken):
                made.add(signature, kind, waiting[kind].pop())
        return
    raise AssertionError("records that are eligible can be parted")


def _complete(made: Buckets, waiting: list[list[int]], counts: Ints, m: int) -> None:
    """Take one record of each of the most frequent values and add counterfeits of other values up to m."""
    chosen = _frequent(counts)[:m].tolist()
    lacking = [kind for kind in range(len(counts)) if kind not in chosen][: m - len(chosen)]
    signature = tuple(sorted([*chosen, *lacking]))
    for kind in signature:
        if kind in chosen:
            counts[kind] -= 1
        made.add(signature, kind, waiting[kind].pop() if kind in chosen else COUNTERFEIT)
    made.completed += 1
