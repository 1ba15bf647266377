"""The validity check of a search for the next release of a series: Tree1, the X-tree, and what each step would do to them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from sfumato.data.compressed import CompressedTable
from sfumato.data.tree import Tree
from sfumato.errors import Infeasible
from sfumato.kernels.arrays import Bools, Codes, Floats, Ints
from sfumato.searches.columns import Column, TaxonomyColumn
from sfumato.searches.partition import Partition
from sfumato.searches.validity import Step, Validity
from sfumato.sequels._matching import Classes, numbered, summed, together
from sfumato.sequels.algorithms._join_kernels import unmet, worst_of_parts
from sfumato.sequels.algorithms._join_levels import Levels, Tree1, XEntry
from sfumato.sequels.join import JoinColumn, below, nodes_of
from sfumato.sequels.models.xy_privacy_join import JoinQuestion, XYPrivacyJoin

__all__ = ["JoinOracle"]

Piece = tuple[Ints, Codes, Ints]
"""Rows with the part of the release that each is in, and its cell."""

_BLOCK = 1 << 15
"""Rows that are looked at in one go: what is needed beside the tables stays small."""

_CELLS = 1 << 24
"""More cells than there can be: looking at rows may find new ones while keys are made of their numbers."""


@dataclass(eq=False)
class _Eye:
    """One requirement, and how it reads atoms and rows: Y lies in the earlier releases or in the new one."""

    model: XYPrivacyJoin
    xy_at: Ints
    x_of_xy: Ints
    xy_counts: Bools
    value: Ints
    value_counts: Bools
    called: Sequence[Hashable]
    inside: bool
    constant: bool
    first_only: bool
    now: Levels = field(default_factory=lambda: Levels.room(0))
    ahead: list[Levels] = field(default_factory=list)


class JoinOracle(Validity):
    """Says which steps keep (X,Y)-privacy on the join, without writing the join out.

    Each value on X of the new release is a group of rows; the earlier releases that go with its labels are lists of atoms, one
    for each *cell* (labels in the join attributes), and a step shortens the lists of the cells that it parts. Only groups that
    a step touched are counted again: what a group would show if one of its values were refined depends on its rows alone.

    If every join attribute is in X, a value on X decides the match: with Y in the new release its share is the same whatever
    atom it goes with (one is enough), and with Y in the earlier ones nothing that a step does can change it.
    """

    def __init__(
        self, questions: Sequence[tuple[XYPrivacyJoin, JoinQuestion]], table: CompressedTable, related: bool
    ) -> None:
        self.table, self.questions = table, questions
        question = questions[0][1]
        self.join, self.last = question.join, len(question.join.releases) - 1
        self.anti_monotone = related and not question.free
        self.least = {tuple(range(len(table.columns))): 1}
        self.trees: list[Tree] = self.join.join_trees
        self.names = list(self.join.trees)
        earlier = [one for one in question.x if one.release < self.last]
        learnt = [one for _, asked in questions for one in asked.y if one.release < self.last]
        kept = list(dict.fromkeys([*earlier, *learnt]))
        wanted = [tuple(one.name for one in kept if one.release == at) for at in range(self.last)]
        place = {one: at for at, one in enumerate(sorted(kept, key=lambda one: (one.release, kept.index(one))))}
        atoms = self.join.history([*wanted, ()])
        x, x_at = numbered(atoms.keys[:, [place[one] for one in earlier]])
        self.tree1 = Tree1(atoms, x, x_at, atoms.keys[:, [place[one] for one in kept if one not in earlier]])
        self.eyes = [self._eye(model, asked, place, related) for model, asked in questions]
        self._open_cells()
        self.touched = 0
        self.partition: Partition | None = None
        self.columns: Sequence[Column] = ()

    # ---- making ------------------------------------------------------------------------------------------------------

    def _eye(self, model: XYPrivacyJoin, asked: JoinQuestion, place: Mapping[JoinColumn, int], related: bool) -> _Eye:
        """Return how a requirement reads what is there."""
        atoms, rows = self.tree1.atoms, len(self.table)
        inside = asked.y[0].release == self.last
        counts_rows = model.k is not None and model.anonymity_counts == "records"
        if inside:
            codes = self.table.extra_codes[:, [self.table.extra.index(one.name) for one in asked.y]]
            kinds, value = numbered(codes)
            parts = [
                [self.table.dictionaries[one.name].values[code] for code in kinds[:, at]]
                for at, one in enumerate(asked.y)
            ]
            xy_at, x_of_xy = self.tree1.x_at, np.arange(len(self.tree1.x))
        else:
            value = np.zeros(rows, np.int64)
            learnt = atoms.keys[:, [place[one] for one in asked.y]]
            kinds, xy_at = numbered(np.column_stack([self.tree1.x_at.astype(np.int32), learnt]))
            x_of_xy = kinds[:, 0].astype(np.int64)
            held = [self.join.releases[one.release].dictionary(one.name).values for one in asked.y]
            parts = [
                [None if code < 0 else values[code] for code in kinds[:, at + 1]] for at, values in enumerate(held)
            ]
        shown = [one[0] if len(one) == 1 else one for one in zip(*parts, strict=True)]
        protects = np.array([model.protects(one) for one in shown], bool)
        return _Eye(
            model=model,
            xy_at=xy_at,
            x_of_xy=x_of_xy,
            xy_counts=np.ones(len(x_of_xy), bool) if inside else protects,
            value=value,
            value_counts=protects if inside else np.ones(1, bool),
            called=shown,
            inside=inside,
            constant=related and not asked.free and not inside and not counts_rows,
            first_only=not asked.free and inside and not counts_rows,
        )

    def _open_cells(self) -> None:
        """Give each row its cell in the most general state, and each cell the atoms that go with it."""
        nodes = np.zeros((len(self.table), len(self.trees)), np.int32)
        for at, name in enumerate(self.names):
            if name in self.table.extra:
                values = self.table.dictionaries[name].values
                codes = self.table.extra_codes[:, self.table.extra.index(name)]
                nodes[:, at] = nodes_of(self.trees[at], values, column=name)[codes]
        labels, cell = numbered(nodes)
        self.cell: Ints = cell
        made = Classes(
            labels, self._marks(labels), np.zeros((len(labels), 0), np.int32), np.ones(len(labels), np.int64)
        )
        matched, start = together(self.trees, self.tree1.atoms, made)
        self.lists = [matched[start[at] : start[at + 1]].astype(np.int32) for at in range(len(labels))]
        self.below: dict[int, dict[tuple[int, int], int]] = {}

    def _marks(self, labels: Codes) -> Ints:
        """Return the bits of declared inconsistencies whose end in the new release lies at or above a label."""
        marks = np.zeros(len(labels), np.int64)
        for bit, end, label in self.join.ends(self.last):
            at = self.names.index(end.name)
            marks |= below(self.trees[at], self.trees[at].node(label), labels[:, at]).astype(np.int64) << bit
        return marks

    def open(self, columns: Sequence[Column], partition: Partition) -> None:
        """Look at the most general state, when the search has its columns and its one group."""
        self.columns, self.partition = columns, partition
        for eye in self.eyes:
            eye.ahead = [Levels.room(0) for _ in columns]
        self.look(np.zeros(1, np.int64), first=True)

    # ---- counting ----------------------------------------------------------------------------------------------------

    def levels(self, eye: _Eye, parts: int, pieces: Iterable[Piece]) -> Levels:
        """Return the worst values on X of parts of the release; its rows come some at a time, and are counted at once."""
        kinds = len(eye.value_counts)
        keys, weights = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
        for part, rows, cell in pieces:
            key, place = np.unique((part * kinds + eye.value[rows]) * _CELLS + cell, return_inverse=True)
            keys.append(key)
            weights.append(summed(place.reshape(-1), self.table.weights[rows], len(key)))
        distinct, place = np.unique(np.concatenate(keys), return_inverse=True)
        weight = summed(place.reshape(-1), np.concatenate(weights), len(distinct))
        used, cell = np.unique(distinct % _CELLS, return_inverse=True)
        start = np.searchsorted(distinct // (kinds * _CELLS), np.arange(parts + 1))
        lists = [self.lists[at][:1] if eye.first_only else self.lists[at] for at in used]
        listed_start = np.concatenate([[0], np.cumsum([len(one) for one in lists])])
        largest, whole, different, joined = unmet(parts)
        worst_of_parts(
            start,
            cell.reshape(-1),
            distinct // _CELLS % kinds,
            weight,
            listed_start,
            np.concatenate(lists) if lists else np.empty(0, np.int32),
            self.tree1.x_at,
            eye.xy_at,
            self.tree1.atoms.weights,
            eye.x_of_xy,
            eye.value_counts,
            eye.xy_counts,
            largest,
            whole,
            different,
            joined,
        )
        return Levels(largest / whole, joined if eye.model.anonymity_counts == "records" else different)

    def most_general(self) -> list[Levels]:
        """Return the levels of the release in which every column of X shows one value."""
        rows: list[Codes] = [
            np.arange(at, min(at + _BLOCK, len(self.table)), dtype=np.int32) for at in range(0, len(self.table), _BLOCK)
        ]
        return [
            self.levels(eye, 1, ((np.zeros(len(some), np.int64), some, self.cell[some]) for some in rows))
            for eye in self.eyes
        ]

    def refuse_hopeless(self) -> None:
        """Refuse a task whose most general release fails; that none is safe is a theorem only if joins are in X."""
        for eye, found in zip(self.eyes, self.most_general(), strict=True):
            if not eye.model.holds(found.share, found.count).all():
                measured = float(found.share[0]) if eye.model.h is not None else int(found.count[0])
                means = "no release can satisfy it" if self.anti_monotone else "a finer one was not looked for"
                raise Infeasible(
                    f"even the most general release violates {eye.model.id} on the join: {means}",
                    measured=measured,
                    bound=eye.model.h if eye.model.h is not None else eye.model.k,
                    requirement=eye.model.id,
                )

    def _blocks(self, changed: Ints) -> Iterator[tuple[Ints, Codes]]:
        """Yield the rows of some groups, so many at a time, each with the place of its group among them."""
        assert self.partition is not None
        lengths = (self.partition.end - self.partition.start)[changed]
        ends = np.cumsum(lengths)
        for first in range(0, int(ends[-1]) if len(ends) else 0, _BLOCK):
            last = min(first + _BLOCK, int(ends[-1]))
            some = np.arange(np.searchsorted(ends, first, "right"), np.searchsorted(ends, last, "left") + 1)
            begin = np.maximum(ends[some] - lengths[some], first)
            taken = np.minimum(ends[some], last) - begin
            begin += self.partition.start[changed[some]] - (ends[some] - lengths[some])
            rows = [self.partition.order[at : at + count] for at, count in zip(begin, taken, strict=True)]
            yield np.repeat(some, taken), np.concatenate(rows)

    def look(self, changed: Ints, *, first: bool = False) -> None:
        """Count groups that are new, as they are and as each of their values would part them."""
        assert self.partition is not None
        partition = self.partition
        for eye in self.eyes:
            eye.now = eye.now.grown(partition.count)
            eye.ahead = [held.grown(partition.count) for held in eye.ahead]
            if eye.constant and not first:
                for held in (eye.now, *eye.ahead):  # a new group is as bad as the one that it came from
                    held.share[changed], held.count[changed] = eye.now.share[0], eye.now.count[0]
                continue
            pieces = ((group, rows, self.cell[rows]) for group, rows in self._blocks(changed))
            found = self.levels(eye, len(changed), pieces)
            eye.now.share[changed], eye.now.count[changed] = found.share, found.count
        for index, column in enumerate(self.columns):
            shown = partition.shown[partition.qid.index(index), changed]
            if not (column.children[shown] > 0).any():
                continue
            width = int(column.children.max())
            for eye in self.eyes:
                if eye.constant:
                    if first:
                        eye.ahead[index].share[0], eye.ahead[index].count[0] = eye.now.share[0], eye.now.count[0]
                    continue
                found = self.levels(eye, len(changed) * width, self._parted(index, changed, shown, width))
                eye.ahead[index].share[changed] = found.share.reshape(-1, width).max(axis=1)
                eye.ahead[index].count[changed] = found.count.reshape(-1, width).min(axis=1)

    def _parted(self, index: int, changed: Ints, shown: Codes, width: int) -> Iterator[Piece]:
        """Yield the rows of groups as a refinement of what they show in a column would part them."""
        column = self.columns[index]
        for group, rows in self._blocks(changed):
            open_ = (column.children[shown] > 0)[group]
            if open_.any():
                taken, of = rows[open_], group[open_]
                child = column.child[self.table.codes[taken, index]]
                yield of * width + child, taken, self._cells_below(index, taken, shown[of], child)

    def _cells_below(self, index: int, rows: Codes, slot: Codes, child: Codes) -> Ints:
        """Return the cell of each row after its value in a column is refined; columns that do not join change nothing."""
        column, name = self.columns[index], self.table.columns[index]
        if name not in self.names or not isinstance(column, TaxonomyColumn):
            same: Ints = self.cell[rows]
            return same
        tree, at = column.tree, self.names.index(name)
        width = max(len(below) for below in tree.children) or 1
        asked, place = np.unique(
            (self.cell[rows] * len(tree) + slot.astype(np.int64)) * width + child, return_inverse=True
        )
        made = [
            self._cell_below(
                int(key) // width // len(tree), at, tree.children[int(key) // width % len(tree)][int(key) % width]
            )
            for key in asked
        ]
        found: Ints = np.array(made, np.int64)[place.reshape(-1)]
        return found

    def _cell_below(self, cell: int, at: int, node: int) -> int:
        """Return the cell in which one label is refined to a node; its atoms are those of the cell that still go with it."""
        known = self.below.setdefault(cell, {})
        if (at, node) not in known:
            tree, held = self.trees[at], self.lists[cell]
            labels = self.tree1.atoms.nodes[held, at]
            fits = below(tree, node, labels) | (
                (tree.leaf_first[labels] <= tree.leaf_first[node]) & (tree.leaf_last[node] <= tree.leaf_last[labels])
            )
            for bit, end, label in self.join.ends(self.last):
                if end.name == self.names[at] and below(tree, tree.node(label), np.array([node], np.int32))[0]:
                    fits &= (self.tree1.atoms.marks[held] >> bit) & 1 == 0
            known[at, node] = len(self.lists)
            self.lists.append(held[fits])
        return known[at, node]

    # ---- what a step would do ----------------------------------------------------------------------------------------

    def after(self, eye: _Eye, index: int, slots: Ints) -> Levels:
        """Return the levels of the release after each of some values of a column is refined."""
        assert self.partition is not None
        partition = self.partition
        shown = partition.shown[partition.qid.index(index), : partition.count]
        size = len(self.columns[index].children)
        there, elsewhere = Levels.room(size), Levels.room(size)
        np.maximum.at(there.share, shown, eye.ahead[index].share[: partition.count])
        np.minimum.at(there.count, shown, eye.ahead[index].count[: partition.count])
        np.maximum.at(elsewhere.share, shown, eye.now.share[: partition.count])
        np.minimum.at(elsewhere.count, shown, eye.now.count[: partition.count])
        top, low = int(np.argmax(elsewhere.share)), int(np.argmin(elsewhere.count))
        other_top = np.delete(elsewhere.share, top).max(initial=0.0)
        other_low = np.delete(elsewhere.count, low).min(initial=np.iinfo(np.int64).max)
        share = np.where(slots == top, other_top, elsewhere.share[top])
        count = np.where(slots == low, other_low, elsewhere.count[low])
        return Levels(np.maximum(share, there.share[slots]), np.minimum(count, there.count[slots]))

    def whole(self, eye: _Eye) -> tuple[float, int]:
        """Return the levels of the release as it is."""
        return float(eye.now.share.max()), int(eye.now.count.min())

    def loss_and_validity(self, index: int, slots: Ints) -> tuple[Floats, Bools]:
        """Return how much worse each step makes the worst value on X, and whether every requirement holds after it."""
        loss, valid = np.zeros(len(slots)), np.ones(len(slots), bool)
        for eye in self.eyes:
            share, count = self.whole(eye)
            found = self.after(eye, index, slots)
            valid &= eye.model.holds(found.share, found.count)
            if eye.model.h is not None:
                loss += np.maximum(found.share - share, 0.0)
            if eye.model.k is not None:
                loss += np.maximum(count - found.count, 0)
        return loss / len(self.eyes), valid

    def would_hold(self, step: Step) -> bool:
        return bool(self.loss_and_validity(step.index, np.array([step.slot]))[1][0])

    def part(self, index: int, changed: Ints) -> None:
        """Take note of groups that were parted by a step in a column."""
        assert self.partition is not None
        self.touched += int((self.partition.end - self.partition.start)[changed].sum())
        column = self.columns[index]
        if self.table.columns[index] in self.names and isinstance(column, TaxonomyColumn):
            at, left = self.names.index(self.table.columns[index]), set[int]()
            for _, rows in self._blocks(changed):
                node = column.node_of_code[self.table.codes[rows, index]]
                asked, place = np.unique(self.cell[rows] * len(column.tree) + node, return_inverse=True)
                made = [
                    self._cell_below(int(key) // len(column.tree), at, int(key) % len(column.tree)) for key in asked
                ]
                left |= {int(key) // len(column.tree) for key in asked}
                self.cell[rows] = np.array(made, np.int64)[place.reshape(-1)]
            for cell in left:  # nobody is there any more, and what other columns would have led to is forgotten with it
                gone = [made for (other, _), made in self.below.pop(cell).items() if other != at]
                for empty in (cell, *gone):
                    self.lists[empty] = np.empty(0, np.int32)
        self.look(changed)

    def x_tree(self, which: int = 0) -> dict[tuple[int, int], XEntry]:
        """Return the X-tree by (group, value on X of the earlier releases), counted row by row: for whoever wants to see it."""
        assert self.partition is not None
        eye, found = self.eyes[which], dict[tuple[int, int], XEntry]()
        for group in range(self.partition.count):
            for row in self.partition.rows_of(group).tolist():
                for atom in self.lists[self.cell[row]].tolist():
                    entry = found.setdefault((group, int(self.tree1.x_at[atom])), XEntry())
                    amount = int(self.tree1.atoms.weights[atom] * self.table.weights[row])
                    entry.rows += amount
                    value = eye.called[max(int(eye.value[row]), int(eye.xy_at[atom]) if not eye.inside else 0)]
                    if eye.model.protects(value):
                        entry.values[value] = entry.values.get(value, 0) + amount
        return found
