"""Split enumeration: the best way to cut ordered columns into runs, every record in a group of k or left out.

A solution is a set of *splits*: positions in the order of a column at which a new run begins. A part of the search space
fixes some splits (the head), forbids some, and leaves the rest open (the tail). Three things make the enumeration small:

- One column, the *free* one, is never enumerated. Where the splits of the others are given, its best splits are a cheapest
  chain of intervals; where they are partly open, the chain of lower bounds is a lower bound.
- An open split is dropped if putting it into the head makes the bound too large, or if it is useless: it would leave fewer
  than k records on one side wherever it divides a group, and they are better off where they are.
- Records of one group and block whose cells can never grow beyond k all cost the same, and are counted together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isqrt

import numpy as np
import numpy.typing as npt

from sfumato.searches.branch_and_bound import Best, Clock

__all__ = ["Part", "Solution", "SplitSpace", "ThinRule", "start"]

Ints = npt.NDArray[np.int64]
States = npt.NDArray[np.int8]

OUT, IN, OPEN = 0, 1, 2

#: A free column is cut by a table of all its intervals, so it may not have too many of them.
_MOST_POSITIONS = 256
_GRID = 96
# Counts for all open splits side by side may take this many numbers; more splits than that are tried one by one.
_ROOM = 1 << 23
_AFRESH, _DENSEST, _CHANGED = 0.2, 0.3, 0.2
_KEY = 1 << 40

# The piece of every row and column, and where the pieces of each column begin.
_Pieces = tuple[npt.NDArray[np.int32], Ints]

# The positions of the splits that a solution takes, rising.
Solution = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Part:
    """Some solutions: what is fixed, forbidden and open, and what is known from the part that this one was cut from.

    ``reach`` says where an interval of the free column ends at the latest, by its first block, and ``after`` what the blocks
    from there on cost at least, in any solution better than the best that was known then.
    """

    state: States
    reach: Ints | None = None
    after: Ints | None = None


@dataclass(frozen=True)
class ThinRule:
    """A requirement on some of the columns: no group on them may have fewer than k records."""

    columns: tuple[int, ...]
    k: int


@dataclass(frozen=True, eq=False)
class _Frame:
    """The rows of a part as the kernels want them: merged where nothing tells them apart, sorted by block."""

    free: int
    first: Ints
    group: Ints
    kind: Ints
    cell: Ints
    weight: Ints
    shown: Ints
    groups: int
    cells: int
    must: Ints
    positions: Ints
    rules: tuple[tuple[ThinRule, Ints, int], ...]

    @property
    def blocks(self) -> int:
        return len(self.first) - 1


@dataclass(frozen=True, eq=False)
class _Chain:
    """What a cheapest chain says: its cost, the cost of every interval, the splits it takes."""

    cost: int
    costs: Ints
    best: Ints
    taken: tuple[int, ...]


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


class SplitSpace:
    """All sets of splits of a table, with what each costs.

    ``codes`` (rows x columns) are positions in the order of each column. A kept record costs the size of its group, one that
    is left out the size of the table. With ``kinds``, the class of each row, a record costs 1 if it is left out or not of its
    group's largest class. At most ``budget`` records may be left out. ``rules`` are requirements on parts of the columns; they
    leave nobody out. ``allowed`` lists the positions at which each column may be cut, all if not given. Without ``chains``
    no column is free.
    """

    def __init__(
        self,
        codes: npt.NDArray[np.int32],
        weights: Ints,
        sizes: Sequence[int],
        *,
        k: int,
        budget: int,
        kinds: Ints | None = None,
        rules: Sequence[ThinRule] = (),
        allowed: Sequence[Sequence[int]] | None = None,
        chains: bool = True,
    ) -> None:
        self.by_column = np.ascontiguousarray(codes.T)
        self.weights = weights
        self.records = int(weights.sum())
        self.k = k
        self.budget = budget
        self.classes = kinds is not None
        self.kind = np.zeros(len(weights), np.int64) if kinds is None else kinds
        self.kinds = int(self.kind.max()) + 1 if len(self.kind) else 1
        self.rules = tuple(rules)
        self.sizes = tuple(sizes)
        points = [list(range(1, size)) for size in sizes] if allowed is None else [list(part) for part in allowed]
        self.column = np.array([column for column, part in enumerate(points) for _ in part], np.int64)
        self.position = np.array([position for part in points for position in part], np.int64)
        self.start = np.concatenate([[0], np.cumsum([len(part) for part in points])]).astype(np.int64)
        self.free = self._freest() if chains else -1

    def __len__(self) -> int:
        return len(self.column)

    def _freest(self) -> int:
        """Return the column with the most splits that a table of intervals can hold."""
        counts = np.diff(self.start)
        fitting = np.where(counts <= _MOST_POSITIONS, counts, -1)
        return int(np.argmax(fitting)) if len(counts) and fitting.max() > 0 else -1

    def everything(self) -> Part:
        """Return the part that holds all solutions."""
        return Part(np.full(len(self), OPEN, np.int8))

    @property
    def floor(self) -> int:
        """What no solution can undercut: a kept record shares its group with k - 1 others."""
        return 0 if self.classes else self.records * self.k

    # ---- rows of a part ----------------------------------------------------------------------------------------------

    def _runs(self, column: int, chosen: npt.NDArray[np.bool_]) -> Ints:
        """Return the run of each code of a column if the chosen splits (of all) are taken."""
        marks = np.zeros(self.sizes[column], np.int64)
        here = slice(int(self.start[column]), int(self.start[column + 1]))
        marks[self.position[here][chosen[here]]] = 1
        return np.cumsum(marks)

    def _keys(self, columns: Sequence[int], chosen: npt.NDArray[np.bool_]) -> Ints:
        """Return a key for each row, equal where the chosen splits do not tell two rows apart on some columns."""
        from sfumato.kernels.splits import numbered

        key = np.zeros(len(self.weights), np.int64)
        width = 1
        used: list[int] = []
        tables: list[Ints] = []
        for column in columns:
            runs = self._runs(column, chosen)
            count = int(runs[-1]) + 1
            if count == 1:
                continue
            if width > _KEY // count:
                key, width = numbered(key + self._summed(used, tables))
                used, tables = [], []
            used.append(column)
            tables.append(runs * width)
            width *= count
        return key + self._summed(used, tables)

    def _summed(self, columns: Sequence[int], tables: Sequence[Ints]) -> Ints:
        """Return the sum of what each row's codes look up in the tables of some columns."""
        from sfumato.kernels.splits import run_keys

        if not columns:
            return np.zeros(len(self.weights), np.int64)
        shifts = np.concatenate([[0], np.cumsum([len(table) for table in tables])[:-1]]).astype(np.int64)
        out: Ints = run_keys(self.by_column[list(columns)], np.concatenate(tables), shifts)
        return out

    def frame(self, state: States, free: int) -> _Frame:
        """Return the rows of a part with one column free, or none (-1)."""
        from sfumato.kernels.splits import distinct_rows, numbered

        others = [column for column in range(len(self.sizes)) if column != free]
        head = self._keys(others, state == IN)
        cell = self._keys(others, state != OUT)
        if free >= 0:
            here = slice(int(self.start[free]), int(self.start[free + 1]))
            kept = state[here] != OUT
            positions = np.arange(len(self))[here][kept]
            block = self._runs(free, state != OUT)[self.by_column[free]]
            must = np.flatnonzero(state[here][kept] == IN) + 1
        else:
            positions, must = np.empty(0, np.int64), np.empty(0, np.int64)
            block = np.zeros(len(self.weights), np.int64)
        first, shown, weight = distinct_rows(block, cell, self.kind, self.weights, len(positions) + 1, self.kinds)
        group, groups = numbered(head[shown])
        cell, cells = numbered(cell[shown])
        kind = self.kind[shown]
        cell = self._tracked(cell, int(cells), weight, kind)
        return _Frame(
            free,
            first,
            group,
            kind,
            cell,
            weight,
            shown,
            int(groups),
            int(cell.max()) + 1 if len(cell) else 0,
            must.astype(np.int64),
            positions.astype(np.int64),
            self._rule_groups(state, free, shown),
        )

    def _tracked(self, cell: Ints, cells: int, weight: Ints, kind: Ints) -> Ints:
        """Number the cells that must be told apart; -1 for those whose records cost the same in whatever interval."""
        if self.classes:
            by_kind = np.bincount(cell * self.kinds + kind, weights=weight, minlength=cells * self.kinds)
            told = (by_kind.reshape(cells, self.kinds) > 0).sum(axis=1) > 1
        else:
            told = np.bincount(cell, weights=weight, minlength=cells) >= self.k
        numbers = np.where(told, np.cumsum(told) - 1, -1).astype(np.int64)
        out: Ints = numbers[cell]
        return out

    def _rule_groups(self, state: States, free: int, shown: Ints) -> tuple[tuple[ThinRule, Ints, int], ...]:
        from sfumato.kernels.splits import numbered

        out = []
        for rule in self.rules:
            key = self._keys([column for column in rule.columns if column != free], state == IN)
            numbers, count = numbered(key[shown])
            out.append((rule, numbers, int(count)))
        return tuple(out)

    # ---- chains ------------------------------------------------------------------------------------------------------

    def _codes(self, frame: _Frame, column: int) -> npt.NDArray[np.int32]:
        """Return the codes of one column in the rows of a frame."""
        out: npt.NDArray[np.int32] = self.by_column[column][frame.shown]
        return out

    def _reach(self, frame: _Frame) -> Ints:
        """Return where an interval that starts at each block ends at the latest: at the next split that is fixed."""
        ends = np.append(frame.must, frame.blocks)
        out: Ints = ends[np.searchsorted(ends, np.arange(frame.blocks), side="right")]
        return out

    def chain(
        self,
        frame: _Frame,
        *,
        split: int = -1,
        reach: Ints | None = None,
        after: Ints | None = None,
        limit: float = float("inf"),
        budget: int | None = None,
    ) -> _Chain:
        """Return the cheapest chain of a frame, with one more split in the head if given."""
        from sfumato.kernels.splits import INFINITE, cheapest_chain, cheapest_class_chain, merged_rows

        column, at = (int(self.column[split]), int(self.position[split])) if split >= 0 else (0, -1)
        codes = self._codes(frame, column) if split >= 0 else np.zeros(0, np.int32)
        first, group, kind, cell, weight = merged_rows(
            frame.first,
            frame.group,
            frame.kind,
            frame.cell,
            frame.weight,
            frame.groups,
            self.kinds,
            codes,
            at,
        )
        blocks = frame.blocks
        costs = np.empty((blocks, blocks + 1), np.int64)
        best, before = np.zeros(blocks + 1, np.int64), np.zeros(blocks + 1, np.int64)
        groups = frame.groups * (2 if split >= 0 else 1)
        rest = (
            self.budget if budget is None else budget,
            self._reach(frame) if reach is None else reach,
            self._banned(frame, column if split >= 0 else -1, at, codes),
            np.zeros(blocks + 1, np.int64) if after is None else after,
            int(min(limit, INFINITE)),
            costs,
            best,
            before,
        )
        if self.classes:
            cost = cheapest_class_chain(
                first, group, kind, cell, weight, groups, frame.cells, self.kinds, self.k, *rest
            )
        else:
            cost = cheapest_chain(first, group, cell, weight, groups, frame.cells, self.k, self.records, *rest)
        taken: list[int] = []
        block = blocks
        while block > 0 and cost < INFINITE:
            block = int(before[block])
            if block > 0:
                taken.append(int(frame.positions[block - 1]))
        return _Chain(int(cost), costs, best, tuple(reversed(taken)))

    def _banned(self, frame: _Frame, column: int, at: int, codes: npt.NDArray[np.int32]) -> npt.NDArray[np.int8]:
        from sfumato.kernels.splits import thin_intervals

        if not frame.rules:
            return np.zeros((0, 0), np.int8)
        banned = np.zeros((frame.blocks, frame.blocks + 1), np.int8)
        for rule, numbers, count in frame.rules:
            parted = column in rule.columns
            group = 2 * numbers + (codes >= at) if parted else numbers
            thin_intervals(
                frame.first,
                group.astype(np.int64),
                frame.weight,
                2 * count if parted else count,
                rule.k,
                frame.free not in rule.columns,
                banned,
            )
        return banned

    # ---- single solutions --------------------------------------------------------------------------------------------

    def closed(self, solution: Sequence[int]) -> States:
        """Return the part that holds one solution only."""
        state = np.full(len(self), OUT, np.int8)
        state[list(solution)] = IN
        return state

    def left_out(self, solution: Sequence[int]) -> int:
        """Return how many records a solution leaves out."""
        from sfumato.kernels.splits import numbered

        numbers, count = numbered(self._keys(range(len(self.sizes)), self.closed(solution) == IN))
        sizes = np.bincount(numbers, weights=self.weights, minlength=count).astype(np.int64)
        return int(sizes[sizes < self.k].sum())

    def cost(self, solution: Sequence[int]) -> int:
        """Return what a solution costs, or infinity where it breaks a rule or leaves too many records out."""
        return self.chain(self.frame(self.closed(solution), -1)).cost

    def _offer(self, cost: int, solution: Solution, best: Best) -> bool:
        """Offer a solution whose every interval keeps the budget; say whether all of them together do."""
        if not best.worth(cost):
            return True
        if 0 < self.budget < self.records and self.left_out(solution) > self.budget:
            return False
        best.offer(cost, solution)
        return True

    # ---- opening a part ----------------------------------------------------------------------------------------------

    def open(self, part: Part, best: Best, clock: Clock) -> _Children | _Halves | _Nothing:
        """Drop splits that cannot help, offer the best solution of the head, and return the parts with one split more."""
        state, reach, after = part.state, part.reach, part.after
        bounds: dict[int, int] = {}
        while True:
            clock.check()
            frame = self.frame(state, self.free)
            base = self.chain(frame, reach=reach, after=after, limit=self._limit(best))
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
        exact = self.chain(self._of_head(frame), reach=reach, after=after, limit=self._limit(best))
        before = best.cost
        rest = self._settle(alone, exact, best)
        if best.cost < before and not best.ties:
            self.sweep(best.solution, range(len(self.sizes)), best, clock)
        order = sorted(bounds, key=lambda split: (-bounds[split], split))
        if not order:
            return _Nothing() if rest is None else _Halves(alone, rest, exact.cost)
        return _Children(
            Part(state, reach, after), order, [bounds[split] for split in order], None if rest is None else exact.cost
        )

    def _pieces(self, frame: _Frame, tail: Sequence[int]) -> _Pieces | None:
        """Return between which open splits of its column each code of a row lies, unless they are too many."""
        if not tail or frame.groups * frame.blocks * (len(tail) + len(self.sizes)) > _ROOM:
            return None
        pieces, starts = [], [0]
        for column in sorted({int(self.column[split]) for split in tail}):
            own = [int(self.position[split]) for split in tail if self.column[split] == column]
            marks = np.zeros(self.sizes[column], np.int32)
            marks[own] = 1
            pieces.append((np.cumsum(marks, dtype=np.int32) + np.int32(starts[-1]))[self._codes(frame, column)])
            starts.append(starts[-1] + len(own) + 1)
        return np.ascontiguousarray(np.stack(pieces, axis=1)), np.array(starts, np.int64)

    def _useful(self, frame: _Frame, tail: Sequence[int], pieces: _Pieces | None, reach: Ints, best: Best) -> list[int]:
        """Return the open splits that are of use in some group of some interval that may still come."""
        from sfumato.kernels.splits import useful_splits

        if pieces is None:
            return [split for split in tail if not self._useless(frame, split, reach, best)]
        marks = useful_splits(
            frame.first, frame.group, frame.weight, *pieces, frame.groups, reach, *self._dominance(best)
        )
        return [split for split, mark in zip(tail, marks.tolist(), strict=True) if mark]

    def _dominance(self, best: Best) -> tuple[int, int, int]:
        """Return k, the most records that a group of a better solution can hold, and what leaving a record out costs."""
        return self.k, isqrt(int(best.cost)), -1 if self.classes or self.budget == 0 else self.records

    def _bounds(
        self,
        frame: _Frame,
        tail: Sequence[int],
        pieces: _Pieces | None,
        reach: Ints,
        after: Ints,
        best: Best,
        clock: Clock,
    ) -> dict[int, int]:
        """Return lower bounds with one more split in the head, for all open splits with which a better solution may be."""
        from sfumato.kernels.splits import INFINITE, chains_with_each

        limit = self._limit(best)
        if self.classes or frame.rules or pieces is None:
            found = []
            for split in tail:
                clock.check()
                found.append(self.chain(frame, split=split, reach=reach, after=after, limit=limit).cost)
        else:
            found = chains_with_each(
                frame.first,
                frame.group,
                frame.cell,
                frame.weight,
                *pieces,
                frame.groups,
                frame.cells,
                self.k,
                self.records,
                self.budget,
                reach,
                after,
                int(min(limit, INFINITE)),
            ).tolist()
        return {split: bound for split, bound in zip(tail, found, strict=True) if best.worth(bound)}

    def _limit(self, best: Best) -> float:
        """Return the cost at which a chain is of no more interest."""
        return best.cost + 1 if best.ties else best.cost

    def _tail(self, state: States) -> list[int]:
        """Return the open splits of all columns but the free one."""
        return [int(split) for split in np.flatnonzero((state == OPEN) & (self.column != self.free))]

    def _of_head(self, frame: _Frame) -> _Frame:
        """Return the frame of the head alone: nothing is left open, and a cell is a whole group."""
        from sfumato.kernels.splits import merged_rows

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
            self.kinds,
            np.zeros(0, np.int32),
            -1,
        )
        return replace(frame, first=first, group=group, kind=kind, cell=group, weight=weight, cells=frame.groups)

    def _settle(self, state: States, exact: _Chain, best: Best) -> int | None:
        """Offer the solution of a part without a tail; return a split to decide if it leaves out too many records."""
        head = [int(split) for split in np.flatnonzero((state == IN) & (self.column != self.free))]
        solution = tuple(sorted([*head, *exact.taken]))
        if self._offer(exact.cost, solution, best):
            return None
        undecided = [split for split in exact.taken if state[split] == OPEN]
        # Nothing to decide: the fixed splits alone leave out too many, and more splits leave out more.
        return undecided[len(undecided) // 2] if undecided else None

    def _relevant(self, frame: _Frame, base: _Chain, best: Best) -> tuple[Ints, Ints]:
        """Return the furthest end of an interval from each start, and what follows, that a better solution may have."""
        from sfumato.kernels.splits import INFINITE

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
        self, frame: _Frame, split: int, reach: Ints, best: Best, group: Ints | None = None, groups: int = 0
    ) -> bool:
        """Tell whether a split can be taken away at no cost, beside the head or beside other groups."""
        from sfumato.kernels.splits import is_useless

        return bool(
            is_useless(
                frame.first,
                frame.group if group is None else group,
                frame.weight,
                self._codes(frame, int(self.column[split])),
                int(self.position[split]),
                frame.groups if group is None else groups,
                reach,
                *self._dominance(best),
            )
        )

    def _idle_head(self, state: States, frame: _Frame, reach: Ints, best: Best) -> bool:
        """Tell whether a split of the head has become useless beside the others: the part without it is no worse."""
        from sfumato.kernels.splits import numbered

        head = [int(split) for split in np.flatnonzero((state == IN) & (self.column != self.free))]
        if len(head) < 2:
            return False
        for split in head:
            chosen = state == IN
            chosen[split] = False
            key = np.zeros(len(frame.weight), np.int64)
            width = 1
            for column in {int(self.column[other]) for other in head if other != split}:
                runs = self._runs(column, chosen)
                if width > _KEY // (int(runs[-1]) + 1):
                    key, width = numbered(key)
                key += (runs * width)[self._codes(frame, column)]
                width *= int(runs[-1]) + 1
            group, groups = numbered(key)
            if self._useless(frame, split, reach, best, group, int(groups)):
                return True
        return False

    # ---- a good solution to begin with -------------------------------------------------------------------------------

    def sweep(self, solution: Solution, columns: Sequence[int], best: Best, clock: Clock) -> Solution:
        """Give one column after the other its best splits beside those of the others, until none can be bettered."""
        cost = self.cost(solution)
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
        here = range(int(self.start[column]), int(self.start[column + 1]))
        if not here:
            return None
        state = self.closed(solution)
        open_ = list(here)
        if len(open_) > _MOST_POSITIONS:
            grid = np.unique(np.linspace(0, len(open_) - 1, _GRID).astype(np.int64))
            open_ = sorted({open_[index] for index in grid.tolist()} | {split for split in solution if split in here})
        state[open_] = OPEN
        frame = self.frame(state, column)
        # If the cheapest chain leaves out too many records, the one that leaves out none in any interval does not.
        for budget in dict.fromkeys((self.budget, 0)):
            found = self.chain(frame, budget=budget)
            if found.cost >= cost:
                return None
            others = [split for split in solution if split not in here]
            candidate = tuple(sorted([*others, *found.taken]))
            if self.budget >= self.records or self.left_out(candidate) <= self.budget:
                return found.cost, candidate
        return None


def start(space: SplitSpace, best: Best, clock: Clock, rng: np.random.Generator, rounds: int) -> None:
    """Look for a good solution: sweep from nothing, then again and again from the best with some columns changed at random."""
    columns = [column for column in range(len(space.sizes)) if space.start[column] < space.start[column + 1]]
    space.sweep((), columns, best, clock)
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
        space.sweep(tuple(np.flatnonzero(taken).tolist()), rng.permutation(columns).tolist(), best, clock)
