"""Persons and the published rows nearest to them, on columns of numbers, labels or both.

In each column a label that covers a person's value lies 0 from it. Other numbers and intervals lie as far as the gap to the
value, as a share of the range of the column; anything else lies 1 away, and so does what is missing. The distance of a row is
the sum over the columns.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from sfumato.attacks._covering import Covers, covers
from sfumato.attacks.questions._persons import People, TableRows, numbers_of
from sfumato.contracts.knowledge import Reading
from sfumato.contracts.run import Run
from sfumato.data.frozen import frozen
from sfumato.data.text import parse_interval, to_text, type_of_value
from sfumato.groups.stats import Histogram
from sfumato.kernels.arrays import Codes, Floats, Ints

__all__ = ["Nearness"]

N = TypeVar("N", bound=np.generic)

_TOGETHER = 1 << 22  # cells of a table of distances; more persons are parted, so that memory stays bounded
_PERSONS = 32


@frozen(eq=False)
class _Numbers:
    """A column of numbers, of rows and of persons; NaN is missing."""

    distinct: int
    row: Floats
    person: Floats
    scale: float


@frozen(eq=False)
class _Labels:
    """A column of labels: which cover a value, and between which numbers each lies, where it does."""

    distinct: int
    row: Codes
    person: Codes
    covers: Covers
    number: Floats
    low: Floats
    high: Floats
    scale: float

    def table(self, persons: slice, unit: int) -> Ints:
        """Return the distance of each label from each person; the first column is that of a missing label."""
        codes = self.person[persons]
        out = np.full((len(codes), self.distinct + 1), unit, np.int64)
        place = np.flatnonzero(np.isfinite(self.low))
        known = np.flatnonzero(codes >= 0)
        at = self.number[codes[known], None]
        gap = np.maximum(np.maximum(self.low[place] - at, at - self.high[place]), 0.0) * self.scale
        steps = np.where(np.isnan(gap), unit, np.maximum(np.floor(np.nan_to_num(gap) + 0.5), 1.0)).astype(np.int64)
        out[np.ix_(known, place + 1)] = np.minimum(steps, unit)
        start = self.covers.start
        count = start[codes[known] + 1] - start[codes[known]]
        run = np.repeat(np.arange(len(known)), count)
        entry = np.repeat(start[codes[known]] - (np.cumsum(count) - count), count) + np.arange(len(run))
        out[known[run], self.covers.label[entry] + 1] = 0
        return out


class Nearness:
    """Published rows laid out so that those nearest to a person are found without looking at all of them."""

    def __init__(
        self,
        rows: TableRows,
        people: People,
        columns: Sequence[str],
        readings: Mapping[str, Reading],
        run: Run,
    ) -> None:
        from sfumato.attacks.questions._near_row_kernels import UNIT, NearRows, jumps

        self._run, self._unit, self._ends, self.persons = run, UNIT, rows.ends, len(people)
        found = [_column(rows, people, name, readings.get(name), UNIT) for name in columns]
        # The column with the most values comes first of its kind: it rules out most.
        found.sort(key=lambda one: -one.distinct)
        numbers = [one for one in found if isinstance(one, _Numbers)]
        self._labels = [one for one in found if isinstance(one, _Labels)]
        self._points = _beside([one.person for one in numbers], len(people), np.float64)
        begins = np.cumsum([0, *(one.distinct + 1 for one in self._labels)])
        self._cells = int(begins[-1])
        held = _beside([one.row for one in numbers], len(rows), np.float64)
        # Missing labels, -1, are the first of their column.
        cells = _beside([one.row + 1 for one in self._labels], len(rows), np.int32) + begins[:-1].astype(np.int32)
        order = np.lexsort([*held[:, :1].T, *cells.T[::-1], np.zeros(len(rows))])  # missing numbers come last
        held, cells = np.ascontiguousarray(held[order]), cells[order]
        fresh = np.append(True, (cells[1:] != cells[:-1]).any(axis=1))[: len(rows)]
        first = np.flatnonzero(fresh)
        labels = np.ascontiguousarray(cells[first])
        self._rows = NearRows(
            labels,
            jumps(labels),
            np.append(first, len(rows)),
            held,
            np.array([one.scale for one in numbers], np.float64),
            rows.sizes[order],
            order.astype(np.int64),
        )

    def levels(self, neighbours: int) -> Ints:
        """Return, for each person, the distance of the n-th nearest record, how many lie before it, and how many at it."""
        from sfumato.attacks.questions._near_row_kernels import nearest_levels

        return self._by_block(lambda block, points, tables: nearest_levels(self._rows, points, tables, neighbours))

    def records(self, levels: Ints, neighbours: int, rng: np.random.Generator) -> Ints:
        """Return the numbers of the nearest records of each person, -1 where there are fewer.

        Of records that lie equally far some are drawn. Two layouts of the same rows give a record the same number.
        """
        from sfumato.attacks.questions._near_row_kernels import pick_records

        ranks = np.full((self.persons, neighbours), -1, np.int64)
        for person, (_, before, held) in enumerate(levels.tolist()):
            wanted = min(neighbours - before, held)
            if wanted:
                ranks[person, :wanted] = np.sort(rng.choice(held, wanted, replace=False, shuffle=False))
        # A rank that nobody has is never reached.
        ranks[ranks < 0] = np.iinfo(np.int64).max
        return self._by_block(
            lambda block, points, tables: pick_records(
                self._rows, points, tables, levels[block], ranks[block], self._ends
            )
        )

    def guesses(self, levels: Ints, histogram: Histogram, first: Ints, last: Ints) -> Ints:
        """Return the value that would be right for most of the nearest records, all of the equally far ones together."""
        from sfumato.attacks.questions._near_row_kernels import guess_codes

        return self._by_block(
            lambda block, points, tables: guess_codes(
                self._rows,
                points,
                tables,
                levels[block],
                histogram.start,
                histogram.code,
                histogram.count,
                first,
                last,
            )
        )

    def _by_block(self, work: Callable[[slice, Floats, Ints], Ints]) -> Ints:
        """Let both cores work on blocks of persons; return what they found, person by person."""
        size = max(1, min(_PERSONS, _TOGETHER // max(self._cells, 1)))
        blocks = [slice(begin, min(begin + size, self.persons)) for begin in range(0, self.persons, size)]
        found: list[Ints] = []
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            for done in pool.map(lambda block: work(block, self._points[block], self._tables(block)), blocks):
                found.append(done)
                self._run.tick(min(len(found) * size, self.persons))
        return np.concatenate(found)

    def _tables(self, block: slice) -> Ints:
        parts = [one.table(block, self._unit) for one in self._labels]
        return np.concatenate([np.empty((block.stop - block.start, 0), np.int64), *parts], axis=1)


def _column(rows: TableRows, people: People, name: str, reading: Reading | None, unit: int) -> _Numbers | _Labels:
    """Return a column of numbers if it is one for rows and persons, else one of labels."""
    at = rows.place(name)
    values, codes = people.column(name)
    shown, own = numbers_of(rows.values[at], rows.types[name]), _numbers(values)
    if shown is not None and not np.isnan(own).any():
        scale = _scale(unit, shown, own)
        return _Numbers(len(shown), _taken(shown, rows.codes[:, at]), _taken(own, codes), scale)
    low, high = _bounds(rows.values[at])
    found = covers(rows.values[at], values, reading)
    return _Labels(len(low), rows.codes[:, at], codes, found, own, low, high, _scale(unit, low, high, own))


def _numbers(values: Sequence[Hashable]) -> Floats:
    """Return the numbers of persons, one by one: a file may hold texts where another holds dates; NaN for others."""
    out = np.full(len(values), np.nan)
    for at, value in enumerate(values):
        found = numbers_of([value], type_of_value(value))
        if found is not None:
            out[at] = found[0]
    return out


def _bounds(labels: Sequence[Hashable]) -> tuple[Floats, Floats]:
    """Return the lowest and the highest number of each label, NaN for labels that are neither number nor interval."""
    low, high = np.full(len(labels), np.nan), np.full(len(labels), np.nan)
    for at, label in enumerate(labels):
        bounds = parse_interval(to_text(label))
        if bounds is not None:
            low[at], high[at] = bounds[:2]
            continue
        try:
            low[at] = high[at] = float(to_text(label))
        except ValueError:
            continue
    return low, high


def _scale(unit: int, *numbers: Floats) -> float:
    """Return what a difference is multiplied with so that the whole range becomes the unit."""
    known = np.concatenate(numbers)
    known = known[np.isfinite(known)]
    extent = float(known.max() - known.min()) if len(known) else 0.0
    return unit / extent if extent > 0 else 0.0


def _taken(numbers: Floats, codes: Codes) -> Floats:
    return np.append(numbers, np.nan)[codes]  # -1 is the last one


def _beside(columns: Sequence[npt.NDArray[N]], rows: int, kind: type[N]) -> npt.NDArray[N]:
    out: npt.NDArray[N] = np.empty((rows, len(columns)), kind)
    for at, one in enumerate(columns):
        out[:, at] = one
    return out
