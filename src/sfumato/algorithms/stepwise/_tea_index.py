"""The Taxonomy Encoded Anonymity index: the distinct rows on one quasi-identifier as a tree, one level for each column.

A generalization ``{c} -> p`` merges, below every node, the children that show one of the values c: a *segment*. Only the
rows of segments with two nodes or more can change their size, and a row lies in at most one segment on each level. So a
generalization can lift the smallest rows only if all of them lie in its segments of two nodes or more, and on each level
there is at most one for which that is so.

References
----------
Wang, Yu, Chakraborty, "Bottom-up generalization: a data mining solution to privacy protection", 2004, section 5,
doi:10.1109/ICDM.2004.10110.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sfumato.algorithms.stepwise._tea_index_kernels import count_nodes, grow, merge, passing, try_merge
from sfumato.data.compressed import CompressedTable
from sfumato.data.tree import Tree
from sfumato.kernels.arrays import Bools, Codes, Ints

__all__ = ["TeaIndex"]

Nodes = Codes


class TeaIndex:
    """Distinct rows of a compressed table on some of its columns; ``trees`` and ``leaves`` belong to these columns.

    ``leaves[level][code]`` is the tree node of a raw value. Sizes of ``cap`` records and more are not told apart when a
    generalization is tried.
    """

    def __init__(
        self,
        table: CompressedTable,
        columns: Sequence[int],
        trees: Sequence[Tree],
        leaves: Sequence[Nodes],
        cap: int = 1,
    ) -> None:
        self.columns = tuple(columns)
        self.trees = tuple(trees)
        self.shift = np.concatenate([[0], np.cumsum([len(tree) for tree in trees])[:-1]]).astype(np.int64)
        self.above = np.concatenate([tree.parent for tree in trees]).astype(np.int32)
        codes = table.codes[:, list(columns)]
        # Equal beginnings must lie together; the order of codes does that as well as the order of nodes.
        order = _row_order(codes, [len(nodes) for nodes in leaves])
        shown = np.stack([nodes[codes[:, level]] for level, nodes in enumerate(leaves)], axis=1)
        ordered, weights = (shown, table.weights) if order is None else (shown[order], table.weights[order])
        size = count_nodes(ordered)
        self.value = np.full(size, -1, np.int32)
        self.parent, self.first, self.after, self.ahead, self.behind = (np.full(size, -1, np.int32) for _ in range(5))
        self.head = np.full(len(self.above), -1, np.int32)
        self.count = np.zeros(size, np.int64)
        leaf = np.empty(len(shown), np.int32)
        grow(
            ordered,
            weights,
            self.shift,
            self.value,
            self.parent,
            self.first,
            self.after,
            self.ahead,
            self.behind,
            self.head,
            self.count,
            leaf,
        )
        self._leaf_of_row = leaf
        if order is not None:
            self._leaf_of_row = np.empty_like(leaf)
            self._leaf_of_row[order] = leaf
        self._leaves: Nodes = leaf[np.append(True, leaf[1:] != leaf[:-1])]  # leaves are numbered as rows come
        self.into = np.arange(size, dtype=np.int32)
        self.rows = len(self._leaves)
        self._paths: Nodes | None = None
        self._sizes: Ints | None = None
        self._mark = np.zeros(size, np.int8)
        self._tally, self._place = np.zeros(len(self.above), np.int64), np.zeros(len(self.above), np.int64)
        self._buffer, self._stack = np.empty(size, np.int32), np.empty((size, 3), np.int32)
        self.held = np.zeros(2, np.int64)
        self.count_up_to(cap)

    def count_up_to(self, cap: int) -> None:
        """Tell sizes below ``cap`` apart from now on."""
        self.held = np.bincount(np.minimum(self.count[self.leaves], cap), minlength=cap + 1).astype(np.int64)

    # ---- looking at it -----------------------------------------------------------------------------------------------

    @property
    def leaves(self) -> Nodes:
        """The nodes that end a path, one for each distinct row."""
        if len(self._leaves) != self.rows:
            self._leaves = np.asarray(self._leaves[self.count[self._leaves] > 0])
        return self._leaves

    @property
    def sizes(self) -> Ints:
        """The number of records of each distinct row, in the order of ``leaves``."""
        if self._sizes is None:
            self._sizes = self.count[self.leaves]
        return self._sizes

    @property
    def smallest(self) -> int:
        """``A``: the number of records of the smallest row."""
        return int(self.sizes.min())

    @property
    def paths(self) -> Nodes:
        """The current values of each distinct row (rows x levels), in the order of ``leaves``."""
        if self._paths is None:
            here = self.leaves
            out = np.empty((len(here), len(self.columns)), np.int32)
            for level in range(len(self.columns) - 1, -1, -1):
                out[:, level] = self.value[here]
                here = self.parent[here]
            self._paths = out
        return self._paths

    def row_leaves(self) -> Nodes:
        """Return the leaf that each row of the compressed table has come to."""
        while True:
            moved = self.into[self._leaf_of_row]
            if np.array_equal(moved, self._leaf_of_row):
                return moved
            self._leaf_of_row = moved

    def segments(self, level: int, target: int) -> list[list[tuple[int, ...]]]:
        """Return the segments of a generalization: the nodes that it merges below each parent, each as its path."""
        found: dict[int, list[tuple[int, ...]]] = {}
        for child in self.trees[level].children[target]:
            x = int(self.head[self.shift[level] + child])
            while x >= 0:
                found.setdefault(int(self.parent[x]), []).append(self._path(x))
                x = int(self.ahead[x])
        return sorted(sorted(segment) for segment in found.values())

    def _path(self, node: int) -> tuple[int, ...]:
        out = []
        while node > 0:
            out.append(int(self.value[node]))
            node = int(self.parent[node])
        return tuple(reversed(out))

    # ---- steps -------------------------------------------------------------------------------------------------------

    def passing(self, leaves: Nodes, valid: Sequence[Bools]) -> list[tuple[int, int]]:
        """Return (level, node) of the valid generalizations that could lift all of these leaves: one a level at most."""
        found = np.empty(len(self.columns), np.int64)
        passing(
            leaves,
            self.value,
            self.parent,
            self.first,
            self.after,
            self.shift,
            self.above,
            np.concatenate(valid).astype(np.int8),
            found,
        )
        return [(level, int(node)) for level, node in enumerate(found) if node >= 0]

    def after_merging(self, level: int, target: int) -> int:
        """Return the size of the smallest row after a generalization, as far as sizes are told apart."""
        return int(
            try_merge(
                level,
                target,
                np.array(self.trees[level].children[target], np.int64),
                self.value,
                self.parent,
                self.first,
                self.after,
                self.ahead,
                self.head,
                self.count,
                self.shift,
                self.above,
                self.held,
                self._mark,
                self._tally,
                self._place,
                self._buffer,
                self._stack,
            )
        )

    def merged_rows(self, level: int, target: int) -> tuple[Bools, Ints]:
        """Return which rows a generalization touches, and for these the number of the row they become."""
        paths = self.paths
        touched = self.above[self.shift[level] + paths[:, level]] == target
        becoming = paths[touched].copy()
        becoming[:, level] = target
        key = _packed(becoming, [len(tree) for tree in self.trees])
        made = np.unique(becoming, axis=0, return_inverse=True) if key is None else np.unique(key, return_inverse=True)
        return touched, made[1].reshape(-1).astype(np.int64)

    def apply(self, level: int, target: int) -> None:
        """Perform a generalization."""
        self.rows -= merge(
            level,
            target,
            np.array(self.trees[level].children[target], np.int64),
            self.value,
            self.parent,
            self.first,
            self.after,
            self.ahead,
            self.behind,
            self.head,
            self.count,
            self.into,
            self.shift,
            self.above,
            self.held,
            self._mark,
            self._tally,
            self._place,
            self._buffer,
            self._stack,
        )
        self._paths = self._sizes = None


def _packed(rows: Nodes, sizes: Sequence[int]) -> Ints | None:
    """Return each row as one number that sorts like the row, or ``None`` if 62 bits are not enough."""
    bits = [max(size - 1, 0).bit_length() for size in sizes]
    if sum(bits) > 62:
        return None
    key = np.zeros(len(rows), np.int64)
    for level, width in enumerate(bits):
        key = key << width | rows[:, level]
    return key


def _row_order(codes: Nodes, sizes: Sequence[int]) -> Ints | None:
    """Return an order that sorts the rows, or ``None`` if they are sorted."""
    key = _packed(codes, sizes)
    if key is None:
        return np.lexsort(codes.T[::-1])
    return None if bool((key[1:] >= key[:-1]).all()) else np.argsort(key, kind="stable")
