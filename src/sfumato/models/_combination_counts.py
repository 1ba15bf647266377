"""Counting every combination of a few published values: how many records fit it, and the sensitive value most of them have.

Sets of attributes are walked as a tree: each attribute in turn is known to the adversary or not. Not knowing it adds records
up, and as soon as the attributes that are left have few enough combinations all records are counted into one table of them.
From there on sets are sums over axes of that table, and no record is looked at again. Sets with too many combinations for a
table are counted record by record.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from functools import cached_property
from math import prod
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from sfumato.data.frozen import frozen
from sfumato.kernels.arrays import Bools, Floats, Ints
from sfumato.models._value_combinations import distinct_keys, refined

__all__ = ["CombinationCounts", "Counted", "Secret"]

Numbers = npt.NDArray[Any]

_BITS = 62
_ROOM = 2  # entries of a table for each group that is counted into it
_LEAST_ROOM = 2048


@frozen(eq=False)
class Secret:
    """The entries of a sensitive histogram that count: group, value, records."""

    values: Sequence[Hashable]
    group: Ints
    code: Ints
    count: Numbers

    @classmethod
    def none(cls) -> Secret:
        """Return a histogram without entries."""
        empty = np.empty(0, np.int64)
        return cls((), empty, empty, empty)


class Counted(Protocol):
    """One set of attributes: its combinations of values that occur, in the order of their codes, and who fits them."""

    @property
    def chosen(self) -> tuple[int, ...]:
        """The attributes of the set, in order."""

    @property
    def size(self) -> Numbers:
        """How many records fit each combination."""

    @property
    def matching(self) -> Numbers:
        """How many of them have the most frequent of the sensitive values that count."""

    def codes_of(self, combination: int) -> tuple[int, ...]:
        """Return the code of each attribute of the set."""

    def surest(self, combination: int) -> int:
        """Return the code of the most frequent sensitive value, the first of equal ones; -1 if there is none."""

    def fitting(self, wanted: Ints, rows: Ints) -> Bools:
        """Tell for some rows whether they fit one of the wanted combinations."""


@frozen(eq=False)
class CombinationCounts:
    """Counts of all sets of ``least`` to ``most`` attributes.

    ``codes`` is groups x attributes; a code equal to the width of its attribute stands for a cell that nobody can know, and a
    group with such a cell fits no combination of a set that holds the attribute. Sizes that are no whole numbers are always
    added up group by group, so that their rounding does not depend on which sets are asked for.
    """

    codes: Ints
    widths: tuple[int, ...]
    sizes: Numbers
    secret: Secret
    columns: tuple[int, ...]
    least: int
    most: int

    def __iter__(self) -> Iterator[Counted]:
        if not len(self.sizes) or not self.columns:
            return
        # An attribute with many values is decided on first: the tables without it are small.
        order = sorted(self.columns, key=lambda at: -self.widths[at])
        yield from self._below(None, None, (), tuple(order))

    @cached_property
    def _by_column(self) -> list[Ints]:
        return [np.ascontiguousarray(self.codes[:, at]) for at in range(self.codes.shape[1])]

    @cached_property
    def _dims(self) -> tuple[int, ...]:
        """The values of each attribute, with one more where some cells cannot be known."""
        highest = self.codes.max(axis=0)
        return tuple(width + (int(top) == width) for width, top in zip(self.widths, highest, strict=True))

    @cached_property
    def _room(self) -> int:
        whole = np.issubdtype(self.sizes.dtype, np.integer) and np.issubdtype(self.secret.count.dtype, np.integer)
        return max(_ROOM * len(self.sizes), _LEAST_ROOM) if whole else 0

    def _below(
        self, table: Numbers | None, rows: Ints | None, chosen: tuple[int, ...], rest: tuple[int, ...]
    ) -> Iterator[Counted]:
        """Yield the sets that hold ``chosen`` and some of ``rest``.

        ``table`` counts records by sensitive value, by what is chosen and by the rest, an axis each; without it, ``rows`` are
        the groups that have all chosen cells, all groups if not given.
        """
        if len(chosen) + len(rest) < self.least or (rows is not None and not len(rows)):
            return
        if len(chosen) == self.most or not rest:
            if len(chosen) >= self.least and (found := self._counted(table, rows, chosen, len(rest))) is not None:
                yield found
            return
        if table is None:
            table = self._table(rows, chosen, rest)
        at, left = rest[0], rest[1:]
        absent = self._dims[at] > self.widths[at]
        axis = len(chosen) + 1
        if table is None:
            known = rows
            if absent:
                here = self._by_column[at] if rows is None else self._by_column[at][rows]
                known = np.flatnonzero(here < self.widths[at]) if rows is None else rows[here < self.widths[at]]
            yield from self._below(None, known, (*chosen, at), left)
            yield from self._below(None, rows, chosen, left)
        else:
            known = table[(slice(None),) * axis + (slice(self.widths[at]),)] if absent else table
            yield from self._below(known, None, (*chosen, at), left)
            if len(chosen) + len(left) >= self.least:
                yield from self._below(table.sum(axis=axis), None, chosen, left)

    def _table(self, rows: Ints | None, chosen: tuple[int, ...], rest: tuple[int, ...]) -> Numbers | None:
        """Count the records into a table, if it is small enough."""
        shape = (*(self.widths[at] for at in chosen), *(self._dims[at] for at in rest))
        cells, kinds = prod(shape), len(self.secret.values)
        if cells * (1 + kinds) > self._room:
            return None
        key = self._key(rows, (*chosen, *rest), shape)
        out = np.empty((1 + kinds, cells), np.float64)  # whole numbers below 2^53 are exact
        out[0] = np.bincount(key, weights=self._weights if rows is None else self._weights[rows], minlength=cells)
        if kinds:
            where, entries = self._places(key, rows)
            held = np.bincount(
                self.secret.code[entries] * cells + where,
                weights=self.secret.count[entries],
                minlength=kinds * cells,
            )
            out[1:] = held.reshape(kinds, cells)
        return out.reshape(1 + kinds, *shape)

    @cached_property
    def _weights(self) -> Floats:
        return self.sizes.astype(np.float64)

    def _key(self, rows: Ints | None, columns: tuple[int, ...], shape: tuple[int, ...]) -> Ints:
        """Return the codes of each row as one number."""
        parts = (self._by_column[at] if rows is None else self._by_column[at][rows] for at in columns)
        key = np.array(next(parts))
        for width, part in zip(shape[1:], parts, strict=True):
            key *= width
            key += part
        return key

    def _places(self, of_row: Ints, rows: Ints | None) -> tuple[Ints, Ints | slice]:
        """Return, for the entries of the sensitive histogram that lie in some rows, the number of their row; and which."""
        if rows is None:
            return of_row[self.secret.group], slice(None)
        place = np.full(len(self.sizes), -1, np.int64)
        place[rows] = of_row
        where = place[self.secret.group]
        entries = np.flatnonzero(where >= 0)
        return where[entries], entries

    def _counted(self, table: Numbers | None, rows: Ints | None, chosen: tuple[int, ...], rest: int) -> Counted | None:
        """Return the combinations of one set, in the order of columns; ``None`` if there is none."""
        ordered = tuple(sorted(chosen))
        if table is None:
            return self._listed(rows, ordered)
        counts = table.sum(axis=tuple(range(table.ndim - rest, table.ndim))) if rest else table
        counts = counts.transpose(0, *(1 + chosen.index(at) for at in ordered))
        flat = np.ascontiguousarray(counts).reshape(len(counts), -1)
        occupied = np.flatnonzero(flat[0])
        if not len(occupied):
            return None
        return _Tabled(self, ordered, occupied, flat[:, occupied])

    def _listed(self, rows: Ints | None, chosen: tuple[int, ...]) -> Counted:
        shape = tuple(self.widths[at] for at in chosen)
        if prod(shape).bit_length() <= _BITS:
            distinct, ids = distinct_keys(self._key(rows, chosen, shape))
            count = len(distinct)
        else:
            held = range(len(self.sizes)) if rows is None else rows
            ids, count = np.zeros(len(held), np.int64), 1
            for at in chosen:
                ids, count = refined(ids, self._by_column[at] if rows is None else self._by_column[at][rows])
        sizes = self.sizes if rows is None else self.sizes[rows]
        size = np.bincount(ids, weights=sizes, minlength=count).astype(self.sizes.dtype)
        where, entries = self._places(ids, rows)
        width = max(len(self.secret.values), 1)
        pair, at_pair = distinct_keys(where * width + self.secret.code[entries])
        held_by = np.bincount(at_pair, weights=self.secret.count[entries], minlength=len(pair))
        matching = np.zeros(count)
        np.maximum.at(matching, pair // width, held_by)
        return _Listed(self, chosen, size, matching, rows, ids, pair, held_by)


@frozen(eq=False)
class _Tabled:
    """Combinations that were read off a table: ``counts`` has a row for all records and one for each sensitive value."""

    of: CombinationCounts
    chosen: tuple[int, ...]
    cells: Ints
    counts: Floats

    @property
    def _shape(self) -> tuple[int, ...]:
        return tuple(self.of.widths[at] for at in self.chosen)

    @cached_property
    def size(self) -> Numbers:
        found: Numbers = self.counts[0].astype(self.of.sizes.dtype)
        return found

    @cached_property
    def matching(self) -> Numbers:
        found: Numbers = self.counts[1:].max(axis=0, initial=0.0)
        return found

    def codes_of(self, combination: int) -> tuple[int, ...]:
        return tuple(int(code) for code in np.unravel_index(self.cells[combination], self._shape))

    def surest(self, combination: int) -> int:
        held = self.counts[1:, combination]
        return int(held.argmax()) if held.any() else -1

    def fitting(self, wanted: Ints, rows: Ints) -> Bools:
        hit = np.zeros(prod(self._shape), bool)
        hit[self.cells[wanted]] = True
        known = np.ones(len(rows), bool)
        for at in self.chosen:
            if self.of._dims[at] > self.of.widths[at]:
                known &= self.of._by_column[at][rows] < self.of.widths[at]
        out = np.zeros(len(rows), bool)
        out[known] = hit[self.of._key(rows[known], self.chosen, self._shape)]
        return out


@frozen(eq=False)
class _Listed:
    """Combinations that were counted row by row: ``ids`` are those of ``rows``; ``pair`` are entries of sensitive values."""

    of: CombinationCounts
    chosen: tuple[int, ...]
    size: Numbers
    matching: Numbers
    rows: Ints | None
    ids: Ints
    pair: Ints
    held_by: Numbers

    def codes_of(self, combination: int) -> tuple[int, ...]:
        first = int(np.argmax(self.ids == combination))
        row = first if self.rows is None else int(self.rows[first])
        return tuple(int(self.of._by_column[at][row]) for at in self.chosen)

    def surest(self, combination: int) -> int:
        width = max(len(self.of.secret.values), 1)
        here = np.flatnonzero(self.pair // width == combination)
        return int(self.pair[here[np.argmax(self.held_by[here])]] % width) if len(here) else -1

    def fitting(self, wanted: Ints, rows: Ints) -> Bools:
        hit = np.zeros(len(self.size), bool)
        hit[wanted] = True
        out = np.zeros(len(self.of.sizes), bool)
        out[slice(None) if self.rows is None else self.rows] = hit[self.ids]
        return out[rows]
