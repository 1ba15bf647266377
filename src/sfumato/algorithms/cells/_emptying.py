"""Which cells to empty, chosen greedily and then filled again where they are not needed, and what nothing can do better than.

Emptying a cell never lowers a count: whoever matched a record still does. So a record is safe for good once it is, and
choosing cells is a covering problem: an emptied record counts for everybody who is equal in what it still shows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from heapq import heapify, heappop, heappush
from itertools import combinations
from math import ceil
from time import monotonic

import numpy as np

from sfumato.contracts.run import Run
from sfumato.data.frozen import frozen
from sfumato.groups.distinct import distinct_rows
from sfumato.groups.wildcards import matching
from sfumato.itemsets.exact_solver import exact_solver
from sfumato.kernels.arrays import Bools, Floats, Ints

__all__ = ["Emptied", "Puzzle", "cheap_cells", "least_cost"]

Emptied = tuple[int, tuple[int, ...]]
"""One record, by the distinct record it is like, and the columns that are emptied in it."""

_MOST_MASKS = 255
_MOST_REFILLS = 200_000_000  # cells that are looked at to find out what may be filled again
_MOST_BOUND = 200_000  # numbers of the linear program that bounds the cost


@frozen(eq=False)
class Puzzle:
    """Distinct records (-1 is an empty cell), how many there are of each, k, and the cost of emptying a cell of each column.

    A column without a finite cost is never emptied; at most ``most`` cells of a record are.
    """

    codes: Ints
    counts: Ints
    k: int
    costs: Floats
    most: int

    @cached_property
    def columns(self) -> tuple[int, ...]:
        """The columns in which emptying a cell may help: it is allowed, and not all records are alike."""
        able = np.isfinite(self.costs) & (self.codes != self.codes[:1]).any(axis=0)
        return tuple(np.flatnonzero(able).tolist())

    @cached_property
    def masks(self) -> tuple[tuple[int, ...], ...]:
        """The sets of columns that may be emptied in a record, small ones first; of very many only some, and the largest."""
        out = list(self._sets(_MOST_MASKS))
        largest = self.columns[: self.most]
        if largest and len(self.columns) <= self.most and largest not in out:
            out.append(largest)
        return tuple(out)

    @property
    def complete(self) -> bool:
        """Whether no set of columns is left out of the masks."""
        return sum(1 for _ in self._sets(_MOST_MASKS + 1)) <= _MOST_MASKS

    def _sets(self, most: int) -> Iterator[tuple[int, ...]]:
        given = 0
        for size in range(1, min(self.most, len(self.columns)) + 1):
            for chosen in combinations(self.columns, size):
                if given == most:
                    return
                given += 1
                yield chosen

    @cached_property
    def shared(self) -> Ints:
        """How many records match each one before anything is emptied."""
        return self.matched(self.codes, self.counts)

    @staticmethod
    def matched(codes: Ints, counts: Ints) -> Ints:
        """Return how many records match each one."""
        return np.rint(matching(codes, counts[:, None].astype(np.float64))[:, 0]).astype(np.int64)

    def price(self, columns: Sequence[int]) -> float:
        """Return the cost of emptying these cells of a record."""
        return float(self.costs[list(columns)].sum())

    def cost(self, chosen: Sequence[Emptied]) -> float:
        """Return what a choice costs."""
        return sum(self.price(columns) for _, columns in chosen)

    def alike(self, columns: Sequence[int]) -> Ints:
        """Return a number for each record, the same for those that are equal in all other columns."""
        kept = [at for at in range(self.codes.shape[1]) if at not in columns]
        return distinct_rows(self.codes[:, kept])[1] if kept else np.zeros(len(self.codes), np.int64)


# ---- a cheap choice --------------------------------------------------------------------------------------------------------


def cheap_cells(puzzle: Puzzle, run: Run) -> list[Emptied] | None:
    """Return cells after whose emptying every record matches k; ``None`` if none were found."""
    classes = [puzzle.alike(mask) for mask in puzzle.masks]
    best: list[Emptied] | None = None
    # Few cells of many records and many cells of few records are different ways; the cheaper one is taken.
    for most in sorted({1, len(puzzle.columns)}):
        used = [at for at, mask in enumerate(puzzle.masks) if len(mask) <= most]
        found = _greedy(puzzle, [puzzle.masks[at] for at in used], [classes[at] for at in used], run)
        if found is not None:
            found = _refilled(puzzle, found, run)
            best = found if best is None or puzzle.cost(found) < puzzle.cost(best) else best
    return best


def _greedy(
    puzzle: Puzzle, masks: Sequence[tuple[int, ...]], classes: Sequence[Ints], run: Run
) -> list[Emptied] | None:
    chosen: list[Emptied] = []
    alive = puzzle.counts.copy()
    while True:
        codes, counts = _states(puzzle, chosen, alive)
        missing = np.maximum(puzzle.k - puzzle.matched(codes, counts)[: len(alive)], 0)
        missing[alive == 0] = 0
        if not missing.any():
            return chosen
        more = _Round(puzzle, masks, classes, alive, missing).steps(run)
        if not more:
            return None
        chosen += more


class _Round:
    """Records to empty, one by one: each time where most is gained for the cost.

    What is gained is one for every record that lacks matches and is equal in what is still shown, and all that the
    emptied record itself lacks. Only sets of k records that are equal in what is still shown are used: a record of these
    is safe, whatever else happens. Gains only fall, so that those in the heap are looked at again when they come up.
    """

    def __init__(
        self, puzzle: Puzzle, masks: Sequence[tuple[int, ...]], classes: Sequence[Ints], alive: Ints, missing: Ints
    ) -> None:
        self.masks, self.classes = masks, classes
        self.alive, self.missing = alive, missing
        self.prices = [puzzle.price(mask) for mask in masks]
        lacking = np.where(missing > 0, alive, 0)
        self.gains = [np.bincount(number, lacking).astype(np.int64) for number in classes]
        held = [np.bincount(number, puzzle.counts) for number in classes]
        self.orders = [np.argsort(number, kind="stable") for number in classes]
        self.starts = [
            np.searchsorted(number[order], np.arange(len(size) + 1))
            for number, order, size in zip(classes, self.orders, held, strict=True)
        ]
        self.heap = [
            (-(int(gain[at]) + puzzle.k) / price, mask, int(at))
            for mask, (gain, size, price) in enumerate(zip(self.gains, held, self.prices, strict=True))
            for at in np.flatnonzero((gain > 0) & (size >= puzzle.k))
        ]
        heapify(self.heap)

    def steps(self, run: Run) -> list[Emptied]:
        """Take steps until nobody lacks a match, or nothing helps."""
        out: list[Emptied] = []
        while self.heap:
            held, mask, number = heappop(self.heap)
            if not self.gains[mask][number]:
                continue
            members = self.orders[mask][self.starts[mask][number] : self.starts[mask][number + 1]]
            lacking = members[(self.missing[members] > 0) & (self.alive[members] > 0)]
            first = int(lacking[np.argmax(self.missing[lacking])])
            gain = int(self.gains[mask][number]) - int(self.alive[first]) + int(self.missing[first])
            score = -gain / self.prices[mask]
            if self.heap and score > held:
                heappush(self.heap, (score, mask, number))
                if score > self.heap[0][0]:
                    continue
                heappop(self.heap)
            run.tick(len(out), f"{len(out):,} records")
            out.append((first, self.masks[mask]))
            self._take(first, lacking)
            heappush(self.heap, (score, mask, number))
        return out

    def _take(self, first: int, lacking: Ints) -> None:
        self._lower(np.array([first]), np.array([1]))
        self.alive[first] -= 1
        others = lacking[lacking != first]
        self.missing[others] -= 1
        done = others[self.missing[others] == 0]
        self._lower(done, self.alive[done])
        if not self.alive[first]:
            self.missing[first] = 0

    def _lower(self, records: Ints, by: Ints) -> None:
        for gain, number in zip(self.gains, self.classes, strict=True):
            np.subtract.at(gain, number[records], by)


def _states(puzzle: Puzzle, chosen: Sequence[Emptied], alive: Ints) -> tuple[Ints, Ints]:
    """Return the records as they are with some emptied: the distinct ones first, then each emptied one."""
    rows = np.concatenate([puzzle.codes, puzzle.codes[[record for record, _ in chosen]].reshape(-1, len(puzzle.costs))])
    for at, (_, columns) in enumerate(chosen, len(puzzle.codes)):
        rows[at, list(columns)] = -1
    return rows, np.concatenate([alive, np.ones(len(chosen), np.int64)])


def _refilled(puzzle: Puzzle, chosen: Sequence[Emptied], run: Run) -> list[Emptied]:
    """Fill cells again that are not needed: whole records, or single cells, the last and the dearest first."""
    if len(chosen) * puzzle.codes.size > _MOST_REFILLS:
        return list(chosen)
    alive = puzzle.counts - np.bincount([record for record, _ in chosen], minlength=len(puzzle.counts))
    codes, counts = _states(puzzle, chosen, alive)
    shared = puzzle.matched(codes, counts)
    out: list[Emptied] = []
    for at in range(len(chosen) - 1, -1, -1):
        run.checkpoint()
        record, columns = chosen[at]
        row, own = len(puzzle.codes) + at, puzzle.codes[record]
        dearest = sorted(columns, key=lambda column: -puzzle.costs[column])
        left = set(columns)
        for filled in [tuple(columns), *((column,) for column in dearest)]:
            if not left.issuperset(filled):
                continue
            shown = codes[row].copy()
            shown[list(filled)] = own[list(filled)]
            lost = (counts > 0) & _match(codes, codes[row]) & ~_match(codes, shown)
            lost[row] = False
            mine = int(shared[row] - counts[lost].sum())
            if mine < puzzle.k or (shared[lost] <= puzzle.k).any():
                continue
            shared[lost] -= 1
            codes[row], shared[row] = shown, mine
            left -= set(filled)
        if left:
            out.append((record, tuple(sorted(left))))
        elif counts[record]:
            counts[record] += 1
            counts[row] = 0
        # A record of which no other like it was left stays in its row, which shows all of it.
    return out[::-1]


def _match(codes: Ints, row: Ints) -> Bools:
    return np.asarray(((codes == row) | (codes < 0) | (row < 0)).all(axis=1))


# ---- what nothing can be cheaper than --------------------------------------------------------------------------------------


def least_cost(puzzle: Puzzle, run: Run) -> float:
    """Return a cost that no choice of cells falls below, from a linear program over sets of records that are emptied alike.

    With Y records emptied of each set of columns and of each set of records that are equal in the others, whoever lacks
    some matches sees as many of these, or is emptied in all of its records. There are no more of those than records that are
    emptied. If costs are whole numbers, the bound is rounded up.
    """
    missing = np.maximum(puzzle.k - puzzle.shared, 0)
    lacking = np.flatnonzero(missing)
    if not len(lacking):
        return 0.0
    least = min(puzzle.price(mask) for mask in puzzle.masks)
    size = len(lacking) * (len(puzzle.masks) + 1)
    if not puzzle.complete or (puzzle.codes < 0).any() or size > _MOST_BOUND:
        return least
    run.checkpoint()
    import highspy

    solver = exact_solver("local-suppression", "a bound on the cost")
    if run.deadline is not None:
        solver.setOptionValue("time_limit", max(run.deadline - monotonic(), 0.1))
    places: list[Ints] = []
    prices: list[float] = []
    for mask in puzzle.masks:
        kinds, number = np.unique(puzzle.alike(mask)[lacking], return_inverse=True)
        places.append(number.reshape(-1) + len(prices))
        prices += [puzzle.price(mask)] * len(kinds)
    sets, wide = len(prices), len(prices) + len(lacking)
    endless = float(highspy.kHighsInf)
    solver.addVars(wide, np.zeros(wide), np.concatenate([np.full(sets, endless), np.ones(len(lacking))]))
    solver.changeColsCost(wide, np.arange(wide, dtype=np.int32), np.concatenate([prices, np.zeros(len(lacking))]))
    counts, short = puzzle.counts[lacking], missing[lacking]
    columns = np.column_stack([*places, sets + np.arange(len(lacking))]).astype(np.int32)
    values = np.ones(columns.shape)
    values[:, -1] = np.maximum(short - counts, 0)
    starts = np.arange(len(lacking), dtype=np.int32) * columns.shape[1]
    solver.addRows(
        len(lacking),
        short.astype(np.float64),
        np.full(len(lacking), endless),
        columns.size,
        starts,
        columns.ravel(),
        values.ravel(),
    )
    solver.addRow(
        0.0,
        endless,
        wide,
        np.arange(wide, dtype=np.int32),
        np.concatenate([np.ones(sets), -counts.astype(np.float64)]),
    )
    solver.run()
    if solver.getModelStatus().name != "kOptimal":
        return least
    found = float(solver.getInfo().objective_function_value)
    finite = puzzle.costs[list(puzzle.columns)]
    return max(least, float(ceil(found - 1e-6)) if (finite == np.floor(finite)).all() else found - 1e-6)
