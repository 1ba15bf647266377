"""The join of published views as bags: m rows that match n rows give m n rows; counted, and listed only when asked for."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import repeat
from math import prod

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.data.frozen import frozen
from sfumato.errors import BadRequest, Unsupported
from sfumato.groups.cells import Cells
from sfumato.groups.stats import CodedKeys, GroupStats
from sfumato.kernels.arrays import Ints
from sfumato.views.natural_join import Facts, coded_facts, natural_join, shared_values
from sfumato.views.view_set import ViewSet

__all__ = ["BagJoin"]

MOST_CELLS = 50_000_000
"""Distinct joined rows that are held at a time."""


@frozen(eq=False, repr=False)
class BagJoin:
    """All views joined on ``on``; missing values never match, and a row may join rows of other persons.

    ``tables`` are the views with their columns as the join calls them: a common column that is not joined on is called
    ``view.column`` from the second view on. Counts are counts of joined rows, not of persons.

    Examples
    --------
    >>> views = ViewSet.of_answers({"T1": {"Age": [30, 30], "Job": ["a", "b"]}, "T2": {"Job": ["a", "a"], "Ill": ["x", "y"]}})
    >>> join = BagJoin.of(views)
    >>> join.on, join.size, sorted(join.rows())
    (('Job',), 2, [(30, 'a', 'x'), (30, 'a', 'y')])

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 8.1, example 8.1.
    """

    tables: tuple[Table, ...]
    names: tuple[tuple[str, ...], ...]
    on: tuple[str, ...]

    @classmethod
    def of(cls, views: ViewSet, on: Sequence[str] | None = None, *, cross: bool = False) -> BagJoin:
        """Join on these columns, on all common ones if not told; without any only if ``cross`` asks for all pairs."""
        held = [view.columns for view in views.views]
        common = tuple(
            dict.fromkeys(name for columns in held for name in columns if sum(name in one for one in held) > 1)
        )
        asked = common if on is None else tuple(on)
        for name in asked:
            if name not in common:
                raise BadRequest("is not a common column of the views", parameter="on", value=name, available=common)
        met: set[str] = set()
        for view in views.views:
            if met and not cross and not met & set(view.columns) & set(asked):
                raise BadRequest(
                    "shares no column with the other views: joining would pair every row with every row; ask for it if meant",
                    parameter="cross",
                    value=view.name,
                )
            met |= set(view.columns)
        taken: set[str] = set()
        names = []
        for view in views.views:
            names.append(
                tuple(f"{view.name}.{name}" if name in taken and name not in asked else name for name in view.columns)
            )
            taken |= set(view.columns)
        return cls(views.answers, tuple(names), asked)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the join, in the order of the views."""
        return tuple(dict.fromkeys(name for names in self.names for name in names))

    @property
    def size(self) -> int:
        """How many rows the join has."""
        return int(self.groups(()).sizes.sum())

    def groups(self, columns: Sequence[str], histograms: Sequence[str] = ()) -> GroupStats:
        """Return the groups of joined rows that agree on some columns, with histograms of others; their sizes count rows."""
        cells = self._counted((*columns, *histograms))
        if not columns:
            total = cells.sizes.sum(keepdims=True) if len(cells) else np.zeros(0, np.int64)
            return GroupStats((), (), total)
        return cells.groups(len(columns))

    def rows(self, most: int = 1_000_000) -> Iterator[tuple[Hashable, ...]]:
        """Yield the joined rows, as often as they are there; refuse a join of more rows than ``most``."""
        if self.size > most:
            raise Unsupported(
                f"the join has {self.size:,} rows, more than the {most:,} that are asked for", thing="view-join-attack"
            )
        cells = self._counted(self.columns)
        for row, count in zip(zip(*cells.keys, strict=True), cells.sizes.tolist(), strict=True):
            yield from repeat(row, count)

    def alone(self, columns: Sequence[str]) -> Mapping[int, GroupStats]:
        """Return, by the number of each view that has some of these columns, its groups on those, for contrast."""
        found = {}
        for number, (table, names) in enumerate(zip(self.tables, self.names, strict=True)):
            own = [name for name in columns if name in names]
            if own:
                groups = table.groups([table.columns[names.index(name)] for name in own])
                found[number] = replace(groups, columns=tuple(own))
        return found

    def _counted(self, columns: Sequence[str]) -> Cells:
        """Return the distinct joined rows on some columns with their numbers, in the order of values."""
        for name in columns:
            if name not in self.columns:
                raise BadRequest("is not a column of the join", value=name, available=self.columns)
        kept = [[name for name in names if name in columns or name in self.on] for names in self.names]
        counted = [
            replace(table.counts([table.columns[names.index(name)] for name in own]), columns=tuple(own))
            for table, names, own in zip(self.tables, self.names, kept, strict=True)
        ]
        values = shared_values(counted)
        known = [self._known(one) for one in counted]
        facts = [
            Facts(one.columns, one.codes[inside])
            for one, inside in zip((coded_facts(one, values) for one in counted), known, strict=True)
        ]
        found, rows, numbers = natural_join(facts, MOST_CELLS)
        sizes = prod(
            (one.sizes[inside][number] for one, inside, number in zip(counted, known, numbers, strict=True)),
            start=np.ones(len(rows), np.int64),
        )
        chosen = rows[:, [found.index(name) for name in columns]]
        return _cells(tuple(columns), chosen, sizes, values)

    def _known(self, cells: Cells) -> Ints:
        """Return the rows in which no column that is joined on is missing."""
        known = np.ones(len(cells), bool)
        for name, held in zip(cells.columns, cells.keys, strict=True):
            if name in self.on:
                known &= held.codes >= 0
        return np.flatnonzero(known)


def _cells(columns: tuple[str, ...], rows: Ints, sizes: Ints, values: Mapping[str, tuple[Hashable, ...]]) -> Cells:
    """Return coded rows with their numbers as counted cells; equal rows are added up."""
    if not columns:
        total = sizes.sum(keepdims=True) if len(sizes) else sizes
        return Cells((), (), total)
    order = np.lexsort(rows.T[::-1])
    ordered = rows[order]
    fresh = np.ones(len(ordered), bool)
    fresh[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    first = np.flatnonzero(fresh)
    added = np.add.reduceat(sizes[order], first) if len(first) else np.zeros(0, np.int64)
    keys = []
    for at, name in enumerate(columns):
        gap = 1 if values[name][:1] == (None,) else 0
        keys.append(CodedKeys(values[name][gap:], (ordered[first, at] - gap).astype(np.int32)))
    return Cells(columns, tuple(keys), added)
