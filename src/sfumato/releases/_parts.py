"""What kinds of release share that put records into groups: one number for each record, and shuffles."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Array, Ints

__all__ = ["Groups", "group_numbers", "shuffled"]

Groups = Sequence[int] | Array
"""A number for each record."""


def group_numbers(groups: Groups, rows: int) -> Ints:
    """Return one whole number per record; refuse anything else."""
    if rows == 0:
        raise BadRequest("has no record", parameter="table")
    numbers = np.asarray(groups)
    if numbers.ndim != 1 or len(numbers) != rows:
        raise BadRequest(f"needs one group for each of the {rows:,} records", parameter="groups", value=numbers.shape)
    if numbers.dtype.kind not in "iu":
        raise BadRequest("group numbers must be whole numbers", parameter="groups", value=str(numbers.dtype))
    return numbers.astype(np.int64)


def shuffled(groups: Ints, rng: np.random.Generator) -> Ints:
    """Return the records group by group, in an order inside each group that is drawn uniformly.

    >>> order = shuffled(np.array([2, 1, 2, 1]), np.random.default_rng(0))
    >>> sorted(order[:2].tolist()), sorted(order[2:].tolist())
    ([1, 3], [0, 2])
    """
    order = rng.permutation(len(groups))
    return order[np.argsort(groups[order], kind="stable")].astype(np.int64)
