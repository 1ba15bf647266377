"""Groups of records with different sensitive values: what Anatomize builds from buckets of equal values.

Reference: Xiao, Tao, "Anatomy: simple and effective privacy preservation", 2006.
"""

from __future__ import annotations

import numpy as np

from sfumato.algorithms.groupings._bucket_kernels import fill_groups
from sfumato.kernels.arrays import Codes, Ints
from sfumato.kernels.ordering import stable_order

__all__ = ["diverse_groups", "eligible"]


def eligible(counts: Ints, l: int) -> bool:
    """Tell whether a table with these counts of sensitive values can be cut into groups without a repeated value.

    No value may occur in more than one of l records: ``max count <= n / l``. Then and only then a grouping exists in which
    no value has a share above 1/l.

    >>> eligible(np.array([5, 4, 3, 2, 1]), 3), eligible(np.array([5, 4, 3, 2, 1]), 4)
    (True, False)
    """
    return int(counts.max(initial=0)) * l <= int(counts.sum())


def diverse_groups(codes: Codes, l: int, rng: np.random.Generator) -> tuple[Codes, Codes]:
    """Return the group of each record, and the records that were left over and joined a group afterwards.

    Each group gets one random record from each of the l fullest buckets; the records that are left over, at most l - 1,
    each go to a random group without their value. Groups are numbered from 1 in an order drawn at random. The table must
    be :func:`eligible`; there are ``n // l`` groups of l to 2l - 1 records, and no group has a value twice.

    >>> groups, residues = diverse_groups(np.array([0, 0, 1, 1, 2]), 2, np.random.default_rng(0))
    >>> sorted(np.bincount(groups).tolist()), len(residues)
    ([0, 2, 3], 1)
    """
    counts = np.bincount(codes)
    values = np.flatnonzero(counts)
    counts = counts[values]
    place = np.zeros(int(values[-1]) + 1, np.min_scalar_type(len(values)))
    place[values] = np.arange(len(values))
    records = _by_bucket(place[codes], rng)
    # Equally full buckets in random order: which values meet in a group is then no habit of the alphabet.
    shuffled = rng.permutation(len(values))
    fullest = shuffled[np.argsort(-counts[shuffled], kind="stable")].astype(place.dtype)
    slots, groups = fill_groups(counts[fullest], l)
    bucket = fullest[slots].reshape(-1)
    del slots
    used = np.bincount(bucket, minlength=len(values))
    start = np.cumsum(counts) - counts
    inside = np.arange(len(records)) < np.repeat(start + used, counts)
    taken = stable_order(bucket)
    taken //= l
    number = rng.permutation(groups).astype(np.int32) + np.int32(1)
    group = np.zeros(len(codes), np.int32)
    group[records[inside]] = number[taken]
    residues = records[~inside]
    for record in residues.tolist():
        at = int(place[codes[record]])
        holds = np.zeros(groups + 1, bool)
        holds[group[records[start[at] : start[at] + counts[at]]]] = True
        holds[0] = True
        group[record] = rng.choice(np.flatnonzero(~holds))
    return group, residues


def _by_bucket(bucket: Codes, rng: np.random.Generator) -> Codes:
    """Return the records bucket by bucket, in random order inside each."""
    drawn = rng.permutation(np.arange(len(bucket), dtype=np.int32))
    return drawn[stable_order(bucket[drawn])]
