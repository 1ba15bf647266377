"""The compiled kernels against plain Python twins on random tables in random states of refinement."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from sfumato.searches.partition_kernels import count_ahead, disclose_groups, split_groups

FAR = np.iinfo(np.int64).max
SEEDS = range(60)


class State:
    """Random rows in random groups: what the kernels work on, with room for every group that can come."""

    def __init__(self, seed: int) -> None:
        rng = self.rng = np.random.default_rng(seed)
        self.rows = int(rng.integers(1, 40))
        self.width = int(rng.integers(1, 5))
        self.values = rng.integers(1, 6, self.width)
        self.suppressing = rng.integers(0, 2, self.width).astype(np.int8)
        self.codes = np.stack([rng.integers(0, n, self.rows) for n in self.values], axis=1).astype(np.int32)
        self.weights = rng.integers(1, 5, self.rows).astype(np.int64)
        chosen = rng.permutation(self.width)[: int(rng.integers(1, self.width + 1))]
        self.columns = np.sort(chosen).astype(np.int64)  # the columns of the quasi-identifier
        # Tree and interval columns have three slots, each with up to three children; suppressing ones a slot per code.
        self.slots = np.where(self.suppressing == 1, self.values, 3)
        self.slot_shift = np.concatenate([[0], np.cumsum(self.slots)]).astype(np.int64)
        self.shift = np.concatenate([[0], np.cumsum(self.values)]).astype(np.int64)
        self.counter_shift = np.concatenate([[0], np.cumsum(np.maximum(self.values, 3))]).astype(np.int64)
        self.children = np.zeros(self.slot_shift[-1], np.int32)
        self.child = np.zeros(self.shift[-1], np.int32)
        for j in range(self.width):
            if self.suppressing[j]:
                self.child[self.shift[j] : self.shift[j + 1]] = np.arange(self.values[j])
                self.children[self.slot_shift[j] : self.slot_shift[j + 1]] = 2 * rng.integers(0, 2, self.values[j])
            else:
                self.child[self.shift[j] : self.shift[j + 1]] = rng.integers(0, 3, self.values[j])
                self.children[self.slot_shift[j] : self.slot_shift[j + 1]] = 3 * rng.integers(0, 2, 3)
        self.live = rng.integers(0, 4, self.width).clip(0, 1).astype(np.int8)
        self._group(rng)

    def _group(self, rng: np.random.Generator) -> None:
        labels = rng.integers(0, max(1, self.rows // 4), self.rows)
        _, labels = np.unique(labels, return_inverse=True)
        self.order = np.argsort(labels, kind="stable").astype(np.int32)
        self.groups = int(labels.max()) + 1
        room = self.groups * 4 + self.rows
        self.start, self.end, self.size = (np.zeros(room, np.int64) for _ in range(3))
        self.shown = np.zeros((len(self.columns), room), np.int32)
        for g in range(self.groups):
            members = np.flatnonzero(labels[self.order] == g)
            self.start[g], self.end[g] = members[0], members[-1] + 1
            self.size[g] = self.weights[self.order[members]].sum()
            for local, j in enumerate(self.columns):
                self.shown[local, g] = rng.integers(0, 2 if self.suppressing[j] else 3)
        self.buffer = np.empty(self.rows, np.int32)
        self.changed = np.zeros(room, np.int64)

    def rows_of(self, g: int) -> list[int]:
        return self.order[self.start[g] : self.end[g]].tolist()

    def records(self, rows: list[int]) -> int:
        return int(self.weights[rows].sum())

    def partition(self) -> dict[frozenset[int], tuple[int, ...]]:
        """Return ``{rows of a group: what it shows}``, and insist that sizes are right and rows are not lost."""
        found = {}
        for g in range(self.groups):
            rows = self.rows_of(g)
            assert rows, "a group without rows"
            assert self.size[g] == self.records(rows)
            found[frozenset(rows)] = tuple(self.shown[:, g].tolist())
        assert sorted(row for rows in found for row in rows) == list(range(self.rows))
        return found


def with_shown(shown: tuple[int, ...], local: int, slot: int) -> tuple[int, ...]:
    return (*shown[:local], slot, *shown[local + 1 :])


def changed_groups(state: State, before: dict[frozenset[int], Any], touched: int) -> None:
    """Insist that exactly the groups that are new, or show something new, are listed, each once."""
    listed = [frozenset(state.rows_of(int(g))) for g in state.changed[:touched]]
    after = state.partition()
    assert len(listed) == len(set(listed))
    assert set(listed) == {rows for rows, shown in after.items() if before.get(rows) != shown}


@pytest.mark.parametrize("seed", SEEDS)
def test_split_groups(seed: int) -> None:
    state = State(seed)
    local = int(state.rng.integers(len(state.columns)))
    column, slot = int(state.columns[local]), int(state.rng.integers(3))
    # The children get slots that nothing shows yet, so that a split group is always a changed one.
    slots = np.array([7, 8, 9], np.int32)
    child = state.child % len(slots)
    shift = int(state.shift[column])
    before = state.partition()
    wanted: dict[frozenset[int], tuple[int, ...]] = {}
    for rows, shown in before.items():
        if shown[local] != slot:
            wanted[rows] = shown
            continue
        parts: dict[int, set[int]] = {}
        for row in rows:
            parts.setdefault(int(child[shift + state.codes[row, column]]), set()).add(row)
        for number, part in parts.items():
            wanted[frozenset(part)] = with_shown(shown, local, int(slots[number]))
    state.groups, touched = split_groups(
        state.codes, state.weights, state.order, state.start, state.end, state.size, state.shown, state.groups,
        column, local, slot, child, shift, slots, state.buffer, state.changed,
    )  # fmt: skip
    assert state.partition() == wanted
    changed_groups(state, before, touched)


@pytest.mark.parametrize("seed", SEEDS)
def test_disclose_groups(seed: int) -> None:
    state = State(seed)
    local = int(state.rng.integers(len(state.columns)))
    column = int(state.columns[local])
    value = int(state.rng.integers(state.values[column]))
    state.shown[local] = state.shown[local] % 2  # 0 suppressed, 1 disclosed
    before = state.partition()
    wanted: dict[frozenset[int], tuple[int, ...]] = {}
    for rows, shown in before.items():
        held = frozenset(row for row in rows if state.codes[row, column] == value)
        if shown[local] != 0 or not held:
            wanted[rows] = shown
            continue
        wanted[held] = with_shown(shown, local, 1)
        if rows - held:
            wanted[rows - held] = shown
    state.groups, touched = disclose_groups(
        state.codes, state.weights, state.order, state.start, state.end, state.size, state.shown, state.groups,
        column, local, value, state.buffer, state.changed,
    )  # fmt: skip
    assert state.partition() == wanted
    changed_groups(state, before, touched)


def naive_ahead(state: State, changed: list[int], smallest: np.ndarray[Any, Any]) -> list[int]:
    """Return the running minima after looking one step ahead, group by group and candidate by candidate."""
    out = smallest.tolist()
    for g in changed:
        rows = state.rows_of(g)
        for local, j in enumerate(state.columns):
            if not state.live[j]:
                continue
            if state.suppressing[j]:
                if state.shown[local, g] != 0:
                    continue
                for code in {int(state.codes[row, j]) for row in rows}:
                    slot = int(state.slot_shift[j]) + code
                    if state.children[slot] == 0:
                        continue
                    held = state.records([row for row in rows if state.codes[row, j] == code])
                    parts = [part for part in (held, int(state.size[g]) - held) if part > 0]
                    out[slot] = min(out[slot], *parts)
            else:
                slot = int(state.slot_shift[j] + state.shown[local, g])
                if state.children[slot] == 0:
                    continue
                parts = Counter()
                for row in rows:
                    parts[int(state.child[state.shift[j] + state.codes[row, j]])] += int(state.weights[row])
                out[slot] = min(out[slot], *parts.values())
    return out


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("far", [True, False])
def test_count_ahead(seed: int, far: bool) -> None:
    state = State(seed)
    slots = len(state.children)
    smallest = np.full(slots, FAR) if far else state.rng.integers(1, 12, slots).astype(np.int64)
    chosen = state.rng.permutation(state.groups)[: int(state.rng.integers(0, state.groups + 1))]
    state.changed[: len(chosen)] = chosen
    counters = np.zeros(state.counter_shift[-1], np.int64)
    wanted = naive_ahead(state, chosen.tolist(), smallest)
    before = state.partition()
    count_ahead(
        state.codes, state.weights, state.order, state.start, state.end, state.size, state.shown, state.changed,
        len(chosen), state.columns, state.suppressing, state.live, state.child, state.shift, state.children,
        state.slot_shift, smallest, counters, state.counter_shift,
    )  # fmt: skip
    assert smallest.tolist() == wanted
    assert not counters.any(), "the counters must be zero again"
    assert state.partition() == before


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("kernel", [split_groups, disclose_groups])
def test_compiled_and_interpreted_code_agree(seed: int, kernel: Any) -> None:
    """The twin of a twin: the same function without the compiler leaves the same arrays."""
    results = []
    for function in (kernel, kernel.py_func):
        state = State(seed)
        column = int(state.columns[0])
        shared = (
            state.codes, state.weights, state.order, state.start, state.end, state.size, state.shown, state.groups,
            column, 0,
        )  # fmt: skip
        if kernel is split_groups:
            slots = np.array([7, 8, 9], np.int32)
            shift = int(state.shift[column])
            counts = function(*shared, 0, state.child % 3, shift, slots, state.buffer, state.changed)
        else:
            counts = function(*shared, int(state.codes[0, column]), state.buffer, state.changed)
        arrays = (state.order, state.start, state.end, state.size, state.shown, state.changed)
        results.append((counts, [array.tolist() for array in arrays]))
    assert results[0] == results[1]
