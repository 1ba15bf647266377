"""What kinds of release share that put records into groups: one number for each record, shuffles, boxes as they are seen."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from sfumato.contracts.alike import Alike
from sfumato.contracts.built import Linking
from sfumato.contracts.columns import coded_counts, made
from sfumato.contracts.knowledge import Seen
from sfumato.data.schema import Role
from sfumato.data.text import interval_label
from sfumato.errors import BadRequest
from sfumato.groups.stats import CodedKeys
from sfumato.kernels.arrays import Array, Codes, Floats, Ints
from sfumato.kernels.ordering import stable_order

__all__ = ["Groups", "free_name", "group_numbers", "links_of", "seen_boxes", "shuffled"]

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
    return numbers.astype(np.int64, copy=False)


def shuffled(groups: Ints, rng: np.random.Generator) -> Codes:
    """Return the records group by group, in an order inside each group that is drawn uniformly.

    >>> order = shuffled(np.array([2, 1, 2, 1]), np.random.default_rng(0))
    >>> sorted(order[:2].tolist()), sorted(order[2:].tolist())
    ([1, 3], [0, 2])
    """
    order = rng.permutation(np.arange(len(groups), dtype=np.int32))
    return order[stable_order(groups[order])]


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


def links_of(records: Alike, true: Mapping[str, CodedKeys], groups: CodedKeys) -> Linking:
    """Return what makes the table of which records are in which group, by their true values, and how many are alike.

    Links stay in the house, so they are made in memory, wherever the records lie.
    """
    types = {f"raw {name}": kind for name, kind in records.types.items()}
    columns = {f"raw {name}": true[name] for name in records.types}
    return partial(coded_counts, columns | {"group": groups}, types, "records")
