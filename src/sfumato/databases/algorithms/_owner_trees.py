"""Owners as trees of rows, and what is left when several of them are made alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.data.tree import Tree
from sfumato.databases.database import Database
from sfumato.groups.distinct import renumbered
from sfumato.kernels.arrays import Bools, Ints

__all__ = ["OwnerTrees", "Shared"]

_FEW = 16  # branches of a column that are told apart when owners are compared


@dataclass(eq=False, slots=True)
class Shared:
    """A row that several owners have alike: its values as nodes of their trees, whose rows it stands for, and what is below."""

    values: list[int]
    rows: list[int]
    below: dict[str, list[Shared]]


class _Lowest:
    """Lowest common ancestors in one tree, and what it costs to climb there, as a share of the height."""

    def __init__(self, tree: Tree) -> None:
        self._parent, self._depth = tree.parent.tolist(), tree.depth.tolist()
        self._height = max(self._depth, default=0) or 1
        self._kept: dict[tuple[int, int], int] = {}

    def of(self, one: int, other: int) -> int:
        if one == other:
            return one
        key = (one, other) if one < other else (other, one)
        found = self._kept.get(key)
        if found is None:
            a, b = key
            while a != b:
                if self._depth[a] >= self._depth[b]:
                    a = self._parent[a]
                else:
                    b = self._parent[b]
            found = self._kept[key] = a
        return found

    def cost(self, one: int, other: int, members: int = 1) -> float:
        """Return how much higher both must climb, the first for so many members: 0 where they are the same node."""
        if one == other:
            return 0.0
        lowest = self._depth[self.of(one, other)]
        return float(members * (self._depth[one] - lowest) + self._depth[other] - lowest) / self._height


class OwnerTrees:
    """The rows of every owner: the person's own, and below each row those that refer to it."""

    def __init__(self, database: Database, trees: Mapping[tuple[str, str], Tree]) -> None:
        self.database = database
        self.columns = {name: list(database.known.get(name, ())) for name in database.tables}
        self._lowest = {place: _Lowest(tree) for place, tree in trees.items()}
        self._leaves: dict[str, list[list[int]]] = {}
        self._kids: dict[str, tuple[list[int], list[int]]] = {}
        for name, table in database.tables.items():
            columns = []
            for column in self.columns[name]:
                nodes = trees[name, column].leaf_nodes[trees[name, column].encode(table.dictionary(column).values)]
                columns.append(nodes[table.as_rows().codes([column])[:, 0]])
            stacked = np.column_stack(columns) if columns else np.zeros((table.rows, 0), np.int64)
            self._leaves[name] = stacked.tolist()
            if name != database.person:
                parents = database.parents(name)
                order = np.argsort(parents, kind="stable")
                count = database.tables[database.references[name][1]].rows
                self._kids[name] = order.tolist(), np.searchsorted(parents[order], np.arange(count + 1)).tolist()

        self._sizes = _sizes(database)

    def _below(self, child: str, row: int) -> list[int]:
        order, starts = self._kids[child]
        return order[starts[row] : starts[row + 1]]

    def begun(self, name: str, row: int) -> Shared:
        """Return one row with all below it, not yet shared with anybody."""
        below = {
            child: [self.begun(child, other) for other in self._below(child, row)]
            for child in self.database.children(name)
        }
        return Shared(list(self._leaves[name][row]), [row], below)

    def join(self, shared: Shared, name: str, row: int) -> None:
        """Let one more row take part: values climb to what covers both, children are paired, the rest is left out."""
        lowest = [self._lowest[name, column] for column in self.columns[name]]
        shared.values = [one.of(a, b) for one, a, b in zip(lowest, shared.values, self._leaves[name][row], strict=True)]
        shared.rows.append(row)
        for child in self.database.children(name):
            mine, others = shared.below[child], self._below(child, row)
            kept = []
            for at, other in self._pairs(child, mine, others):
                self.join(mine[at], child, other)
                kept.append(mine[at])
            shared.below[child] = kept

    def joining(self, shared: Shared, name: str, row: int) -> float:
        """Return what it costs all members if one more row takes part: how high values climb, and rows that are left out."""
        members = len(shared.rows)
        cost = 0.0
        for column, a, b in zip(self.columns[name], shared.values, self._leaves[name][row], strict=True):
            cost += self._lowest[name, column].cost(a, b, members)
        for child in self.database.children(name):
            mine, others, sizes = shared.below[child], self._below(child, row), self._sizes[child]
            cost += members * sum(_size(one) for one in mine) + sum(sizes[other] for other in others)
            for at, other in self._pairs(child, mine, others):
                kept = members * _size(mine[at]) + sizes[other]
                cost += self.joining(mine[at], child, other) - kept
        return cost

    def _pairs(self, name: str, mine: Sequence[Shared], others: Sequence[int]) -> list[tuple[int, int]]:
        """Pair rows, the cheapest pair first; as many as the shorter list has."""
        if not mine or not others:
            return []
        costs = sorted(
            (self._cost(name, one, other), at, place)
            for at, one in enumerate(mine)
            for place, other in enumerate(others)
        )
        free_mine, free_others = set(range(len(mine))), set(range(len(others)))
        found = []
        for _, at, place in costs:
            if at in free_mine and place in free_others:
                free_mine.discard(at)
                free_others.discard(place)
                found.append((at, others[place]))
                if not free_mine or not free_others:
                    break
        return sorted(found)

    def _cost(self, name: str, shared: Shared, row: int) -> float:
        cost = 0.0
        for column, a, b in zip(self.columns[name], shared.values, self._leaves[name][row], strict=True):
            cost += self._lowest[name, column].cost(a, b)
        for child in self.database.children(name):
            cost += abs(len(shared.below[child]) - len(self._below(child, row)))
        return cost

    def features(
        self, trees: Mapping[tuple[str, str], Tree]
    ) -> tuple[Ints, np.ndarray[tuple[int, int], np.dtype[np.float32]]]:
        """Return an order in which owners that look alike are near each other, and numbers by which they can be compared.

        Numbers of rows come first, then the person's values, then how many rows fall under each branch of a column.
        """
        database = self.database
        counts, sorted_by = [], []
        for name in database.order():
            owners = database.owners(name)
            if name != database.person:
                counts.append(np.bincount(owners, minlength=database.persons))
            leaves = np.array(self._leaves[name], np.int64).reshape(len(owners), len(self.columns[name]))
            for at, column in enumerate(self.columns[name]):
                tree = trees[name, column]
                branch = _branches(tree)[leaves[:, at]]
                width = min(int(branch.max(initial=0)) + 1, _FEW)
                counts += [
                    np.bincount(owners[branch % width == value], minlength=database.persons) for value in range(width)
                ]
                if name == database.person:
                    sorted_by.append(leaves[:, at])
                else:
                    sums = np.zeros(database.persons, np.int64)
                    np.add.at(sums, owners, leaves[:, at])
                    sorted_by.append(sums)
        numbers = np.column_stack(counts).astype(np.float32) if counts else np.zeros((database.persons, 1), np.float32)
        children = [np.bincount(database.owners(name), minlength=database.persons) for name in database.order()[1:]]
        order = (
            np.lexsort([*reversed(sorted_by), *reversed(children)])
            if sorted_by or children
            else np.arange(database.persons)
        )
        return order.astype(np.int64), numbers


