"""Split enumeration: the best way to cut ordered columns into runs, every record in a group of k or left out.

A part of the search space fixes some splits (the head), forbids some, and leaves the rest open (the tail). Two things make
the enumeration small:

- One column, the *free* one, is never enumerated: a chain of intervals gives its best splits, or a lower bound.
- An open split is dropped if putting it into the head makes the bound too large, or if it is useless: it would leave fewer
  than k records on one side wherever it divides a group, and they are better off where they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isqrt

import numpy as np

from sfumato.algorithms.cuts._branch_and_bound import Best, Clock
from sfumato.algorithms.cuts._split_space import IN, OPEN, OUT, Chain, Frame, Ints, Solution, SplitSpace, States
from sfumato.data.frozen import frozen
from sfumato.kernels.arrays import Codes

__all__ = ["Part", "SplitEnumeration"]

# A free column is cut by a table of all its intervals, so it may not have too many of them.
_MOST_POSITIONS = 256
_GRID = 96
# Counts for all open splits side by side may take this many numbers; more splits than that are tried one by one.
_ROOM = 1 << 23
_AFRESH, _DENSEST, _CHANGED = 0.2, 0.3, 0.2

# The piece of every row and column, and where the pieces of each column begin.
_Pieces = tuple[Codes, Ints]


@frozen(eq=False)
class Part:
    """Some solutions: what is fixed, forbidden and open, and what is known from the part that this one was cut from.

    ``reach`` says where an interval of the free column ends at the latest, by its first block, and ``after`` what the blocks
    from there on cost at least, in any solution better than the best that was known then.
    """

    state: States
    reach: Ints | None = None
    after: Ints | None = None


class _Children:
    """Parts below a part: one more split in the head each, the splits before it forbidden; then what is left of the part."""

    def __init__(self, part: Part, order: Sequence[int], bounds: Sequence[int], rest: int | None) -> None:
        # Splits come with falling bounds, so that those that promise most have the fewest others left to combine with.
        self.part = part
        self.order = list(order)
        self.turn = list(range(len(order) - 1, -1, -1))
        self.bounds = [bounds[index] for index in self.turn]
        if rest is not None:
            at = int(np.searchsorted(self.bounds, rest))
            self.bounds.insert(at, rest)
            self.turn.insert(at, len(order))

    def make(self, index: int) -> Part:
        """Return one part."""
        chosen = self.turn[index]
        state = self.part.state.copy()
        state[self.order[:chosen]] = OUT
        if chosen < len(self.order):
            state[self.order[chosen]] = IN
        return replace(self.part, state=state)


class _Halves:
    """Two parts: one split of the free column taken or forbidden."""

    def __init__(self, state: States, split: int, bound: int) -> None:
        self.state = state
        self.split = split
        self.bounds = [bound, bound]

    def make(self, index: int) -> Part:
        """Return one part; its blocks are other ones, so nothing is known of them."""
        state = self.state.copy()
        state[self.split] = IN if index == 0 else OUT
        return Part(state)


class _Nothing:
    """No parts: the part is done."""

    bounds: Sequence[int] = ()

    def make(self, index: int) -> Part:
        """There is none."""
        raise IndexError(index)


class SplitEnumeration:
    """The enumeration of all solutions of a space, part by part; without ``chains`` no column is free."""

    def __init__(self, space: SplitSpace, *, chains: bool = True) -> None:
        self.space = space
        self.free = self._freest() if chains else -1

    def _freest(self) -> int:
        """Return the column with the most splits that a table of intervals can hold."""
        counts = np.diff(self.space.start)
        fitting = np.where(counts <= _MOST_POSITIONS, counts, -1)
        return int(np.argmax(fitting)) if len(counts) and fitting.max() > 0 else -1

    def everything(self) -> Part:
        """Return the part that holds all solutions."""
        return Part(np.full(len(self.space), OPEN, np.int8))

    # ---- a good solution to begin with -------------------------------------------------------------------------------

    def start(self, best: Best[Solution], clock: Clock, rng: np.random.Generator, rounds: int) -> None:
        """Look for a good solution: sweep from nothing, then often from the best with some columns changed at random."""
        space = self.space
        columns = [column for column in range(len(space.sizes)) if space.start[column] < space.start[column + 1]]
        self.sweep((), columns, best, clock)
        for _ in range(rounds if columns else 0):
            if rng.random() < _AFRESH:
                dense = _DENSEST * rng.random() * rng.random(len(space.sizes))
                taken = rng.random(len(space)) < dense[space.column]
            else:
                taken = space.closed(best.solution) == IN
                for column in rng.choice(columns, min(len(columns), int(rng.integers(1, 4))), replace=False).tolist():
                    here = slice(int(space.start[column]), int(space.start[column + 1]))
                    if rng.random() < 0.5:
                        taken[here] = False
                    else:
                        taken[here] ^= rng.random(here.stop - here.start) < _CHANGED
            self.sweep(tuple(np.flatnonzero(taken).tolist()), rng.permutation(columns).tolist(), best, clock)

    def sweep(self, solution: Solution, columns: Sequence[int], best: Best[Solution], clock: Clock) -> Solution:
        """Give one column after the other its best splits beside those of the others, until none can be bettered."""
        cost = self.space.cost(solution)
        current = solution
        turn, idle = 0, 0
        while idle < len(columns):
            clock.check()
            column = columns[turn % len(columns)]
            turn += 1
            better = self._recut(current, column, cost)
            if better is None:
                idle += 1
                continue
            idle = 1
            cost, current = better
            best.offer(cost, current)
        return current

    def _recut(self, solution: Solution, column: int, cost: int) -> tuple[int, Solution] | None:
        """Return a cheaper solution with other splits in one column, if there is one."""
        here = range(int(self.space.start[column]), int(self.space.start[column + 1]))
        if not here:
            return None
        state = self.space.closed(solution)
        open_ = list(here)
        if len(open_) > _MOST_POSITIONS:
            grid = np.unique(np.linspace(0, len(open_) - 1, _GRID).astype(np.int64))
            open_ = sorted({open_[index] for index in grid.tolist()} | {split for split in solution if split in here})
        state[open_] = OPEN
        frame = self.space.frame(state, column)
        # If the cheapest chain leaves out too many records, the one that leaves out none in any interval does not.
        for budget in dict.fromkeys((self.space.budget, 0)):
            found = self.space.chain(frame, budget=budget)
            if found.cost >= cost:
                return None
            others = [split for split in solution if split not in here]
            candidate = tuple(sorted([*others, *found.taken]))
            if self.space.budget >= self.space.records or self.space.left_out(candidate) <= self.space.budget:
                return found.cost, candidate
        return None

    # ---- opening a part ----------------------------------------------------------------------------------------------

    def open(self, part: Part, best: Best[Solution], clock: Clock) -> _Children | _Halves | _Nothing:
        """Drop splits that cannot help, offer the best solution of the head, and return the parts with one split more."""
        state, reach, after = part.state, part.reach, part.after
        bounds: dict[int, int] = {}
        while True:
            clock.check()
            frame = self.space.frame(state, self.free)
            base = self.space.chain(frame, reach=reach, after=after, limit=self._limit(best))
            if not best.worth(base.cost):
                return _Nothing()
            reach, after = self._relevant(frame, base, best)
            if not best.ties and self._idle_head(state, frame, reach, best):
                return _Nothing()
            tail = self._tail(state)
            pieces = self._pieces(frame, tail)
            useful = tail if best.ties else self._useful(frame, tail, pieces, reach, best)
            bounds = {}
            if len(useful) == len(tail):
                bounds = self._bounds(frame, tail, pieces, reach, after, best, clock)
                useful = list(bounds)
            dropped = len(tail) - len(useful)
            if dropped == 0:
                break
            state = state.copy()
            state[[split for split in tail if split not in set(useful)]] = OUT
            if not useful:
                break
        alone = state.copy()
        alone[list(bounds)] = OUT
        # Intervals and chains that cannot be part of a better solution of the part are none of its head's either.
        exact = self.space.chain(self._of_head(frame), reach=reach, after=after, limit=self._limit(best))
        before = best.cost
        rest = self._settle(alone, exact, best)
        if best.cost < before and not best.ties:
            self.sweep(best.solution, range(len(self.space.sizes)), best, clock)
        order = sorted(bounds, key=lambda split: (-bounds[split], split))
        if not order:
            return _Nothing() if rest is None else _Halves(alone, rest, exact.cost)
        return _Children(
            Part(state, reach, after), order, [bounds[split] for split in order], None if rest is None else exact.cost
        )

    def _pieces(self, frame: Frame, tail: Sequence[int]) -> _Pieces | None:
        """Return between which open splits of its column each code of a row lies, unless they are too many."""
        if not tail or frame.groups * frame.blocks * (len(tail) + len(self.space.sizes)) > _ROOM:
            return None
        pieces, starts = [], [0]
        for column in sorted({int(self.space.column[split]) for split in tail}):
            own = [int(self.space.position[split]) for split in tail if self.space.column[split] == column]
            marks = np.zeros(self.space.sizes[column], np.int32)
            marks[own] = 1
            pieces.append((np.cumsum(marks, dtype=np.int32) + np.int32(starts[-1]))[self.space.codes(frame, column)])
            starts.append(starts[-1] + len(own) + 1)
        return np.ascontiguousarray(np.stack(pieces, axis=1)), np.array(starts, np.int64)

    def _useful(
        self, frame: Frame, tail: Sequence[int], pieces: _Pieces | None, reach: Ints, best: Best[Solution]
    ) -> list[int]:
        """Return the open splits that are of use in some group of some interval that may still come."""
        from sfumato.algorithms.cuts._split_row_kernels import useful_splits

        if pieces is None:
            return [split for split in tail if not self._useless(frame, split, reach, best)]
        marks = useful_splits(
            frame.first, frame.group, frame.weight, *pieces, frame.groups, reach, *self._dominance(best)
        )
        return [split for split, mark in zip(tail, marks.tolist(), strict=True) if mark]

    def _dominance(self, best: Best[Solution]) -> tuple[int, int, int]:
        """Return k, the most records that a group of a better solution can hold, and what leaving a record out costs."""
        return (
            self.space.k,
            isqrt(int(best.cost)),
            -1 if self.space.classes or self.space.budget == 0 else self.space.records,
        )

    def _bounds(
        self,
        frame: Frame,
        tail: Sequence[int],
        pieces: _Pieces | None,
        reach: Ints,
        after: Ints,
        best: Best[Solution],
        clock: Clock,
    ) -> dict[int, int]:
        """Return lower bounds with one more split in the head, for all open splits with which a better solution may be."""
        from sfumato.algorithms.cuts._split_chain_kernels import INFINITE, chains_with_each

        limit = self._limit(best)
        if self.space.classes or frame.rules or pieces is None:
            found = []
            for split in tail:
                clock.check()
                found.append(self.space.chain(frame, split=split, reach=reach, after=after, limit=limit).cost)
        else:
            found = chains_with_each(
                frame.first,
                frame.group,
                frame.cell,
                frame.weight,
                *pieces,
                frame.groups,
                frame.cells,
                self.space.k,
                self.space.records,
                self.space.budget,
                reach,
                after,
                int(min(limit, INFINITE)),
            ).tolist()
        return {split: bound for split, bound in zip(tail, found, strict=True) if best.worth(bound)}

    def _limit(self, best: Best[Solution]) -> float:
        """Return the cost at which a chain is of no more interest."""
        return best.cost + 1 if best.ties else best.cost

    def _tail(self, state: States) -> list[int]:
        """Return the open splits of all columns but the free one."""
        return [int(split) for split in np.flatnonzero((state == OPEN) & (self.space.column != self.free))]

    def _of_head(self, frame: Frame) -> Frame:
        """Return the frame of the head alone: nothing is left open, and a cell is a whole group."""
        from sfumato.algorithms.cuts._split_row_kernels import merged_rows

        if frame.rules:  # their groups are known row by row
            return replace(frame, cell=frame.group, cells=frame.groups)
        bare = np.full(len(frame.weight), -1, np.int64)
        first, group, kind, _, weight = merged_rows(
            frame.first,
            frame.group,
            frame.kind,
            bare,
            frame.weight,
            frame.groups,
            self.space.kinds,
            np.zeros(0, np.int32),
            -1,
        )
        return replace(frame, first=first, group=group, kind=kind, cell=group, weight=weight, cells=frame.groups)

    def _settle(self, state: States, exact: Chain, best: Best[Solution]) -> int | None:
        """Offer the solution of a part without a tail; return a split to decide if it leaves out too many records."""
        head = [int(split) for split in np.flatnonzero((state == IN) & (self.space.column != self.free))]
        solution = tuple(sorted([*head, *exact.taken]))
        if self._offer(exact.cost, solution, best):
            return None
        undecided = [split for split in exact.taken if state[split] == OPEN]
        # Nothing to decide: the fixed splits alone leave out too many, and more splits leave out more.
        return undecided[len(undecided) // 2] if undecided else None

    def _relevant(self, frame: Frame, base: Chain, best: Best[Solution]) -> tuple[Ints, Ints]:
        """Return the furthest end of an interval from each start, and what follows, that a better solution may have."""
        from sfumato.algorithms.cuts._split_chain_kernels import INFINITE

        blocks = frame.blocks
        after = np.full(blocks + 1, INFINITE, np.int64)
        after[blocks] = 0
        for i in range(blocks - 1, -1, -1):
            after[i] = min(INFINITE, int((base.costs[i, i + 1 :] + after[i + 1 :]).min()))
        limit = int(min(self._limit(best), INFINITE))
        through = np.minimum(base.best[:blocks, None], INFINITE) + np.minimum(base.costs + after[None, :], INFINITE)
        useful = through < limit
        reach = np.where(useful.any(axis=1), blocks - np.argmax(useful[:, ::-1], axis=1), np.arange(blocks))
        return reach.astype(np.int64), after

    def _useless(
        self, frame: Frame, split: int, reach: Ints, best: Best[Solution], group: Ints | None = None, groups: int = 0
    ) -> bool:
        """Tell whether a split can be taken away at no cost, beside the head or beside other groups."""
        from sfumato.algorithms.cuts._split_row_kernels import is_useless

        return bool(
            is_useless(
                frame.first,
                frame.group if group is None else group,
                frame.weight,
                self.space.codes(frame, int(self.space.column[split])),
                int(self.space.position[split]),
                frame.groups if group is None else groups,
                reach,
                *self._dominance(best),
            )
        )

    def _idle_head(self, state: States, frame: Frame, reach: Ints, best: Best[Solution]) -> bool:
        """Tell whether a split of the head has become useless beside the others: the part without it is no worse."""
        head = [int(split) for split in np.flatnonzero((state == IN) & (self.space.column != self.free))]
        if len(head) < 2:
            return False
        for split in head:
            chosen = state == IN
            chosen[split] = False
            others = {int(self.space.column[other]) for other in head if other != split}
            group, groups = self.space.numbered(frame, others, chosen)
            if self._useless(frame, split, reach, best, group, groups):
                return True
        return False

    def _offer(self, cost: int, solution: Solution, best: Best[Solution]) -> bool:
        """Offer a solution whose every interval keeps the budget; say whether all of them together do."""
        if not best.worth(cost):
            return True
        if 0 < self.space.budget < self.space.records and self.space.left_out(solution) > self.space.budget:
            return False
        best.offer(cost, solution)
        return True
