"""The tree of distinct rows against a dictionary of rows, on random tables and random sequences of merges."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from sfumato.algorithms.stepwise._tea_index import TeaIndex
from sfumato.data.compressed import CompressedTable
from sfumato.data.tree import Tree
from sfumato.testing.draws import random_tree

CAP = 9


class Twin:
    """The same rows as a plain dictionary; every question is answered by looking at all of them."""

    def __init__(self, rows: Counter[tuple[int, ...]], trees: list[Tree]) -> None:
        self.rows, self.trees = rows, trees

    def valid(self) -> list[tuple[int, int]]:
        out = []
        for level, tree in enumerate(self.trees):
            shown = {row[level] for row in self.rows}
            for node in range(len(tree)):
                first, last = tree.leaf_first[node], tree.leaf_last[node]
                below = {v for v in shown if v > node and first <= tree.leaf_first[v] and tree.leaf_last[v] <= last}
                if below and below <= set(tree.children[node]):
                    out.append((level, node))
        return out

    def after(self, level: int, node: int) -> Counter[tuple[int, ...]]:
        out: Counter[tuple[int, ...]] = Counter()
        for row, size in self.rows.items():
            inside = row[level] in self.trees[level].children[node]
            out[(*row[:level], node, *row[level + 1 :]) if inside else row] += size
        return out

    def passing(self, worst: list[tuple[int, ...]]) -> list[tuple[int, int]]:
        """Return the valid steps in whose segments of two nodes or more all the rows lie."""
        return [
            (level, node)
            for level, node in self.valid()
            if all(
                row[level] in self.trees[level].children[node]
                and len(
                    {
                        other[level]
                        for other in self.rows
                        if other[:level] == row[:level] and other[level] in self.trees[level].children[node]
                    }
                )
                > 1
                for row in worst
            )
        ]


def draw(seed: int) -> tuple[np.random.Generator, TeaIndex, Twin]:
    rng = np.random.default_rng(seed)
    width = int(rng.integers(1, 5))
    trees = [
        Tree.from_nested(random_tree(rng, [f"v{i}" for i in range(int(rng.integers(2, 9)))], "n")) for _ in range(width)
    ]
    rows = int(rng.integers(1, 60))
    codes = np.stack([rng.integers(0, len(tree.leaves), rows) for tree in trees], axis=1).astype(np.int32)
    weights = rng.integers(1, 4, rows)
    table = CompressedTable(tuple("abcd"[:width]), codes, weights, {})
    index = TeaIndex(table, range(width), trees, [tree.leaf_nodes for tree in trees], CAP)
    counted: Counter[tuple[int, ...]] = Counter()
    for row, weight in zip(codes.tolist(), weights.tolist(), strict=True):
        counted[tuple(int(tree.leaf_nodes[code]) for tree, code in zip(trees, row, strict=True))] += weight
    return rng, index, Twin(counted, trees)


def same(index: TeaIndex, twin: Twin) -> None:
    assert dict(zip(map(tuple, index.paths.tolist()), index.sizes.tolist(), strict=True)) == dict(twin.rows)
    assert index.rows == len(twin.rows)
    assert index.smallest == min(twin.rows.values())
    wanted = Counter(min(size, CAP) for size in twin.rows.values())
    assert {size: count for size, count in enumerate(index.held.tolist()) if count} == dict(wanted)


@pytest.mark.parametrize("seed", range(150))
def test_every_merge_and_every_trial(seed: int) -> None:
    rng, index, twin = draw(seed)
    same(index, twin)
    while steps := twin.valid():
        smallest = index.smallest
        worst = index.leaves[index.sizes == smallest]
        valid = [np.zeros(len(tree), bool) for tree in twin.trees]
        for level, node in steps:
            valid[level][node] = True
        rows = [row for row, size in twin.rows.items() if size == smallest]
        passing = index.passing(worst, valid)
        assert passing == twin.passing(rows)
        assert len({level for level, _ in passing}) == len(passing)
        for level, node in steps:
            after = twin.after(level, node)
            assert index.after_merging(level, node) == min(min(after.values()), CAP)
            # What lifts the smallest rows is among what passes.
            assert min(after.values()) == smallest or (level, node) in passing
            touched, made = index.merged_rows(level, node)
            sizes = np.bincount(made, weights=index.sizes[touched])
            assert sorted(sizes.tolist()) == sorted(n for row, n in after.items() if row[level] == node)
            assert sum(map(len, index.segments(level, node))) == len(
                {row[: level + 1] for row in twin.rows if row[level] in twin.trees[level].children[node]}
            )
        same(index, twin)  # trials leave no trace
        level, node = steps[int(rng.integers(len(steps)))]
        index.apply(level, node)
        twin.rows = twin.after(level, node)
        same(index, twin)
    assert len(twin.rows) == 1


@pytest.mark.parametrize("seed", range(20))
def test_rows_know_where_they_went(seed: int) -> None:
    rng, index, twin = draw(seed)
    weights = None
    while steps := twin.valid():
        level, node = steps[int(rng.integers(len(steps)))]
        index.apply(level, node)
        twin.rows = twin.after(level, node)
        where = index.row_leaves()
        assert set(where.tolist()) == set(index.leaves.tolist())
        weights = where
    assert weights is not None
    assert len(set(weights.tolist())) == 1


def test_rows_too_wide_for_one_number() -> None:
    rng = np.random.default_rng(3)
    trees = [Tree.from_paths([(f"v{i}", "*") for i in range(200)]) for _ in range(9)]
    codes = rng.integers(0, 200, (50, 9)).astype(np.int32)
    codes = np.concatenate([codes, codes[:20]])
    table = CompressedTable(tuple("abcdefghi"), codes, np.ones(70, np.int64), {})
    index = TeaIndex(table, range(9), trees, [tree.leaf_nodes for tree in trees], 3)
    counted: Any = Counter(tuple(row) for row in codes.tolist())
    assert sorted(index.sizes.tolist()) == sorted(counted.values())
    touched, made = index.merged_rows(0, 0)
    assert touched.all()
    assert len(set(made.tolist())) == len({tuple(row[1:]) for row in codes.tolist()})
