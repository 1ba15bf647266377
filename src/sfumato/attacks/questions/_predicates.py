"""Predicates that an adversary reads off published records, and how many persons each of them fits."""

from __future__ import annotations

import math
import os
from collections.abc import Hashable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from sfumato.attacks._covering import Covers, covers
from sfumato.attacks.questions._persons import TableRows, numbers_of
from sfumato.contracts.knowledge import Reading
from sfumato.contracts.run import Run
from sfumato.data.frozen import frozen
from sfumato.data.text import SUPPRESSED, parse_interval, to_text
from sfumato.kernels.arrays import Bools, Codes, Floats, Ints

__all__ = ["Predicates"]

Mask = Bools
_TOGETHER = 1 << 24  # cells of the sets that are asked for together
_PREDICATES = 64


@frozen(eq=False)
class Predicates:
    """Predicates made of cells of published rows.

    ``used`` says which columns a predicate looks at, ``label`` the code of the published cell, -1 in other columns. In columns
    of numbers (``ranged``) a predicate asks for one from ``low`` to ``high``, in others for one that the label covers.
    """

    rows: TableRows
    ranged: Mask
    used: Mask
    label: Ints
    low: Floats
    high: Floats

    @classmethod
    def drawn(cls, rows: TableRows, count: int, together: int, rng: np.random.Generator) -> Predicates:
        """Draw records, those that nobody looks like if there are any, columns, and what is asked of numbers."""
        width = len(rows.columns)
        alone = np.flatnonzero(rows.sizes == 1)
        if len(alone):
            row = alone[rng.integers(0, len(alone), count)]
        else:
            row = np.searchsorted(rows.ends, rng.integers(0, max(rows.records, 1), count), "right")
        size = rng.integers(1, min(together, width) + 1, count)
        place = rng.permuted(np.tile(np.arange(width), (count, 1)), axis=1)
        outwards = rng.random((count, width)) < 0.5
        label = rows.codes[row].astype(np.int64)
        used = (place < size[:, None]) & (label >= 0)  # of a missing cell nothing is asked
        low, high, ranged = np.full(label.shape, -np.inf), np.full(label.shape, np.inf), np.zeros(width, bool)
        for at, name in enumerate(rows.columns):
            numbers = numbers_of(rows.values[at], rows.types[name])
            if numbers is None:
                continue
            ranged[at] = True
            shown = rows.codes[:, at] >= 0
            if not shown.any():
                continue
            held = numbers[rows.codes[shown, at]]
            cell, middle = numbers[label[:, at]], _median(held, rows.sizes[shown])
            above, farthest = cell > middle, np.where(cell > middle, held.max(), held.min())
            edge = np.where((size == 1) & outwards[:, at], farthest, cell)
            low[:, at] = np.where(outwards[:, at] & ~above, -np.inf, edge)
            high[:, at] = np.where(outwards[:, at] & above, np.inf, edge)
        # Whatever is not asked for is alike in all predicates, so that equal ones are seen to be equal.
        asked = used & ranged
        return cls(
            rows,
            ranged,
            used,
            np.where(used & ~ranged, label, -1),
            np.where(asked, low, -np.inf),
            np.where(asked, high, np.inf),
        )

    def __len__(self) -> int:
        return len(self.used)

    def taken(self, chosen: Ints) -> Predicates:
        """Keep some predicates."""
        return Predicates(
            self.rows, self.ranged, self.used[chosen], self.label[chosen], self.low[chosen], self.high[chosen]
        )

    def first_of_each(self) -> Mask:
        """Tell which predicates were not drawn before."""
        whole = np.concatenate([self.used, self.label, self.low, self.high], axis=1)
        _, first = np.unique(whole, axis=0, return_index=True)
        out = np.zeros(len(self), bool)
        out[first] = True
        return out

    def fitting(self, people: TableRows, readings: Mapping[str, Reading], run: Run | None = None) -> Ints:
        """Return 0, 1 or 2 (two or more): how many persons each predicate fits.

        Asked of the published records themselves, a label fits the same label.
        """
        from sfumato.attacks.questions._isolating_kernels import count_to_two, rows_by_code

        if not len(self):
            return np.empty(0, np.int64)
        run = run or Run()
        asked = [self._asked(at, people, readings) for at in range(len(self.rows.columns))]
        codes = np.stack([one.codes for one in asked])
        # The column that rules out most is looked up, and then the others one after the other.
        share = np.where(self.used, np.stack([one.share for one in asked], axis=1), np.inf)
        order, used = np.argsort(share, axis=1, kind="stable"), self.used.sum(axis=1)
        out = np.full(len(self), min(people.records, 2), np.int64)  # what asks for nothing fits everybody
        done = 0
        for at, one in enumerate(asked):
            led = np.flatnonzero((order[:, 0] == at) & (used > 0))
            if not len(led):
                continue
            begin, rows = rows_by_code(one.codes, one.values)
            size = max(1, min(_PREDICATES, _TOGETHER // (1 + sum(other.width for other in asked))))
            blocks = [led[start : start + size] for start in range(0, len(led), size)]

            def work(block: Ints, one: _Run | _Set = one, begin: Ints = begin, rows: Ints = rows) -> Ints:
                first, last, sets = _laid_out([other.block(block) for other in asked])
                part, low, high = one.parts(block)
                found: Ints = count_to_two(
                    codes,
                    people.sizes,
                    rows,
                    part,
                    begin[low],
                    begin[high],
                    order[block],
                    used[block],
                    first,
                    last,
                    sets,
                )
                return found

            with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
                for block, found in zip(blocks, pool.map(work, blocks), strict=True):
                    out[block] = found
                    done += len(block)
                    run.tick(done)
        return out

    def _asked(self, at: int, people: TableRows, readings: Mapping[str, Reading]) -> _Run | _Set:
        name, codes, values = self.rows.columns[at], people.codes[:, at], people.values[at]
        labels, label, reading = self.rows.values[at], self.label[:, at], readings.get(name)
        numbers = numbers_of(values, people.types[name])
        if people is self.rows and not self.ranged[at]:
            return _Run.of(codes, people.sizes, len(values), label, label + 1)
        low, high, closed = self.low[:, at], self.high[:, at], np.ones(len(self), bool)
        bounds = None if self.ranged[at] else _bounds(labels, reading)
        if bounds is not None:
            low, high, closed = bounds[0][label], bounds[1][label], bounds[2][label]
        if numbers is not None and (self.ranged[at] or bounds is not None):
            order = np.argsort(numbers, kind="stable")
            rank, rising = np.append(np.argsort(order, kind="stable"), -1).astype(np.int32), numbers[order]
            last = np.where(closed, np.searchsorted(rising, high, "right"), np.searchsorted(rising, high, "left"))
            return _Run.of(rank[codes], people.sizes, len(values), np.searchsorted(rising, low, "left"), last)
        if bounds is not None and (low[label >= 0] == -math.inf).all():
            every = np.full(len(self), len(values))
            return _Run.of(codes, people.sizes, len(values), np.zeros_like(every), every)
        found = covers(labels, values, reading)
        return _Set.of(codes, people.sizes, found, self._exact(at) if self.ranged[at] else label)

    def _exact(self, at: int) -> Ints:
        """Return the codes of numbers that are asked for exactly, -1 for others: all that texts can be compared with."""
        numbers = numbers_of(self.rows.values[at], self.rows.types[self.rows.columns[at]])
        assert numbers is not None
        order = np.argsort(numbers, kind="stable")
        place = np.minimum(np.searchsorted(numbers[order], self.low[:, at]), len(order) - 1)
        return np.where(self.low[:, at] == self.high[:, at], np.append(order, -1)[place], -1)


@frozen(eq=False)
class _Run:
    """What predicates ask of a column: a code from the first up to before the last."""

    codes: Codes
    values: int
    share: Floats
    first: Ints
    last: Ints
    width: int = 0

    @classmethod
    def of(cls, codes: Codes, sizes: Ints, values: int, first: Ints, last: Ints) -> _Run:
        before = np.append(0, np.cumsum(_counts(codes, sizes, values)))
        first = np.clip(first, 0, values)
        last = np.clip(last, first, values)
        return cls(codes, values, before[last] - before[first], first, last)

    def block(self, block: Ints) -> tuple[Ints, Ints, Mask]:
        """Return the runs of some predicates; no set is needed."""
        return self.first[block], self.last[block], np.empty(0, bool)

    def parts(self, block: Ints) -> tuple[Ints, Ints, Ints]:
        """Return the runs of codes that some predicates ask for: where those of each begin, and the runs."""
        return np.arange(len(block) + 1), self.first[block], self.last[block]


@frozen(eq=False)
class _Set:
    """What predicates ask of a column: a value that the label covers. Those of label l are ``value[start[l]:start[l + 1]]``."""

    codes: Codes
    values: int
    share: Floats
    label: Ints
    start: Ints
    value: Ints
    width: int

    @classmethod
    def of(cls, codes: Codes, sizes: Ints, found: Covers, label: Ints) -> _Set:
        values = len(found.start) - 1
        order = np.argsort(found.label, kind="stable")
        value = np.repeat(np.arange(values), np.diff(found.start))[order]
        start = np.searchsorted(found.label[order], np.arange(found.labels + 1))
        before = np.append(0, np.cumsum(_counts(codes, sizes, values)[value]))
        share = np.append(before[start[1:]] - before[start[:-1]], 0.0)
        return cls(codes, values, share[label], label, start, value, values + 1)

    def block(self, block: Ints) -> tuple[Ints, Ints, Mask]:
        """Return, for some predicates, that they ask for sets, where the set of each begins, and the sets."""
        labels, place = np.unique(self.label[block], return_inverse=True)
        fits = np.zeros((len(labels), self.width), bool)
        for at, label in enumerate(labels.tolist()):
            fits[at, self._covered(label) + 1] = True
        return np.full(len(block), -1, np.int64), place.reshape(-1) * self.width, fits.reshape(-1)

    def parts(self, block: Ints) -> tuple[Ints, Ints, Ints]:
        """Return the runs of codes that some predicates ask for: where those of each begin, and the runs."""
        labels, place = np.unique(self.label[block], return_inverse=True)
        runs = [_runs(self._covered(label)) for label in labels.tolist()]
        chosen = [runs[at] for at in place.reshape(-1).tolist()]
        part = np.cumsum([0, *(len(first) for first, _ in chosen)])
        return part, np.concatenate([first for first, _ in chosen]), np.concatenate([last for _, last in chosen])

    def _covered(self, label: int) -> Ints:
        return self.value[self.start[label] : self.start[label + 1]] if label >= 0 else self.value[:0]


def _laid_out(blocks: Sequence[tuple[Ints, Ints, Mask]]) -> tuple[Ints, Ints, Mask]:
    """Put what is asked of each column side by side, and all sets one after the other."""
    sets, last, begin = [np.zeros(1, bool)], [], 1
    for first, at, fits in blocks:
        last.append(np.where(first < 0, at + begin, at))
        sets.append(fits)
        begin += len(fits)
    return np.stack([first for first, _, _ in blocks], axis=1), np.stack(last, axis=1), np.concatenate(sets)


def _runs(codes: Ints) -> tuple[Ints, Ints]:
    """Return rising codes as runs: where each begins, and the code after its last."""
    if not len(codes):
        return codes, codes
    gap = np.flatnonzero(np.diff(codes) > 1)
    return codes[np.append(0, gap + 1)], codes[np.append(gap, len(codes) - 1)] + 1


def _bounds(labels: Sequence[Hashable], reading: Reading | None) -> tuple[Floats, Floats, Mask] | None:
    """Return between which numbers labels lie and whether the upper one belongs to them, if all are such labels.

    A last entry stands for no label, and for everything.
    """
    everything = {SUPPRESSED} | ({reading.root} if reading is not None else set())
    found = []
    for label in labels:
        text = to_text(label)
        bounds = (-math.inf, math.inf, True) if text in everything else parse_interval(text)
        if bounds is None:
            try:
                bounds = (float(text), float(text), True)
            except ValueError:
                return None
        found.append(bounds)
    low, high, closed = zip(*found, (-math.inf, math.inf, True), strict=True)
    return np.array(low, np.float64), np.array(high, np.float64), np.array(closed, bool)


def _counts(codes: Codes, sizes: Ints, values: int) -> Floats:
    known = codes >= 0
    return np.bincount(codes[known], weights=sizes[known].astype(np.float64), minlength=values).astype(np.float64)


def _median(numbers: Floats, sizes: Ints) -> float:
    order = np.argsort(numbers, kind="stable")
    ends = np.cumsum(sizes[order])
    return float(numbers[order][np.searchsorted(ends, ends[-1] / 2)])
