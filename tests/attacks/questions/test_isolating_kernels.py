"""Predicates that isolate, against looking at every row."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.attacks.questions._isolating_kernels import count_to_two, rows_by_code


@pytest.mark.parametrize("seed", range(15))
def test_rows_of_each_code(seed: int) -> None:
    rng = np.random.default_rng(seed)
    codes = rng.integers(-1, 4, 20, np.int32)
    begin, rows = rows_by_code(codes, 5)
    assert begin[0] == 0
    assert begin[-1] == len(rows)
    for code in range(5):
        assert rows[begin[code] : begin[code + 1]].tolist() == [row for row in range(20) if codes[row] == code]


@pytest.mark.parametrize("seed", range(25))
def test_counted_to_the_second(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = 4
    codes = rng.integers(-1, values, (3, 12), np.int32)
    sizes = rng.integers(1, 3, 12)
    listed = [rows_by_code(codes[column], values) for column in range(3)]
    place = np.cumsum([0, *(len(rows) for _, rows in listed)])
    rows = np.concatenate([rows for _, rows in listed])
    predicates = 10
    order, used = np.array([rng.permutation(3) for _ in range(predicates)]), rng.integers(1, 4, predicates)
    first, last, sets = np.zeros((predicates, 3), np.int64), np.zeros((predicates, 3), np.int64), []
    part, low, high, wanted = [0], [], [], []
    for predicate in range(predicates):
        fitting: list[set[int]] = []
        for step, column in enumerate(order[predicate][: used[predicate]]):
            if step == 0 or rng.random() < 0.5:
                fits = {int(code) for code in range(values) if rng.random() < 0.5}
                first[predicate, column], last[predicate, column] = -1, len(sets)
                sets += [code in fits for code in range(-1, values)]
            else:
                begin, end = np.sort(rng.integers(0, values + 1, 2)).tolist()
                first[predicate, column], last[predicate, column] = begin, end
                fits = set(range(begin, end))
            fitting.append(fits)
        lead = order[predicate][0]
        for code in sorted(fitting[0]):
            low.append(place[lead] + listed[lead][0][code])
            high.append(place[lead] + listed[lead][0][code + 1])
        part.append(len(low))
        chosen = order[predicate][: used[predicate]]
        rows_that_fit = [
            row
            for row in range(12)
            if all(int(codes[column, row]) in fits for column, fits in zip(chosen, fitting, strict=True))
        ]
        wanted.append(min(int(sizes[rows_that_fit].sum()), 2))
    found = count_to_two(
        codes, sizes, rows, np.array(part), np.array(low, np.int64), np.array(high, np.int64), order, used, first, last,
        np.array(sets, np.bool_),
    )  # fmt: skip
    assert found.tolist() == wanted
