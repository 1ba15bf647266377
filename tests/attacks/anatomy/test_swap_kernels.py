"""The swap kernel against a twin that weighs both worlds from scratch."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from oracles.naive_definetti import swap
from sfumato.attacks.anatomy._swap_kernels import swap_values, tally_values


@pytest.mark.parametrize("seed", range(12))
def test_same_walk(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 6, 4)
    group = np.repeat(np.arange(len(sizes)), sizes)
    codes = rng.integers(0, 3, (len(group), 2))
    order = np.lexsort((codes[:, 1], codes[:, 0], group))
    codes = codes[order]
    _, cell = np.unique(np.column_stack([group, codes]), axis=0, return_inverse=True)
    cell = cell.reshape(-1)
    # Every group has the same list of values, so that the place of a value among them is its code.
    values, code = np.array([rng.permutation(size) % 3 for size in sizes], object), np.tile(np.arange(3), len(sizes))
    slot = np.concatenate(list(values)).astype(np.int64)
    rows = np.empty((int(cell.max()) + 1, 2), np.int64)
    rows[cell] = codes + np.array([0, 3])
    counts = np.zeros((6, 3), np.int64)
    for at in range(2):
        np.add.at(counts, (rows[cell, at], slot), 1)
    draws = rng.random((60, 3))
    first, size = (np.cumsum(sizes) - sizes)[group], sizes[group]
    twin = slot.tolist()
    alpha = Fraction(1, 2)
    wanted = swap([tuple(one) for one in codes.tolist()], group.tolist(), twin, draws.tolist(), alpha)
    found = swap_values(draws, slot, cell, first, size, 3 * group, code, rows, counts, 0.5)
    assert found == wanted > 0
    assert slot.tolist() == twin
    again = np.zeros_like(counts)
    for at in range(2):
        np.add.at(again, (rows[cell, at], slot), 1)
    assert np.array_equal(counts, again)
    tally = np.zeros((int(cell.max()) + 1) * 3, np.int64)
    tally_values(slot, cell, np.arange(int(cell.max()) + 1) * 3, tally)
    assert np.array_equal(tally, np.bincount(cell * 3 + slot, minlength=len(tally)))
