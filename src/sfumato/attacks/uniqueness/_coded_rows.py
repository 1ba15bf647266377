"""The distinct published rows as columns of codes with weights: what attacks on sets of columns count on."""

from __future__ import annotations

import numpy as np

from sfumato.contracts.knowledge import TableKnowledge
from sfumato.data.frozen import frozen
from sfumato.errors import BadRequest
from sfumato.groups.stats import CodedKeys, GroupStats
from sfumato.kernels.arrays import Codes, Ints

__all__ = ["CodedRows", "code_rows", "count_sets", "refuse_repeated"]


@frozen(eq=False)
class CodedRows:
    """Distinct rows, column by column: codes from 0 to below the column's width, -1 where a value is missing.

    Row ``r`` is group ``r`` that was counted and stands for ``weights[r]`` records.
    """

    columns: tuple[Codes, ...]
    widths: tuple[int, ...]
    weights: Ints

    def __len__(self) -> int:
        return len(self.weights)

    def with_missing(self) -> CodedRows:
        """Return the same rows with missing as a value like any other."""
        return CodedRows(tuple(column + 1 for column in self.columns), tuple(w + 1 for w in self.widths), self.weights)

    def narrowest_first(self) -> list[int]:
        """Return the places of the columns by their number of values, of equal ones the first before."""
        return sorted(range(len(self.widths)), key=lambda at: (self.widths[at], at))


def code_rows(groups: GroupStats) -> CodedRows:
    """Return the groups as distinct rows of codes.

    >>> made = code_rows(GroupStats(("A",), (["x", None],), np.array([3, 1])))
    >>> made.columns[0].tolist(), made.widths, made.weights.tolist()
    ([0, -1], (1,), [3, 1])
    """
    columns = tuple(np.ascontiguousarray(CodedKeys.of(keys).codes, np.int32) for keys in groups.keys)
    widths = tuple(int(column.max(initial=-1)) + 1 for column in columns)
    return CodedRows(columns, widths, np.asarray(groups.sizes, np.int64))


def count_sets(columns: int, largest: int) -> int:
    """Return how many sets of at least one and at most ``largest`` columns there are.

    >>> count_sets(4, 2)
    10
    """
    total, of_size = 0, 1
    for size in range(1, min(largest, columns) + 1):
        of_size = of_size * (columns - size + 1) // size
        total += of_size
    return total


def refuse_repeated(knowledge: TableKnowledge) -> None:
    """Refuse a column that is named twice."""
    for at, name in enumerate(knowledge.known):
        if name in knowledge.known[:at]:
            raise BadRequest("names a column twice", parameter="qid", value=name)