def _size(shared: Shared) -> int:
    """Return how many rows each member has here and below."""
    return 1 + sum(_size(one) for inside in shared.below.values() for one in inside)


def _sizes(database: Database) -> dict[str, list[int]]:
    """Return for each row of a table how many rows there are with those below it."""
    found: dict[str, Ints] = {}
    for name in reversed(database.order()):
        sizes = np.ones(database.tables[name].rows, np.int64)
        for child in database.children(name):
            np.add.at(sizes, database.parents(child), found[child])
        found[name] = sizes
    return {name: sizes.tolist() for name, sizes in found.items()}


def _branches(tree: Tree) -> Ints:
    """Return for each node a number of the branch that it lies in, cut as low as leaves few of them, or below the root."""
    depth, parent = tree.depth, tree.parent
    least = 1
    while np.count_nonzero((depth == least + 1) | ((depth <= least) & _childless(tree))) <= _FEW and least < depth.max(
        initial=0
    ):
        least += 1
    found = np.zeros(len(tree.labels), np.int64)
    number = 0
    for node, above in enumerate(parent.tolist()):
        if depth[node] <= least:
            found[node] = number
            number += 1
        else:
            found[node] = found[above]
    return renumbered(found)[0]


def _childless(tree: Tree) -> Bools:
    found = np.zeros(len(tree.labels), bool)
    found[tree.leaf_nodes] = True
    return found
