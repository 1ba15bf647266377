"""The kernels that count combinations, squares and confidences, against plain Python twins on random rows."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, pairwise
from math import prod
from typing import Any

import numpy as np
import pytest

from sfumato.algorithms.stepwise._combination_kernels import (
    first_refuted,
    head_rows,
    part_rows,
    plan_blocks,
    smallest_cells,
)
from sfumato.algorithms.stepwise._confidence_kernels import confidence_ahead, confidence_of
from sfumato.algorithms.stepwise._square_kernels import squares_ahead, squares_of_slots

SEEDS = range(40)


class Rows:
    """Random rows that show values, some of them about to be refined."""

    def __init__(self, seed: int) -> None:
        rng = self.rng = np.random.default_rng(seed)
        self.count = int(rng.integers(1, 200))
        self.columns = int(rng.integers(1, 7))
        # Now and then so many values that combinations are hashed.
        self.widths = rng.integers(1, 400 if seed % 3 == 0 else 5, self.columns).astype(np.int64)
        kind = np.uint16 if seed % 2 else np.int32
        self.digits = np.stack([rng.integers(0, w, self.count) for w in self.widths], axis=1).astype(kind)
        self.weights = rng.integers(1, 4, self.count).astype(np.int32)
        self.secrets = int(rng.integers(1, 4))
        self.parts = int(rng.integers(1, 4))
        chosen = rng.random(self.count) < 0.8
        self.rows = np.flatnonzero(chosen).astype(np.int32) if chosen.any() else np.zeros(1, np.int32)
        self.heads = rng.integers(0, self.parts * self.secrets, len(self.rows)).astype(np.int32)
        self.length = int(rng.integers(0, min(4, self.columns) + 1))
        sets = list(combinations(range(self.columns), self.length))
        self.sets = np.array(sets, np.int64).reshape(len(sets), self.length)

    def exposure(self, columns: Any) -> tuple[int, float]:
        sizes: Counter[Any] = Counter()
        held: Counter[Any] = Counter()
        for row, head in zip(self.rows, self.heads, strict=True):
            cell = (int(head) // self.secrets, *self.digits[row, list(columns)].tolist())
            sizes[cell] += int(self.weights[row])
            if head % self.secrets:
                held[cell, int(head) % self.secrets] += int(self.weights[row])
        return min(sizes.values()), max([0.0, *(count / sizes[cell] for (cell, _), count in held.items())])


def planned(rows: Rows, limit: int) -> tuple[Any, Any, Any, Any]:
    masks = (np.int64(1) << rows.sets).sum(axis=1).astype(np.int64)
    block_of, blocks = np.empty(len(masks), np.int64), np.empty(len(masks), np.int64)
    made = plan_blocks(masks, rows.widths, rows.parts * rows.secrets, limit, block_of, blocks)
    order = np.argsort(block_of, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(block_of, minlength=made))]).astype(np.int64)
    inside = (blocks[:made, None] >> np.arange(rows.columns)) & 1
    columns = np.argsort(-inside, axis=1, kind="stable").astype(np.int64)
    return np.ascontiguousarray(rows.sets[order]), starts, columns, inside.sum(axis=1).astype(np.int64)


@pytest.mark.parametrize("seed", SEEDS)
def test_blocks_hold_each_set_once_and_stay_below_the_limit(seed: int) -> None:
    rows = Rows(seed)
    if rows.length == 0:
        return
    limit = int(rows.rng.integers(1, 3000))
    sets, starts, columns, lengths = planned(rows, limit)
    assert sorted(map(tuple, sets.tolist())) == sorted(map(tuple, rows.sets.tolist()))
    for block, (first, last) in enumerate(pairwise(starts.tolist())):
        inside = set(columns[block, : lengths[block]].tolist())
        assert last > first
        assert all(set(chosen.tolist()) <= inside for chosen in sets[first:last])
        cells = rows.parts * rows.secrets * prod(rows.widths[list(inside)].tolist())
        assert cells <= limit or len(inside) == rows.length


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("merging", [False, True])
def test_the_first_unsafe_set_is_found(seed: int, merging: bool) -> None:
    rows = Rows(seed)
    if merging and rows.length:
        sets, starts, blocks, lengths = planned(rows, 5000)
    else:
        sets, starts, blocks = rows.sets, np.arange(len(rows.sets) + 1), rows.sets
        lengths = np.full(len(rows.sets), rows.length, np.int64)
    wanted = [rows.exposure(chosen) for chosen in sets]
    counts = np.zeros(8192, np.int32)
    for least, most in ((1, 1.0), (3, 1.0), (1, 0.6), (2, 0.9)):
        found = np.zeros(2)
        at = first_refuted(
            rows.rows, rows.heads, rows.digits, rows.weights, sets, starts, blocks, lengths, rows.widths,
            rows.parts * rows.secrets, rows.secrets, least, most, counts, found,
        )  # fmt: skip
        unsafe = [n for n, (size, share) in enumerate(wanted) if size < least or share > most]
        assert at == (unsafe[0] if unsafe else -1)
        seen = wanted[: at + 1] if unsafe else wanted
        assert found.tolist() == [min(size for size, _ in seen), max(share for _, share in seen)]
        assert not counts.any()


def test_more_parts_and_protected_values_than_a_table_has_room_for() -> None:
    rows = Rows(4)
    rows.parts, rows.secrets, rows.length = 50, 1000, 0
    rows.heads = rows.rng.integers(0, 50_000, len(rows.rows)).astype(np.int32)
    rows.sets = np.empty((1, 0), np.int64)
    counts, found = np.zeros(4096, np.int32), np.zeros(2)
    first_refuted(
        rows.rows, rows.heads, rows.digits, rows.weights, rows.sets, np.array([0, 1]), rows.sets, np.zeros(1, np.int64),
        rows.widths, 50_000, 1000, 1, 1.0, counts, found,
    )  # fmt: skip
    assert tuple(found) == rows.exposure([])
    assert not counts.any()


@pytest.mark.parametrize("seed", SEEDS)
def test_smallest_cells(seed: int) -> None:
    rows = Rows(seed)
    rows.secrets = 1
    rows.heads = rows.rng.integers(0, rows.parts, len(rows.rows)).astype(np.int32)
    out = np.empty(len(rows.sets), np.int64)
    counts = np.zeros(8192, np.int32)
    smallest_cells(
        rows.rows, rows.heads, rows.digits, rows.weights, rows.sets, rows.widths, rows.parts, counts, out
    )  # fmt: skip
    assert out.tolist() == [rows.exposure(chosen)[0] for chosen in rows.sets]


@pytest.mark.parametrize("seed", SEEDS)
def test_rows_are_headed_and_parted(seed: int) -> None:
    rng = np.random.default_rng(seed)
    count, values, parts = int(rng.integers(1, 50)), int(rng.integers(1, 8)), int(rng.integers(1, 4))
    codes = rng.integers(0, values, (count, 2)).astype(np.int32)
    part = rng.integers(0, parts, values)
    secret = rng.integers(0, 3, count).astype(np.int32)
    rows = np.sort(rng.permutation(count)[: int(rng.integers(1, count + 1))]).astype(np.int32)
    heads = np.empty(len(rows), np.int32)
    head_rows(codes, rows, 1, part, secret, 3, heads)
    assert heads.tolist() == [int(part[codes[row, 1]]) * 3 + int(secret[row]) for row in rows]
    digits = np.full((count, 2), 7, np.uint16)
    ends = np.empty(parts, np.int64)
    moved = rows.copy()
    part_rows(codes, digits, moved, 1, part, 20, ends, np.empty(count, np.int32))
    wanted = [[row for row in rows.tolist() if part[codes[row, 1]] == p] for p in range(parts)]
    assert moved.tolist() == [row for group in wanted for row in group]
    assert ends.tolist() == np.cumsum([len(group) for group in wanted]).tolist()
    shown = {row: 7 if p == 0 else 20 + p - 1 for p, group in enumerate(wanted) for row in group}
    assert digits[:, 1].tolist() == [shown.get(row, 7) for row in range(count)]
    assert (digits[:, 0] == 7).all()


@pytest.mark.parametrize("seed", SEEDS)
def test_looking_ahead_at_squares_and_confidences(seed: int) -> None:
    rng = np.random.default_rng(seed)
    count, width, groups = int(rng.integers(5, 60)), int(rng.integers(1, 4)), int(rng.integers(1, 5))
    values, slots = 4, 3
    codes = rng.integers(0, values, (count, width)).astype(np.int32)
    weights = rng.integers(1, 4, count)
    hits = np.where(rng.random(count) < 0.4, weights, 0)
    group = np.concatenate([np.arange(groups), rng.integers(0, groups, count - groups)]) if count >= groups else None
    assert group is not None
    order = np.argsort(group, kind="stable").astype(np.int32)
    ends = np.cumsum(np.bincount(group, minlength=groups))
    starts = ends - np.bincount(group, minlength=groups)
    size = np.bincount(group, weights=weights, minlength=groups).astype(np.int64)
    suppressing = (rng.random(width) < 0.5).astype(np.int8)
    shown = np.where(
        suppressing[:, None] == 1, rng.integers(0, 2, (width, groups)), rng.integers(0, slots, (width, groups))
    )
    shown = shown.astype(np.int32)
    # Slots of a suppressing column are its codes, so every column gets room for as many.
    room = max(values, slots)
    shift = np.arange(width + 1) * values
    slot_shift = np.arange(width + 1) * room
    children = np.zeros(width * room, np.int32)
    child = np.zeros(width * values, np.int32)
    for j in range(width):
        if suppressing[j]:
            children[slot_shift[j] : slot_shift[j] + values] = 2
            child[shift[j] : shift[j + 1]] = np.arange(values)
        else:
            children[slot_shift[j] : slot_shift[j] + slots] = rng.choice([0, 2, 3], slots)
            child[shift[j] : shift[j + 1]] = rng.integers(0, 2, values)
    live = np.ones(width, np.int8)
    columns = np.arange(width)
    changed = rng.permutation(groups)[: int(rng.integers(1, groups + 1))]

    def parts(j: int, g: int, code: int | None) -> list[list[int]]:
        inside = order[starts[g] : ends[g]].tolist()
        key = (lambda row: codes[row, j] == code) if code is not None else (lambda row: child[shift[j] + codes[row, j]])
        return [[row for row in inside if key(row) == k] for k in sorted({key(row) for row in inside})]

    surest = np.zeros(width * room)
    wanted = np.zeros(width * room)
    for g in changed:
        for j in range(width):
            if suppressing[j] and shown[j, g] == 0:
                steps = [(code, code) for code in {int(codes[row, j]) for row in order[starts[g] : ends[g]]}]
            elif not suppressing[j] and children[slot_shift[j] + shown[j, g]]:
                steps = [(int(shown[j, g]), None)]
            else:
                steps = []
            for slot, code in steps:
                shares = [hits[part].sum() / weights[part].sum() for part in parts(j, g, code)]
                wanted[slot_shift[j] + slot] = max(wanted[slot_shift[j] + slot], *shares)
    counters = np.zeros((2, width * room), np.int64)
    confidence_ahead(
        codes, weights, hits, order, starts, ends, shown, changed, columns, suppressing, live, child, shift, children,
        slot_shift, surest, counters, slot_shift,
    )  # fmt: skip
    assert surest.tolist() == wanted.tolist()
    assert not counters.any()
    assert confidence_of(order, starts, ends, size, hits, changed) == max(
        hits[order[starts[g] : ends[g]]].sum() / size[g] for g in changed
    )

    plain = np.flatnonzero(suppressing == 0)
    if len(plain) == 0:
        return
    below = np.zeros((len(plain), groups), np.int64)
    spare = np.zeros(width * room, np.int64)
    squares_ahead(
        codes, weights, order, starts, ends, np.ascontiguousarray(shown[plain]), changed, plain, live, child, shift,
        children, slot_shift, below, spare, slot_shift,
    )  # fmt: skip
    for local, j in enumerate(plain):
        for g in range(groups):
            counted = g in changed and children[slot_shift[j] + shown[j, g]] > 0
            assert below[local, g] == (sum(weights[p].sum() ** 2 for p in parts(j, g, None)) if counted else 0)
        current, after = squares_of_slots(shown[j], size, below[local], groups, slots)
        for slot in range(slots):
            here = np.flatnonzero(shown[j] == slot)
            assert (current[slot], after[slot]) == ((size[here] ** 2).sum(), below[local, here].sum())
    assert not spare.any()
