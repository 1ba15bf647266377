"""The kernels of the split search against plain Python twins on random rows."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest

from sfumato.algorithms.cuts._split_chain_kernels import (
    INFINITE,
    chains_with_each,
    cheapest_chain,
    cheapest_class_chain,
)
from sfumato.algorithms.cuts._split_row_kernels import (
    distinct_rows,
    is_useless,
    merged_rows,
    numbered,
    run_keys,
    thin_intervals,
    useful_splits,
)

SEEDS = range(40)


class Rows:
    """Random rows sorted by block, each in a cell of its group; a cell may be bare (-1)."""

    def __init__(self, seed: int) -> None:
        rng = self.rng = np.random.default_rng(seed)
        self.blocks, self.groups, self.cells, self.kinds = (int(x) for x in rng.integers(1, [7, 4, 6, 4]))
        rows = int(rng.integers(1, 40))
        block = np.sort(rng.integers(0, self.blocks, rows))
        self.first = np.searchsorted(block, np.arange(self.blocks + 1)).astype(np.int64)
        home = rng.integers(0, self.groups, self.cells)  # the group of each cell
        self.cell = rng.integers(-1, self.cells, rows).astype(np.int64)
        self.group = np.where(self.cell < 0, rng.integers(0, self.groups, rows), home[self.cell]).astype(np.int64)
        self.kind = rng.integers(0, self.kinds, rows).astype(np.int64)
        self.weight = rng.integers(1, 6, rows).astype(np.int64)
        self.codes = rng.integers(0, 4, rows).astype(np.int32)
        self.k = int(rng.integers(1, 8))
        self.block = block

    def span(self, i: int, j: int) -> range:
        return range(int(self.first[i]), int(self.first[j]))


@pytest.mark.parametrize("seed", SEEDS)
def test_numbered(seed: int) -> None:
    rng = np.random.default_rng(seed)
    keys = rng.integers(-(2**62), 2**62, 30)[rng.integers(0, 30, int(rng.integers(0, 200)))]
    known: dict[int, int] = {}
    wanted = [known.setdefault(int(key), len(known)) for key in keys]
    numbers, count = numbered(keys)
    assert numbers.tolist() == wanted
    assert count == len(known)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("at", [-1, 2])
def test_merged_rows(seed: int, at: int) -> None:
    rows = Rows(seed)
    first, group, kind, cell, weight = merged_rows(
        rows.first, rows.group, rows.kind, rows.cell, rows.weight, rows.groups, rows.kinds, rows.codes, at
    )
    for block in range(rows.blocks):
        wanted: Counter[Any] = Counter()
        for row in rows.span(block, block + 1):
            g = int(rows.group[row])
            if at >= 0:
                g = 2 * g + int(rows.codes[row] >= at)
            # Rows of a cell stay as they are.
            mark = -1 if rows.cell[row] < 0 else row
            wanted[g, int(rows.kind[row]), int(rows.cell[row]), mark] += int(rows.weight[row])
        found = sorted(
            (int(group[r]), int(kind[r]), int(cell[r]), int(weight[r])) for r in range(first[block], first[block + 1])
        )
        assert found == sorted((g, y, c, w) for (g, y, c, _), w in wanted.items())


def least(rows: Rows, i: int, j: int, penalty: int, budget: int, classes: bool) -> int | None:
    """Return the least cost of one interval from scratch; None if more records than the budget are left out."""
    size: Counter[int] = Counter()
    kinds: dict[int, Counter[int]] = defaultdict(Counter)
    cells: dict[int, dict[int, Counter[int]]] = defaultdict(lambda: defaultdict(Counter))
    bare: Counter[int] = Counter()
    for row in rows.span(i, j):
        g, c, y, w = int(rows.group[row]), int(rows.cell[row]), int(rows.kind[row]), int(rows.weight[row])
        size[g] += w
        kinds[g][y] += w
        if c < 0:
            bare[g] += w
        else:
            cells[g][c][y] += w
    total = gone = 0
    for g, s in size.items():
        if s < rows.k:
            gone += s
            total += penalty * s
            continue
        if classes:
            inner = sum(cell.total() - max(cell.values()) for cell in cells[g].values())
            whole, parted = s - max(kinds[g].values()), 1
        else:
            inner = bare[g] * rows.k + sum(cell.total() * max(cell.total(), rows.k) for cell in cells[g].values())
            whole, parted = s * s, penalty + (s - 1) * rows.k
        if s >= 2 * rows.k:
            total += inner
        else:
            total += whole if budget == 0 else min(whole, max(inner, parted))
    return None if gone > budget else total


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("classes", [False, True])
@pytest.mark.parametrize("budget", [0, 5, 1000])
def test_cheapest_chain(seed: int, classes: bool, budget: int) -> None:
    rows = Rows(seed)
    n = int(rows.weight.sum())
    blocks, penalty = rows.blocks, 1 if classes else n
    reach = np.array([int(rows.rng.integers(i + 1, blocks + 1)) for i in range(blocks)], np.int64)
    banned = (rows.rng.random((blocks, blocks + 1)) < 0.1).astype(np.int8)
    costs = np.empty((blocks, blocks + 1), np.int64)
    best, before = np.zeros(blocks + 1, np.int64), np.zeros(blocks + 1, np.int64)
    rest = (rows.k, *(() if classes else (penalty,)), budget, reach, banned, np.zeros(blocks + 1, np.int64), INFINITE)
    if classes:
        found = cheapest_class_chain(
            rows.first, rows.group, rows.kind, rows.cell, rows.weight, rows.groups, rows.cells, rows.kinds, *rest, costs,
            best, before,
        )  # fmt: skip
    else:
        found = cheapest_chain(
            rows.first, rows.group, rows.cell, rows.weight, rows.groups, rows.cells, *rest, costs, best, before
        )

    def price(i: int, j: int) -> int | None:
        if j > reach[i] or banned[i, j]:
            return None
        return least(rows, i, j, penalty, budget, classes)

    chains = []
    for size in range(blocks):
        for inner in combinations(range(1, blocks), size):
            edges = [0, *inner, blocks]
            prices = [price(i, j) for i, j in pairwise(edges)]
            if None not in prices:
                chains.append((sum(p for p in prices if p is not None), edges))
    assert found == (min(chains)[0] if chains else INFINITE)
    if chains:
        edges, block = [blocks], blocks
        while block > 0:
            block = int(before[block])
            edges.append(block)
        assert (found, edges[::-1]) in chains
        # Whatever is cut off at a limit above the optimum, the optimum stays.
        again = best.copy(), before.copy(), costs.copy()
        limited = (*rest[:-1], found + 1)
        if classes:
            value = cheapest_class_chain(
                rows.first,
                rows.group,
                rows.kind,
                rows.cell,
                rows.weight,
                rows.groups,
                rows.cells,
                rows.kinds,
                *limited,
                again[2],
                again[0],
                again[1],
            )
        else:
            value = cheapest_chain(
                rows.first,
                rows.group,
                rows.cell,
                rows.weight,
                rows.groups,
                rows.cells,
                *limited,
                again[2],
                again[0],
                again[1],
            )
        assert value == found
    for i in range(blocks):
        for j in range(i + 1, blocks + 1):
            if best[i] < INFINITE:
                wanted = price(i, j)
                assert costs[i, j] == (INFINITE if wanted is None else wanted)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("whole", [False, True])
def test_thin_intervals(seed: int, whole: bool) -> None:
    rows = Rows(seed)
    banned = np.zeros((rows.blocks, rows.blocks + 1), np.int8)
    thin_intervals(rows.first, rows.group, rows.weight, rows.groups, rows.k, whole, banned)
    for i in range(rows.blocks):
        for j in range(i + 1, rows.blocks + 1):
            size: Counter[int] = Counter()
            for row in rows.span(0, rows.blocks) if whole else rows.span(i, j):
                size[int(rows.group[row])] += int(rows.weight[row])
            assert banned[i, j] == any(s < rows.k for s in size.values())


@pytest.mark.parametrize("seed", range(120))
@pytest.mark.parametrize("records", [-1, 60])
def test_is_useless(seed: int, records: int) -> None:
    rows = Rows(seed)
    at, largest = 2, int(rows.rng.integers(rows.k, 60))
    reach = np.array([int(rows.rng.integers(i, rows.blocks + 1)) for i in range(rows.blocks)], np.int64)
    wanted = True
    for i in range(rows.blocks):
        for j in range(i + 1, int(reach[i]) + 1):
            for g in range(rows.groups):
                sides = [0, 0]
                for row in rows.span(i, j):
                    if rows.group[row] == g:
                        sides[int(rows.codes[row] >= at)] += int(rows.weight[row])
                small, big = min(sides), min(max(sides), largest)
                if small == 0 or sum(sides) < rows.k:
                    continue
                wanted = wanted and small < rows.k and (records < 0 or 2 * big + small <= records)
    found = is_useless(
        rows.first, rows.group, rows.weight, rows.codes, at, rows.groups, reach, rows.k, largest, records
    )
    assert found == wanted


@pytest.mark.parametrize("seed", SEEDS)
def test_run_keys(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 6, int(rng.integers(1, 5)))
    codes = np.stack([rng.integers(0, size, 20) for size in sizes]).astype(np.int32)
    shifts = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)
    runs = rng.integers(0, 1000, int(sizes.sum()))
    wanted = [sum(int(runs[shifts[c] + codes[c, row]]) for c in range(len(sizes))) for row in range(20)]
    assert run_keys(codes, runs, shifts).tolist() == wanted


@pytest.mark.parametrize("seed", SEEDS)
def test_distinct_rows(seed: int) -> None:
    rows = Rows(seed)
    order = rows.rng.permutation(len(rows.weight))
    block, kind, weight = rows.block[order], rows.kind[order], rows.weight[order]
    cell = rows.cell[order] * (2**61 // 7)  # keys may be as large as they come
    wanted: Counter[Any] = Counter()
    for b, c, y, w in zip(block.tolist(), cell.tolist(), kind.tolist(), weight.tolist(), strict=True):
        wanted[b, c, y] += w
    first, shown, total = distinct_rows(block, cell, kind, weight, rows.blocks, rows.kinds)
    assert len(shown) == len(wanted)
    for b in range(rows.blocks):
        span = range(int(first[b]), int(first[b + 1]))
        assert {(int(block[shown[r]]), int(cell[shown[r]]), int(kind[shown[r]])): int(total[r]) for r in span} == {
            key: held for key, held in wanted.items() if key[0] == b
        }


class Pieces:
    """Two more columns of the rows, each cut at some open splits; a cell lies on one side of every split."""

    def __init__(self, rows: Rows) -> None:
        # Rows of one cell share their codes.
        per_cell = rows.rng.integers(0, 4, (rows.cells, 2))
        free = rows.rng.integers(0, 4, (len(rows.weight), 2))
        self.codes = np.where(rows.cell[:, None] >= 0, per_cell[rows.cell], free).astype(np.int32)
        self.positions = [sorted(rows.rng.choice([1, 2, 3], int(rows.rng.integers(1, 4)), replace=False)) for _ in "ab"]
        self.starts = np.cumsum([0, *(len(own) + 1 for own in self.positions)]).astype(np.int64)
        self.piece = np.stack(
            [
                np.searchsorted(own, self.codes[:, a], side="right") + self.starts[a]
                for a, own in enumerate(self.positions)
            ],
            axis=1,
        ).astype(np.int32)

    def each(self) -> list[tuple[Any, int]]:
        return [(np.ascontiguousarray(self.codes[:, a]), int(at)) for a, own in enumerate(self.positions) for at in own]


@pytest.mark.parametrize("seed", range(80))
@pytest.mark.parametrize("budget", [0, 5, 1000])
def test_chains_with_each_split_are_those_with_one(seed: int, budget: int) -> None:
    rows = Rows(seed)
    pieces = Pieces(rows)
    blocks, n = rows.blocks, int(rows.weight.sum())
    reach = np.array([int(rows.rng.integers(i + 1, blocks + 1)) for i in range(blocks)], np.int64)
    after = np.zeros(blocks + 1, np.int64)
    rest = (rows.k, n, budget, reach)
    found = chains_with_each(
        rows.first, rows.group, rows.cell, rows.weight, pieces.piece, pieces.starts, rows.groups, rows.cells, *rest, after,
        INFINITE,
    )  # fmt: skip
    wanted = []
    for codes, at in pieces.each():
        first, group, _, cell, weight = merged_rows(
            rows.first, rows.group, rows.kind, rows.cell, rows.weight, rows.groups, rows.kinds, codes, at
        )
        costs = np.empty((blocks, blocks + 1), np.int64)
        best, before = np.zeros(blocks + 1, np.int64), np.zeros(blocks + 1, np.int64)
        wanted.append(
            cheapest_chain(
                first,
                group,
                cell,
                weight,
                2 * rows.groups,
                rows.cells,
                *rest,
                np.zeros((0, 0), np.int8),
                after,
                INFINITE,
                costs,
                best,
                before,
            )
        )
    assert found.tolist() == wanted


@pytest.mark.parametrize("seed", range(120))
@pytest.mark.parametrize("records", [-1, 60])
def test_useful_splits_are_those_that_are_not_useless(seed: int, records: int) -> None:
    rows = Rows(seed)
    pieces = Pieces(rows)
    largest = int(rows.rng.integers(rows.k, 60))
    reach = np.array([int(rows.rng.integers(i, rows.blocks + 1)) for i in range(rows.blocks)], np.int64)
    found = useful_splits(
        rows.first, rows.group, rows.weight, pieces.piece, pieces.starts, rows.groups, reach, rows.k, largest, records
    )
    assert found.tolist() == [
        not is_useless(rows.first, rows.group, rows.weight, codes, at, rows.groups, reach, rows.k, largest, records)
        for codes, at in pieces.each()
    ]
