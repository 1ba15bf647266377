"""Beyond one level per column: records left out are recoded among themselves, then every group is refined on its own.

In each round the best node is searched for the records that no round has placed yet; the groups that satisfy the requirements
there are published at its levels. Afterwards each group is split along the attribute that gives most detail back, as long as
all its parts satisfy the requirements, so no group is left that could be refined safely. It can end after any round and any
refinement: what is placed by then satisfies the requirements.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from sfumato.algorithms.lattice._heuristics import descend
from sfumato.algorithms.lattice._search import ENUMERABLE, LatticeSearch
from sfumato.contracts.algorithm import Task
from sfumato.contracts.levels import Round
from sfumato.contracts.metric import DataMetric
from sfumato.contracts.recoding import TableRecoding
from sfumato.data.compressed import CompressedTable
from sfumato.data.frozen import frozen
from sfumato.data.text import to_text
from sfumato.errors import Unsupported
from sfumato.kernels.arrays import Bools, Floats, Ints
from sfumato.recodings.multidimensional_generalization import MultidimensionalGeneralization
from sfumato.searches.lattice import Node
from sfumato.searches.validity import group_stats

__all__ = ["LocalRecoding", "recode_locally"]


@frozen(eq=False)
class LocalRecoding:
    """The boxes of all groups as one recoding, the raw values of records left out, and what each round placed.

    ``stopped`` says why it ended early, if it did: records left out could be placed then, or groups refined.
    """

    operation: TableRecoding
    left_out: list[tuple[str, ...]]
    records_left_out: int
    groups: int
    rounds: list[Round]
    stopped: str | None = None


def recode_locally(
    search: LatticeSearch, node: Node, metric: DataMetric, stop: Callable[[], str | None] = lambda: None
) -> LocalRecoding:
    """Return the local recoding that starts from a node; it ends after a step if ``stop`` gives a reason."""
    if search.judge.partial:
        raise Unsupported(
            "local recoding needs requirements on all quasi-identifiers",
            thing=search.judge.partial[0][1].id,
        )
    task, table = search.task, search.task.table
    state = _Groups(search)
    rows = np.arange(len(table))
    rounds: list[Round] = []
    part, at = search, node
    reason: str | None = None
    while True:
        placed = state.place(part, at, rows)
        if not placed.any():
            break
        records = int(table.weights[rows[placed]].sum())
        rounds.append(Round(levels=dict(zip(search.lattice.names, at, strict=True)), records=records))
        rows = rows[~placed]
        if int(table.weights[rows].sum()) < search.judge.least:
            break
        reason = stop()
        if reason is not None:
            break
        search.progress.tick(0, f"{int(table.weights[rows].sum()):,} records not placed yet")
        part = LatticeSearch(_part(task, rows), metric, search.progress)
        reason = part.run(stop) if part.lattice.size <= ENUMERABLE else descend(part, part.lattice.top, stop)
        if part.best is None:
            break
        at = part.best.node
    reason = reason or state.refine(stop)
    return LocalRecoding(
        state.operation(),
        _texts(table, rows),
        int(table.weights[rows].sum()),
        state.count,
        rounds,
        reason,
    )


def _part(task: Task, rows: Ints) -> Task:
    """Return the task of some rows; all may be left out, and the whole table stays what groups are compared with."""
    table = task.table
    dictionaries = dict(table.dictionaries)
    for i, name in enumerate(table.columns):
        counts = np.bincount(table.codes[rows, i], weights=table.weights[rows], minlength=len(dictionaries[name]))
        dictionaries[name] = replace(dictionaries[name], counts=counts.astype(np.int64))
    part = replace(
        table,
        codes=table.codes[rows],
        weights=table.weights[rows],
        dictionaries=dictionaries,
        extra_codes=table.extra_codes[rows],
        part_of=table.table_records,
    )
    return replace(task, table=part, suppress_at_most=1.0)


def _texts(table: CompressedTable, rows: Ints) -> list[tuple[str, ...]]:
    """Return the distinct raw values of some rows."""
    names = [[to_text(value) for value in table.dictionaries[name].values] for name in table.columns]
    distinct = np.unique(table.codes[rows], axis=0)
    return [tuple(named[code] for named, code in zip(names, row, strict=True)) for row in distinct.tolist()]


class _Groups:
    """Groups of rows, each with levels of its own."""

    def __init__(self, search: LatticeSearch) -> None:
        self.search = search
        self.lattice = search.lattice
        self.table = search.task.table
        self.group = np.full(len(self.table), -1, np.int64)
        self.levels = np.zeros((0, len(self.lattice.shape)), np.int64)

    @property
    def count(self) -> int:
        """Number of groups."""
        return len(self.levels)

    def place(self, search: LatticeSearch, node: Node, rows: Ints) -> Bools:
        """Make groups of the rows that satisfy the requirements at a node; tell which rows those are."""
        keys = np.stack(
            [self.lattice.code[i][level][self.table.codes[rows, i]] for i, level in enumerate(node)], axis=1
        )
        _, group = np.unique(keys, axis=0, return_inverse=True)
        group = group.reshape(-1).astype(np.int64)
        satisfied = ~self._violating(group, int(group.max()) + 1, rows)
        placed = satisfied[group]
        number = np.cumsum(satisfied) - 1 + self.count
        self.group[rows[placed]] = number[group[placed]]
        self.levels = np.concatenate([self.levels, np.tile(np.array(node), (int(satisfied.sum()), 1))])
        return placed

    def _violating(self, group: Ints, groups: int, rows: Ints) -> Bools:
        """Tell which groups of some rows break a requirement."""
        judge, table = self.search.judge, self.table
        sizes = np.bincount(group, weights=table.weights[rows], minlength=groups).astype(np.int64)
        bad = sizes < judge.least
        for model in judge.measured:
            stats = group_stats(table, group, groups, model.needs(), rows)
            bad |= ~model.bound().holds(model.measure(stats))
        return bad

    def refine(self, stop: Callable[[], str | None]) -> str | None:
        """Split each group along the attribute that gives most back, while all its parts satisfy the requirements.

        Return why it ended early, or ``None`` if no group is left that could be split.
        """
        rows = np.flatnonzero(self.group >= 0)
        stuck = np.zeros((self.count, len(self.lattice.shape)), bool)
        while True:
            gain = np.where(stuck, -1.0, self._gains())
            attribute = np.argmax(gain, axis=1)
            open_groups = gain[np.arange(self.count), attribute] > 0
            if not open_groups.any():
                return None
            reason = stop()
            if reason is not None:
                return reason
            chosen = rows[open_groups[self.group[rows]]]
            own = self.group[chosen]
            part = self._finer(chosen, own, attribute)
            width = int(part.max()) + 1
            keys, where = np.unique(own * width + part, return_inverse=True)
            bad = self._violating(where.astype(np.int64), len(keys), chosen)
            parent = keys // width
            fails = np.zeros(self.count, bool)
            fails[parent[bad]] = True
            stuck[np.flatnonzero(open_groups & fails), attribute[open_groups & fails]] = True
            self._split(chosen, where, parent, open_groups & ~fails, attribute)
            # A part may be split where the whole could not: it may hold nothing of what was in the way.
            stuck = stuck[self._parents] & ~self._born[:, None]

    def _gains(self) -> Floats:
        """Return how much of its domain an attribute would give back in each group; 0 where it is at its leaves."""
        out = np.zeros((self.count, len(self.lattice.shape)))
        for i, tree in enumerate(self.lattice.trees):
            share = np.array([
                tree.leaf_count[nodes].mean() / len(tree.leaves) for nodes in self.lattice.values[i]
            ])  # fmt: skip
            step = np.concatenate([[0.0], np.maximum(np.diff(share), 1e-12)])
            out[:, i] = step[self.levels[:, i]]
        return out

    def _finer(self, rows: Ints, own: Ints, attribute: Ints) -> Ints:
        """Return the value that each row would show one level down in the attribute chosen for its group."""
        out = np.zeros(len(rows), np.int64)
        for i in range(len(self.lattice.shape)):
            for level in range(1, self.lattice.shape[i]):
                here = (attribute[own] == i) & (self.levels[own, i] == level)
                out[here] = self.lattice.code[i][level - 1][self.table.codes[rows[here], i]]
        return out

    def _split(self, rows: Ints, part: Ints, parent: Ints, allowed: Bools, attribute: Ints) -> None:
        """Replace allowed groups by their parts, in place: parts follow each other where the group stood."""
        kept = np.flatnonzero(~allowed)
        parts = np.flatnonzero(allowed[parent])
        order = np.lexsort((np.concatenate([np.full(len(kept), -1), parts]), np.concatenate([kept, parent[parts]])))
        self._parents = np.concatenate([kept, parent[parts]])[order]
        number = np.empty(len(order), np.int64)
        number[order] = np.arange(len(order))
        new_of_kept = np.full(self.count, -1, np.int64)
        new_of_kept[kept] = number[: len(kept)]
        new_of_part = np.full(int(part.max()) + 1, -1, np.int64)
        new_of_part[parts] = number[len(kept) :]
        placed = self.group >= 0
        moved = new_of_kept[self.group[placed]]
        self.group[placed] = moved
        split = new_of_part[part] >= 0
        self.group[rows[split]] = new_of_part[part[split]]
        levels = self.levels[self._parents]
        self._born = order >= len(kept)
        at = attribute[self._parents]
        levels[np.flatnonzero(self._born), at[self._born]] -= 1
        self.levels = levels

    def operation(self) -> TableRecoding:
        """Return the groups as boxes, those of earlier rounds first."""
        names = self.lattice.names
        first = np.full(self.count, -1, np.int64)
        placed = np.flatnonzero(self.group >= 0)[::-1]
        first[self.group[placed]] = placed
        columns: list[Sequence[str]] = []
        for i in range(len(names)):
            labels = [self.lattice.labels(i, level) for level in range(self.lattice.shape[i])]
            codes = self.table.codes[first, i]
            columns.append(
                [
                    labels[level][self.lattice.code[i][level][code]]
                    for level, code in zip(self.levels[:, i].tolist(), codes.tolist(), strict=True)
                ]
            )
        boxes = tuple(zip(*columns, strict=True))
        return MultidimensionalGeneralization(
            qid=names, trees=dict(zip(names, self.lattice.trees, strict=True)), boxes=boxes, outside="root"
        )
