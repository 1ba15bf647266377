"""Kernels of the genetic algorithm against counting in plain Python."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.algorithms.cuts._cut_group_kernels import (
    drop_small,
    fold_slots,
    lost_detail,
    misjudged_records,
    number_groups,
)


class Drawn:
    """Random codes, slots, weights and classes of a few rows."""

    def __init__(self, seed: int, rows: int, columns: int) -> None:
        rng = np.random.default_rng(seed)
        self.values = rng.integers(1, 6, columns)
        self.shift = np.concatenate([[0], np.cumsum(self.values)]).astype(np.int64)
        self.codes = np.stack([rng.integers(0, n, rows) for n in self.values]).astype(np.int32)
        self.slots = rng.integers(0, 3, self.shift[-1])
        self.loss = rng.random(self.shift[-1])
        self.classes = rng.integers(0, 4, (rows, 3))
        self.classes[:, 0] += 1
        self.weights = self.classes.sum(axis=1)
        self.alive = rng.random(rows) < 0.8
        self.columns = np.sort(rng.choice(columns, rng.integers(1, columns + 1), replace=False))

    def shown(self, row: int) -> tuple[int, ...]:
        return tuple(int(self.slots[self.shift[j] + self.codes[j, row]]) for j in self.columns)

    def grouped(self, *, exact: bool) -> tuple[int, Any, Any]:
        rows = len(self.weights)
        strides = 3 ** np.arange(len(self.columns)) if exact else np.zeros(len(self.columns), np.int64)
        key, size = np.empty(rows, np.int64), np.empty(rows, np.int64)
        first, group = np.empty(rows, np.int32), np.empty(rows, np.int32)
        table = np.empty(1 << max(2 * rows - 1, 1).bit_length(), np.int32)
        fold_slots(self.codes, self.slots, self.shift, self.columns, strides, key)
        groups = number_groups(
            self.codes,
            self.weights,
            self.slots,
            self.shift,
            self.columns,
            key,
            exact,
            self.alive,
            table,
            first,
            group,
            size,
        )
        return groups, group, size


DRAWN = st.builds(Drawn, st.integers(0, 9999), st.integers(1, 30), st.integers(1, 5))


@settings(max_examples=80, deadline=None)
@given(drawn=DRAWN, exact=st.booleans())
def test_groups_are_those_of_counting(drawn: Drawn, exact: bool) -> None:
    # Where the key is not exact all rows have the same one, so only the comparison of columns can part them.
    groups, group, size = drawn.grouped(exact=exact)
    rows = range(len(drawn.weights))
    want: Counter[tuple[int, ...]] = Counter()
    for row in rows:
        if drawn.alive[row]:
            want[drawn.shown(row)] += int(drawn.weights[row])
    assert groups == len(want)
    assert sorted(size[:groups].tolist()) == sorted(want.values())
    for row in rows:
        assert (group[row] < 0) == (not drawn.alive[row])
        if drawn.alive[row]:
            assert size[group[row]] == want[drawn.shown(row)]


@settings(max_examples=40, deadline=None)
@given(drawn=DRAWN, least=st.integers(1, 30))
def test_small_groups_die(drawn: Drawn, least: int) -> None:
    _, group, size = drawn.grouped(exact=True)
    before = drawn.alive.copy()
    dropped = drop_small(group, size, least, drawn.alive, drawn.weights)
    for row in range(len(before)):
        assert drawn.alive[row] == (before[row] and size[group[row]] >= least)
    assert dropped == drawn.weights[before & ~drawn.alive].sum()


@settings(max_examples=40, deadline=None)
@given(drawn=DRAWN)
def test_costs_are_those_of_counting(drawn: Drawn) -> None:
    groups, group, _ = drawn.grouped(exact=True)
    held: dict[int, Any] = defaultdict(lambda: np.zeros(3, np.int64))
    lost = 0.0
    for row in np.flatnonzero(drawn.alive).tolist():
        held[int(group[row])] += drawn.classes[row]
        cells = sum(drawn.loss[drawn.shift[j] + drawn.codes[j, row]] for j in range(len(drawn.codes)))
        lost += cells * drawn.weights[row]
    wrong = sum(int(counts.sum() - counts.max()) for counts in held.values())
    room = np.full((len(drawn.weights), 3), 7, np.int64)
    assert misjudged_records(drawn.classes, drawn.alive, group, groups, room) == wrong
    by_code = np.full(len(drawn.loss), 7, np.int64)
    found = lost_detail(drawn.codes, drawn.weights, drawn.loss, drawn.shift, drawn.alive, by_code)
    assert found == pytest.approx(lost, abs=1e-9)
