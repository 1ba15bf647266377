"""Cells: the records of one group that have the same quasi-identifiers. Nobody can tell them apart, so they share a belief.

Beliefs about all cells are one long array: the entries of a cell are the sensitive values of its group, in their order.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from sfumato.attacks._partitions import Partition, numbered
from sfumato.data.frozen import frozen
from sfumato.groups.stats import Histogram
from sfumato.kernels.arrays import Codes, Floats, Ints

__all__ = ["Cells"]


@frozen(eq=False)
class Cells:
    """The cells of all groups, those of group g being ``start[g]:start[g + 1]``.

    ``rows`` gives for each cell and quasi-identifier the row of a table that counts sensitive values by values of
    quasi-identifiers; -1 where the value says nothing: it occurs once, or everybody has it.
    """

    histogram: Histogram
    group: Ints
    start: Ints
    size: Ints
    of_record: Ints
    rows: Ints
    table_rows: int

    @classmethod
    def of(cls, partition: Partition) -> Cells:
        """Return the cells of records in groups."""
        coded = np.column_stack([partition.group, partition.codes])
        first, of_record = numbered(coded)
        group = partition.group[first]
        groups = len(partition.histogram.start) - 1
        rows, table_rows = _rows(partition.codes)
        return cls(
            partition.histogram,
            group,
            np.searchsorted(group, np.arange(groups + 1)),
            np.bincount(of_record, minlength=len(first)),
            of_record,
            np.ascontiguousarray(rows[first]),
            table_rows,
        )

    def __len__(self) -> int:
        return len(self.group)

    @cached_property
    def entry(self) -> Ints:
        """Where the entries of each cell begin, and where the last ones end."""
        start = np.zeros(len(self) + 1, np.int64)
        np.cumsum(self.histogram.distinct()[self.group], out=start[1:])
        return start

    @cached_property
    def open_groups(self) -> Ints:
        """The groups in which quasi-identifiers can tell records and values apart: several cells and several values."""
        return np.flatnonzero((np.diff(self.start) > 1) & (self.histogram.distinct() > 1))

    @property
    def values(self) -> int:
        """Number of distinct sensitive values."""
        return len(self.histogram.values)

    def listed(self) -> tuple[Ints, Ints]:
        """Return the cell of each entry, and the place of its value in the histogram."""
        cell = np.repeat(np.arange(len(self)), np.diff(self.entry))
        return cell, np.arange(len(cell)) + (self.histogram.start[self.group] - self.entry[:-1])[cell]

    def shares(self) -> Floats:
        """Return the belief of someone who looks at the counts of a group alone: random worlds."""
        cell, place = self.listed()
        return self.histogram.count[place] / self.histogram.totals()[self.group][cell]

    def settled(self, shares: Floats) -> Floats:
        """Count sensitive values by values of quasi-identifiers in the groups that are not open, where they are known."""
        cell, place = self.listed()
        is_open = np.zeros(len(self.histogram.start) - 1, bool)
        is_open[self.open_groups] = True
        kept = ~is_open[self.group[cell]]
        cell, code = cell[kept], self.histogram.code[place[kept]]
        weight = self.size[cell] * shares[kept]
        out = np.zeros(self.table_rows * self.values)
        for column in self.rows.T:
            row = column[cell]
            says = row >= 0
            out += np.bincount(row[says] * self.values + code[says], weight[says], len(out))
        return out.reshape(self.table_rows, self.values)

    def highest(self, beliefs: Floats) -> Floats:
        """Return the highest belief of each cell."""
        return np.maximum.reduceat(beliefs, self.entry[:-1]) if len(self) else np.empty(0)


def _rows(codes: Codes) -> tuple[Ints, int]:
    rows = np.full(codes.shape, -1, np.int64)
    used = 0
    for at, column in enumerate(codes.T):
        counts = np.bincount(column + 1)
        tells = counts > 1
        if np.count_nonzero(counts) > 1 and tells.any():
            number = np.where(tells, np.cumsum(tells) - 1 + used, -1)
            rows[:, at] = number[column + 1]
            used += int(np.count_nonzero(tells))
    return rows, used
