"""Ways to cut ordered columns into runs: what a set of splits costs, and what all sets between two of them cost at least.

A solution is a set of *splits*: positions in the order of a column at which a new run begins. A *state* says of each split
whether it is taken, left out or open. Of a state a *frame* is made: its rows, merged where nothing tells them apart, with the
columns but one, the *free* one. What is best for the free column beside the splits of the others is a cheapest chain of
intervals; where those are partly open, the chain of lower bounds is a lower bound. Records of one group and block whose
cells can never grow beyond k all cost the same, and are counted together.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from sfumato.data.frozen import frozen
from sfumato.kernels.arrays import Bools, Codes, Ints

__all__ = ["IN", "OPEN", "OUT", "Chain", "Frame", "Ints", "Solution", "SplitSpace", "States", "ThinRule"]

States = npt.NDArray[np.int8]

OUT, IN, OPEN = 0, 1, 2

# Keys of rows grow no longer than this; beyond it they are numbered afresh.
_KEY = 1 << 40

# The positions of the splits that a solution takes, rising.
Solution = tuple[int, ...]


@frozen
class ThinRule:
    """A requirement on some of the columns: no group on them may have fewer than k records."""

    columns: tuple[int, ...]
    k: int


@frozen(eq=False)
class Frame:
    """The rows of a state as the kernels want them: merged where nothing tells them apart, sorted by block."""

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


@frozen(eq=False)
class Chain:
    """What a cheapest chain says: its cost, the cost of every interval, the splits it takes."""

    cost: int
    costs: Ints
    best: Ints
    taken: tuple[int, ...]


class SplitSpace:
    """All sets of splits of a table, with what each costs.

    ``codes`` (rows x columns) are positions in the order of each column. A kept record costs the size of its group, one that
    is left out the size of the table. With ``kinds``, the class of each row, a record costs 1 if it is left out or not of its
    group's largest class. At most ``budget`` records may be left out. ``rules`` are requirements on parts of the columns; they
    leave nobody out. ``allowed`` lists the positions at which each column may be cut, all if not given.
    """

    def __init__(
        self,
        codes: Codes,
        weights: Ints,
        sizes: Sequence[int],
        *,
        k: int,
        budget: int,
        kinds: Ints | None = None,
        rules: Sequence[ThinRule] = (),
        allowed: Sequence[Sequence[int]] | None = None,
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

    def __len__(self) -> int:
        return len(self.column)

    @property
    def floor(self) -> int:
        """What no solution can undercut: a kept record shares its group with k - 1 others."""
        return 0 if self.classes else self.records * self.k

    # ---- rows of a state ---------------------------------------------------------------------------------------------

    def _runs(self, column: int, chosen: Bools) -> Ints:
        """Return the run of each code of a column if the chosen splits (of all) are taken."""
        marks = np.zeros(self.sizes[column], np.int64)
        here = slice(int(self.start[column]), int(self.start[column + 1]))
        marks[self.position[here][chosen[here]]] = 1
        return np.cumsum(marks)

    def _keys(self, columns: Sequence[int], chosen: Bools) -> Ints:
        """Return a key for each row, equal where the chosen splits do not tell two rows apart on some columns."""
        from sfumato.algorithms.cuts._split_row_kernels import numbered

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
        from sfumato.algorithms.cuts._split_row_kernels import run_keys

        if not columns:
            return np.zeros(len(self.weights), np.int64)
        shifts = np.concatenate([[0], np.cumsum([len(table) for table in tables])[:-1]]).astype(np.int64)
        out: Ints = run_keys(self.by_column[list(columns)], np.concatenate(tables), shifts)
        return out

    def frame(self, state: States, free: int) -> Frame:
        """Return the rows of a state with one column free, or none (-1)."""
        from sfumato.algorithms.cuts._split_row_kernels import distinct_rows, numbered

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
        return Frame(
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
        from sfumato.algorithms.cuts._split_row_kernels import numbered

        out = []
        for rule in self.rules:
            key = self._keys([column for column in rule.columns if column != free], state == IN)
            numbers, count = numbered(key[shown])
            out.append((rule, numbers, int(count)))
        return tuple(out)

    def numbered(self, frame: Frame, columns: Iterable[int], chosen: Bools) -> tuple[Ints, int]:
        """Number the rows of a frame, equally where the chosen splits do not tell two apart on some columns."""
        from sfumato.algorithms.cuts._split_row_kernels import numbered

        key = np.zeros(len(frame.weight), np.int64)
        width = 1
        for column in columns:
            runs = self._runs(column, chosen)
            if width > _KEY // (int(runs[-1]) + 1):
                key, width = numbered(key)
            key += (runs * width)[self.codes(frame, column)]
            width *= int(runs[-1]) + 1
        numbers, count = numbered(key)
        return numbers, int(count)

    # ---- chains ------------------------------------------------------------------------------------------------------

    def codes(self, frame: Frame, column: int) -> Codes:
        """Return the codes of one column in the rows of a frame."""
        out: Codes = self.by_column[column][frame.shown]
        return out

    def _reach(self, frame: Frame) -> Ints:
        """Return where an interval that starts at each block ends at the latest: at the next split that is fixed."""
        ends = np.append(frame.must, frame.blocks)
        out: Ints = ends[np.searchsorted(ends, np.arange(frame.blocks), side="right")]
        return out

    def chain(
        self,
        frame: Frame,
        *,
        split: int = -1,
        reach: Ints | None = None,
        after: Ints | None = None,
        limit: float = float("inf"),
        budget: int | None = None,
    ) -> Chain:
        """Return the cheapest chain of a frame, with one more split in the head if given."""
        from sfumato.algorithms.cuts._split_chain_kernels import INFINITE, cheapest_chain, cheapest_class_chain
        from sfumato.algorithms.cuts._split_row_kernels import merged_rows

        column, at = (int(self.column[split]), int(self.position[split])) if split >= 0 else (0, -1)
        codes = self.codes(frame, column) if split >= 0 else np.zeros(0, np.int32)
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
        return Chain(int(cost), costs, best, tuple(reversed(taken)))

    def _banned(self, frame: Frame, column: int, at: int, codes: Codes) -> npt.NDArray[np.int8]:
        from sfumato.algorithms.cuts._split_row_kernels import thin_intervals

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
        """Return the state in which one solution is all that is left."""
        state = np.full(len(self), OUT, np.int8)
        state[list(solution)] = IN
        return state

    def left_out(self, solution: Sequence[int]) -> int:
        """Return how many records a solution leaves out."""
        from sfumato.algorithms.cuts._split_row_kernels import numbered

        numbers, count = numbered(self._keys(range(len(self.sizes)), self.closed(solution) == IN))
        sizes = np.bincount(numbers, weights=self.weights, minlength=count).astype(np.int64)
        return int(sizes[sizes < self.k].sum())

    def cost(self, solution: Sequence[int]) -> int:
        """Return what a solution costs, or infinity where it breaks a rule or leaves too many records out."""
        return self.chain(self.frame(self.closed(solution), -1)).cost
