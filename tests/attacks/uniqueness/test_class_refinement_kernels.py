"""Splitting classes of alike rows against a plain Python twin."""

from __future__ import annotations

from itertools import pairwise
from math import comb

import numpy as np
import pytest

from sfumato.attacks.uniqueness._class_refinement_kernels import alike_pairs, mark, marked, split_classes


def classes_of(rows: list[int], starts: list[int]) -> list[list[int]]:
    return [rows[first:last] for first, last in pairwise(starts)]


def naive_split(classes: list[list[int]], column: list[int]) -> tuple[list[list[int]], list[int]]:
    shared, alone = [], []
    for held in classes:
        parts: dict[int, list[int]] = {}
        for row in held:
            if column[row] >= 0:
                parts.setdefault(column[row], []).append(row)
        shared += [part for part in parts.values() if len(part) > 1]
        alone += [part[0] for part in parts.values() if len(part) == 1]
    return shared, alone


@pytest.mark.parametrize("seed", range(40))
def test_against_a_python_twin(seed: int) -> None:
    rng = np.random.default_rng(seed)
    count, width = int(rng.integers(0, 60)), int(rng.integers(1, 8))
    lengths: list[int] = []
    while sum(lengths) < count:
        lengths.append(int(rng.integers(2, 8)))
    starts = np.cumsum([0, *lengths]).astype(np.int32)
    rows = rng.permutation(int(starts[-1]) + 5)[: starts[-1]].astype(np.int32)
    column = rng.integers(-1, width, len(rows) + 5).astype(np.int32)
    weights = rng.integers(1, 5, len(column))
    kept, ends, alone = split_classes(rows, starts, column, width, True)
    shared, lonely = naive_split(classes_of(rows.tolist(), starts.tolist()), column.tolist())
    assert classes_of(kept.tolist(), ends.tolist()) == shared
    assert sorted(alone.tolist()) == sorted(lonely)
    bare, none, again = split_classes(rows, starts, column, width, False)
    assert (len(bare), none.tolist(), again.tolist()) == (0, [0], alone.tolist())
    assert alike_pairs(kept, ends, weights) == sum(comb(int(weights[part].sum()), 2) for part in shared)


def test_bits_of_rows() -> None:
    bits = np.zeros(3, np.uint8)
    mark(np.array([0, 9, 17], np.int32), bits)
    assert bits.tolist() == [1, 2, 2]
    assert marked(np.array([17, 8, 0, 1], np.int32), bits).tolist() == [17, 0]
