"""The nearest rows of a person, against the distances of all of them."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.attacks.questions._near_row_kernels import (
    FAR,
    UNIT,
    NearRows,
    guess_codes,
    jumps,
    nearest_levels,
    pick_records,
)

ROWS, PERSONS, LABELS = 14, 5, 3


class Drawn:
    """Random rows with two columns of labels and two of numbers, some missing, and persons beside them."""

    def __init__(self, seed: int, *, single: bool = True) -> None:
        rng = np.random.default_rng(seed)
        cells = (rng.integers(0, LABELS, (ROWS, 2)) + np.array([0, LABELS])).astype(np.int32)
        numbers = rng.integers(0, 6, (ROWS, 2)).astype(float)
        numbers[rng.random((ROWS, 2)) < 0.15] = np.nan
        order = np.lexsort([numbers[:, 0], cells[:, 1], cells[:, 0]])  # missing numbers come last
        self.cells, self.numbers = cells[order], numbers[order]
        fresh = np.append(True, (self.cells[1:] != self.cells[:-1]).any(axis=1))
        labels = self.cells[np.flatnonzero(fresh)]
        self.scales = np.array([UNIT / 7, UNIT / 11])
        self.weights = np.ones(ROWS, np.int64) if single else rng.integers(1, 3, ROWS)
        self.number = rng.permutation(ROWS)
        begin = np.append(np.flatnonzero(fresh), ROWS)
        self.rows = NearRows(labels, jumps(labels), begin, self.numbers, self.scales, self.weights, self.number)
        self.points = rng.integers(0, 6, (PERSONS, 2)).astype(float)
        self.points[rng.random((PERSONS, 2)) < 0.1] = np.nan
        self.tables = rng.choice([0, UNIT // 3, UNIT], (PERSONS, 2 * LABELS))
        self.rng = rng

    def far(self, person: int, row: int) -> int:
        """Return how far a row lies from a person: label by label, number by number."""
        total = sum(int(self.tables[person, cell]) for cell in self.cells[row])
        for column in range(2):
            gap = abs(self.numbers[row, column] - self.points[person, column])
            if np.isnan(gap):
                total += UNIT
            elif gap > 0:
                total += max(int(gap * self.scales[column] + 0.5), 1)
        return total

    def distances(self, person: int) -> list[int]:
        """Return the distances of all records, the nearest first."""
        return sorted(self.far(person, row) for row in range(ROWS) for _ in range(self.weights[row]))


@pytest.mark.parametrize("seed", range(15))
def test_jumps_lead_to_the_next_run_that_differs(seed: int) -> None:
    drawn = Drawn(seed)
    labels = drawn.rows.labels
    for run, column in np.ndindex(labels.shape):
        later = (other for other in range(run + 1, len(labels)) if (labels[other] != labels[run])[: column + 1].any())
        assert drawn.rows.jump[run, column] == next(later, len(labels))


@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize("neighbours", [1, 4, 40])
@pytest.mark.parametrize("single", [True, False])
def test_how_far_the_nearest_lie(seed: int, neighbours: int, single: bool) -> None:
    drawn = Drawn(seed, single=single)
    found = nearest_levels(drawn.rows, drawn.points, drawn.tables, neighbours)
    for person in range(PERSONS):
        ordered = drawn.distances(person)
        if len(ordered) < neighbours:
            assert found[person].tolist() == [FAR, len(ordered), 0]
            continue
        bound = ordered[neighbours - 1]
        assert found[person, :2].tolist() == [bound, sum(far < bound for far in ordered)]
        assert found[person, 2] == ordered.count(bound)


def test_rows_of_several_records_leave_the_count_at_the_last_distance() -> None:
    # Numbers 2, 2, 5 lie to the right of the person; the row at 1 comes last to the left, and stands for two records.
    rows = NearRows(
        labels=np.array([[0], [1]], np.int32),
        jump=jumps(np.array([[0], [1]], np.int32)),
        begin=np.array([0, 4, 5]),
        numbers=np.array([[11.0], [12.0], [12.0], [15.0], [10.0]]),
        scales=np.array([1.0]),
        weights=np.array([1, 1, 1, 1, 2]),
        number=np.arange(5),
    )
    found = nearest_levels(rows, np.array([[10.0]]), np.array([[0, 1]]), 4)
    assert found.tolist() == [[2, 3, 2]]


@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize("single", [True, False])
def test_which_records_are_picked(seed: int, single: bool) -> None:
    drawn, neighbours = Drawn(seed, single=single), 4
    levels = nearest_levels(drawn.rows, drawn.points, drawn.tables, neighbours)
    by_number = np.zeros(ROWS, np.int64)
    by_number[drawn.number] = drawn.weights
    ends = np.cumsum(by_number)
    ranks = np.full((PERSONS, neighbours), np.iinfo(np.int64).max)
    for person, (bound, before, _) in enumerate(levels.tolist()):
        held, wanted = drawn.distances(person).count(bound), neighbours - before
        ranks[person, :wanted] = np.sort(drawn.rng.choice(held, wanted, replace=False))
    found = pick_records(drawn.rows, drawn.points, drawn.tables, levels, ranks, ends)
    for person, (bound, before, _) in enumerate(levels.tolist()):
        nearer, at = [], []
        for row in range(ROWS):
            far, last = drawn.far(person, row), ends[drawn.number[row]]
            records = range(last - drawn.weights[row], last)
            nearer += records if far < bound else []
            at += records if far == bound else []
        chosen = [at[rank] for rank in ranks[person, : neighbours - before]]
        assert sorted(found[person].tolist()) == sorted([*nearer, *chosen])


@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize("values", [4, 300])
def test_what_is_guessed(seed: int, values: int) -> None:
    drawn = Drawn(seed, single=False)
    levels = nearest_levels(drawn.rows, drawn.points, drawn.tables, 3)
    held = [
        {int(value): int(drawn.rng.integers(1, 4)) for value in drawn.rng.integers(0, values, 2)} for _ in range(ROWS)
    ]
    start = np.cumsum([0, *map(len, held)])
    code = np.array([value for one in held for value in one])
    count = np.array([often for one in held for often in one.values()])
    first = np.array([max(value - 1, 0) for value in range(values)])
    last = np.array([value + 1 if value % 3 else 0 for value in range(values)])
    first[last == 0] = 0
    found = guess_codes(drawn.rows, drawn.points, drawn.tables, levels, start, code, count, first, last)
    for person in range(PERSONS):
        told: dict[int, int] = {}
        for row in range(ROWS):
            if drawn.far(person, row) <= levels[person, 0]:
                for value, often in held[drawn.number[row]].items():
                    if last[value] > first[value]:
                        told[value] = told.get(value, 0) + often
        right = {
            value: sum(often for other, often in told.items() if first[value] <= other < last[value]) for value in told
        }
        assert found[person] == min(right, key=lambda value: (-right[value], value), default=-1)
