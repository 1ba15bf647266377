"""What kinds of release share that put records into groups: one number for each record, shuffles, boxes as they are seen."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np

from sfumato.contracts.columns import made
from sfumato.contracts.knowledge import Seen
from sfumato.data.schema import Role
from sfumato.data.text import interval_label
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Array, Floats, Ints

__all__ = ["Groups", "free_name", "group_numbers", "seen_boxes", "shuffled"]

Groups = Sequence[int] | Array
"""A number for each record."""


def free_name(name: str, taken: Collection[str]) -> str:
    """Return the name of a column of our own; one that the table has already gets a mark.

    >>> free_name("GroupID", ["Age"]), free_name("GroupID", ["GroupID"])
    ('GroupID', "GroupID'")
    """
    while name in taken:
        name += "'"
    return name


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


def seen_boxes(
    seen: Seen,
    names: Sequence[str],
    low: Floats,
    high: Floats,
    counts: Ints,
    learnt: Mapping[str, object] | None = None,
) -> Seen:
    """Return boxes as an adversary reads them: one interval for each column, edges and all, and how many records are inside.

    ``low`` and ``high`` are boxes x columns. ``learnt`` are values of these records, box by box.
    """
    shown = {
        name: [
            interval_label(*edges, closed=True) for edges in zip(low[:, at].tolist(), high[:, at].tolist(), strict=True)
        ]
        for at, name in enumerate(names)
    } | dict(learnt or {})
    weights = free_name("Count", shown)
    roles = {**dict.fromkeys(names, Role.QUASI_IDENTIFIER), **dict.fromkeys(learnt or {}, Role.SENSITIVE)}
    return replace(seen, table=made(shown | {weights: counts}, seen.table.home), weights=weights, roles=roles)
