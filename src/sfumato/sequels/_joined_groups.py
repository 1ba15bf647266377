"""Groups of joined rows by their values on some columns, counted from classes and handed out some at a time."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Protocol

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.contracts.knowledge import Names
from sfumato.data.tree import Tree
from sfumato.groups.stats import CodedKeys, GroupStats, Histogram
from sfumato.kernels.arrays import Codes, Ints
from sfumato.sequels._matching import Classes, numbered, refuse_uncountable, spread_out, summed, together

__all__ = ["NOBODY", "counted_pieces"]

NOBODY = Classes(np.zeros((1, 0), np.int32), np.zeros(1, np.int64), np.zeros((1, 0), np.int32), np.ones(1, np.int64))
"""What lies before the first release: one class that goes with everybody."""


class Column(Protocol):
    """A column of one release."""

    @property
    def release(self) -> int: ...
    @property
    def name(self) -> str: ...


class Joined(Protocol):
    """Releases put together."""

    @property
    def releases(self) -> tuple[Table, ...]: ...
    @property
    def join_trees(self) -> list[Tree]: ...


class _Side:
    """The codes of one side of the join: all releases but the last, or the last one."""

    def __init__(self, join: Joined, wanted: Sequence[Names], classes: Classes, *, last: bool) -> None:
        newest = len(join.releases) - 1
        self.join, self.classes = join, classes
        here = [at for at in range(newest + 1) if (at == newest) == last]
        self.place = {held: at for at, held in enumerate((at, name) for at in here for name in wanted[at])}

    def rows(self, columns: Sequence[Column]) -> tuple[list[Column], Codes, Ints]:
        """Return the columns of this side, their distinct combinations, and which of them each class has."""
        own = [one for one in columns if (one.release, one.name) in self.place]
        return own, *numbered(self.classes.keys[:, [self.place[one.release, one.name] for one in own]])


def counted_pieces(
    join: Joined,
    wanted: Sequence[Names],
    mine: Classes,
    hers: Classes,
    x: Sequence[Column],
    y: Sequence[Column],
    most: int,
) -> Iterator[GroupStats]:
    """Yield the groups on X, with the combined values on Y counted, by runs of the last release's values on X.

    A value on X of the last release is never parted between two pieces, so that every piece holds whole groups; at least one
    piece is handed out, be it empty.
    """
    if mine is NOBODY:
        mine = Classes(np.zeros((1, hers.nodes.shape[1]), np.int32), mine.marks, mine.keys, mine.weights)
    refuse_uncountable(mine, hers)
    matched, start = together(join.join_trees, mine, hers)
    old, new = _Side(join, wanted, mine, last=False), _Side(join, wanted, hers, last=True)
    old_x, my_x, my_x_at = old.rows(x)
    new_x, her_x, her_x_at = new.rows(x)
    old_y, my_y, my_y_at = old.rows(y)
    new_y, her_y, her_y_at = new.rows(y)
    order = np.argsort(her_x_at, kind="stable")
    cost = np.concatenate([[0], np.cumsum(np.diff(start)[order])])
    ends = np.append(np.flatnonzero(np.diff(her_x_at[order])) + 1, len(order))
    first = 0
    while True:
        fits = ends[(ends > first) & (cost[ends] - cost[first] <= most)]
        last = int(fits[-1]) if len(fits) else int(ends[ends >= min(first + 1, len(order))][0])
        owner, position = spread_out(start, order[first:last])
        one, other = matched[position], order[first:last][owner]
        weights = mine.weights[one] * hers.weights[other]
        key, group = np.unique(her_x_at[other] * len(my_x) + my_x_at[one], return_inverse=True)
        held = _coded(join, old_x, my_x[key % len(my_x)]) | _coded(join, new_x, her_x[key // len(my_x)])
        histograms = {}
        if y:
            pair, code = np.unique(her_y_at[other] * len(my_y) + my_y_at[one], return_inverse=True)
            parts = _coded(join, old_y, my_y[pair % len(my_y)]) | _coded(join, new_y, her_y[pair // len(my_y)])
            values: list[Hashable] = list(zip(*(parts[column] for column in y), strict=True))
            values = [value[0] for value in values] if len(y) == 1 else values  # type: ignore[index]
            name = " × ".join(_called(join, column) for column in y)
            histograms[name] = Histogram.from_pairs(len(key), values, group.reshape(-1), code.reshape(-1), weights)
        sizes = summed(group.reshape(-1), weights, len(key))
        yield GroupStats(tuple(_called(join, one) for one in x), tuple(held[one] for one in x), sizes, histograms)
        first = last
        if first >= len(order):
            return


def _coded(join: Joined, columns: Sequence[Column], rows: Codes) -> dict[Column, CodedKeys]:
    return {
        one: CodedKeys(join.releases[one.release].dictionary(one.name).values, rows[:, at])
        for at, one in enumerate(columns)
    }


def _called(join: Joined, column: Column) -> str:
    """Return how a column of the join is called: by its name where one release alone has it."""
    alone = sum(column.name in table.types for table in join.releases) == 1
    return column.name if alone else f"T{column.release + 1}.{column.name}"
