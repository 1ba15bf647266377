"""Exact beliefs: every way to give the sensitive values of groups to their records, weighed one by one."""

from __future__ import annotations

import numpy as np

from sfumato.attacks.anatomy._cells import Cells
from sfumato.kernels.arrays import Codes, Floats, Ints

__all__ = ["Choices", "choices_of", "exact_beliefs", "tables_with_margins"]

Choices = list[Codes]


def tables_with_margins(rows: Ints, columns: Ints, limit: int) -> Codes | None:
    """Return all tables of whole numbers with these sums, one by one and row after row; ``None`` if there are more.

    >>> import numpy as np
    >>> tables_with_margins(np.array([1, 2]), np.array([2, 1]), 10).tolist()
    [[0, 1, 2, 0], [1, 0, 1, 1]]
    """
    table = np.empty((1, 0), np.int32)
    left = columns.astype(np.int32)[None, :]
    for row in rows[:-1]:
        need = np.full(len(table), row, np.int32)
        for column in range(len(columns)):
            # What later columns cannot take must go here; so every beginning can be completed.
            least = np.maximum(need - left[:, column + 1 :].sum(axis=1, dtype=np.int32), 0)
            count = np.minimum(need, left[:, column]) - least + 1
            if count.sum() > limit:
                return None
            at = np.repeat(np.arange(len(table)), count)
            amount = (least[at] + np.arange(len(at)) - np.repeat(np.cumsum(count) - count, count)).astype(np.int32)
            table, left, need = np.column_stack([table[at], amount]), left[at], need[at] - amount
            left[:, column] -= amount
    return np.column_stack([table, left])


def choices_of(cells: Cells, limit: int) -> Choices | None:
    """Return the tables of each open group, or ``None`` if they combine to more worlds than the limit."""
    groups = cells.open_groups
    if len(groups) > limit.bit_length():  # each of them has two choices at least
        return None
    worlds, found = 1, []
    for group in groups.tolist():
        inside = slice(int(cells.histogram.start[group]), int(cells.histogram.start[group + 1]))
        sizes = cells.size[cells.start[group] : cells.start[group + 1]]
        tables = tables_with_margins(sizes, cells.histogram.count[inside], limit // worlds)
        if tables is None or worlds * len(tables) > limit:
            return None
        worlds *= len(tables)
        found.append(tables)
    return found


def exact_beliefs(cells: Cells, choices: Choices, alpha: float, shares: Floats) -> Floats:
    """Return the belief in each value of each cell, as shares of the weight of all worlds."""
    from sfumato.attacks.anatomy._world_kernels import weigh_worlds
    from sfumato.kernels.compiled import announce_compilation

    beliefs = shares.copy()
    if not choices:
        return beliefs
    announce_compilation()
    records = int(cells.size.sum())
    rising = np.zeros(records + 1)
    np.cumsum(np.log(alpha + np.arange(records)), out=rising[1:])
    factorial = np.zeros(records + 1)
    np.cumsum(np.log(np.arange(1, records + 1)), out=factorial[1:])
    groups, histogram = cells.open_groups, cells.histogram
    of_cell = np.concatenate([np.arange(cells.start[group], cells.start[group + 1]) for group in groups])
    of_value = np.concatenate([np.arange(histogram.start[group], histogram.start[group + 1]) for group in groups])
    share = weigh_worlds(
        _starts([len(tables) for tables in choices]),
        np.concatenate([tables.reshape(-1) for tables in choices]),
        _starts(np.concatenate([np.full(len(tables), tables.shape[1]) for tables in choices])),
        np.concatenate([-factorial[tables].sum(axis=1) for tables in choices]),
        _starts(np.diff(cells.start)[groups]),
        cells.rows[of_cell],
        _starts(np.diff(histogram.start)[groups]),
        histogram.code[of_value],
        np.rint(cells.settled(shares)).astype(np.int64),
        rising,
    )
    begin = 0
    for group, tables in zip(groups.tolist(), choices, strict=True):
        expected = share[begin : begin + len(tables)] @ tables
        begin += len(tables)
        mine = slice(int(cells.start[group]), int(cells.start[group + 1]))
        entries = slice(int(cells.entry[mine.start]), int(cells.entry[mine.stop]))
        beliefs[entries] = expected / np.repeat(cells.size[mine], histogram.distinct()[group])
    return beliefs


def _starts(lengths: list[int] | Ints) -> Ints:
    out = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(np.asarray(lengths, np.int64), out=out[1:])
    return out
