"""Cutting groups of rows at the middle, against sorting and slicing lists."""

from __future__ import annotations

from math import floor

import numpy as np
import pytest

from oracles.drawn_axes import DrawnAxes, drawn_axes
from sfumato.algorithms.boxes._median_cut_kernels import (
    FRESH,
    even_share,
    mark_parts,
    move_rows,
    number_parts,
    propose_medians,
    survey,
)

ROWS = 14


class Drawn:
    """Two groups of random rows on three axes, with what ``survey`` says of them."""

    def __init__(self, seed: int, *, single: bool = False) -> None:
        rng = np.random.default_rng(seed)
        self.space: DrawnAxes = drawn_axes(rng, 3)
        self.axes = self.space.axes
        sides = [rng.integers(0, self.space.length(axis), ROWS) for axis in range(3)]
        self.points = np.array(sides, np.int32).T.copy()
        self.weights = np.ones(ROWS, np.int64) if single else rng.integers(1, 4, ROWS).astype(np.int64)
        self.start, self.end = np.array([0, 9]), np.array([9, ROWS])
        self.low, self.high = np.zeros((2, 3), np.int32), np.zeros((2, 3), np.int32)
        self.size, self.ranked = np.zeros(2, np.int64), np.zeros((2, 3), np.int32)
        survey(self.points, self.weights, self.start, self.end, self.axes, self.low, self.high, self.size, self.ranked)

    def rows(self, group: int) -> list[int]:
        return list(range(self.start[group], self.end[group]))

    def values(self, group: int, axis: int) -> list[int]:
        """Return the coordinates of all records of a group, in order."""
        return sorted(int(self.points[row, axis]) for row in self.rows(group) for _ in range(self.weights[row]))

    def width(self, group: int, axis: int) -> float:
        values, line = self.values(group, axis), self.space.lines[axis]
        if line is not None:
            return (line[values[-1]] - line[values[0]]) / (line[-1] - line[0])
        covered = len(self.space.leaves(axis, self.space.cover(axis, values[0], values[-1])))
        return 0.0 if values[0] == values[-1] else (covered - 1) / (self.space.length(axis) - 1)

    def children(self, group: int, axis: int) -> tuple[int, dict[int, int]]:
        """Return the lowest node above a group and how many records lie below each of its children."""
        values = self.values(group, axis)
        node = self.space.cover(axis, values[0], values[-1])
        held: dict[int, int] = {}
        for value in values:
            path = self.space.paths[axis][value]
            child = path[path.index(node) + 1]
            held[child] = held.get(child, 0) + 1
        return node, held


@pytest.mark.parametrize("seed", range(25))
def test_bounds_sizes_and_the_widest_axes_first(seed: int) -> None:
    drawn = Drawn(seed)
    for group in range(2):
        assert drawn.size[group] == sum(drawn.weights[row] for row in drawn.rows(group))
        values = [drawn.values(group, axis) for axis in range(3)]
        assert drawn.low[group].tolist() == [one[0] for one in values]
        assert drawn.high[group].tolist() == [one[-1] for one in values]
        wide = [axis for axis in range(3) if values[axis][0] < values[axis][-1]]
        ranked = sorted(wide, key=lambda axis: (-floor(drawn.width(group, axis) * 2**40 + 0.5), axis))
        assert drawn.ranked[group].tolist() == [*ranked, *[-1] * (3 - len(ranked))]


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("least", [2, 5])
def test_the_first_cut_is_the_median_of_the_widest_axis_that_can_be_cut(seed: int, least: int) -> None:
    drawn = Drawn(seed)
    turn, tried = np.zeros(2, np.int64), np.full((2, 2), FRESH, np.int64)
    axis, cut, taken = np.zeros(2, np.int64), np.zeros(2, np.int64), np.zeros(2, np.int64)
    propose_medians(
        drawn.points, drawn.weights, drawn.start, drawn.end, drawn.axes, drawn.low, drawn.high, drawn.size, drawn.ranked,
        least, False, False, turn, tried, axis, cut, taken,
    )  # fmt: skip
    for group in range(2):
        expected: tuple[int, int] | None = None
        for one in [axis for axis in drawn.ranked[group].tolist() if axis >= 0]:
            values = drawn.values(group, one)
            if drawn.space.lines[one] is None:
                node, held = drawn.children(group, one)
                place, parts = node, list(held.values())
            else:
                place = values[(len(values) - 1) // 2]
                lower = sum(value <= place for value in values)
                parts = [lower, len(values) - lower]
            if min(parts) >= least:
                expected = one, place
                break
        assert (None if axis[group] < 0 else (axis[group], cut[group])) == expected


@pytest.mark.parametrize("seed", range(25))
def test_rows_at_the_median_are_shared_evenly(seed: int) -> None:
    drawn = Drawn(seed, single=True)
    values = drawn.values(0, 0)
    middle = values[(len(values) - 1) // 2]
    found = even_share(drawn.points, drawn.weights, 0, 9, 0, middle, len(values))
    assert sum(value < middle for value in values) + found == (len(values) + 1) // 2


@pytest.mark.parametrize("seed", range(40))
def test_parts_are_marked_numbered_and_brought_together(seed: int) -> None:
    drawn = Drawn(seed, single=True)
    rng = np.random.default_rng(seed + 1000)
    axis, cut, taken = np.zeros(2, np.int64), np.zeros(2, np.int64), np.full(2, -1, np.int64)
    wanted: list[list[int]] = []
    for group in range(2):
        choices = [one for one in drawn.ranked[group].tolist() if one >= 0]
        if not choices:
            pytest.skip("all rows in one place")
        one = int(rng.choice(choices))
        axis[group] = one
        if drawn.space.lines[one] is None:
            node, held = drawn.children(group, one)
            cut[group] = node
            order = sorted(held)  # children are numbered from left to right
            paths = [drawn.space.paths[one][drawn.points[row, one]] for row in drawn.rows(group)]
            wanted.append([order.index(path[path.index(node) + 1]) for path in paths])
            continue
        cut[group] = drawn.values(group, one)[4 if group == 0 else 1]
        share = int(rng.integers(-1, 3))
        taken[group] = share
        marks = []
        for row in drawn.rows(group):
            value = drawn.points[row, one]
            at_cut = value == cut[group]
            upper = value > cut[group] or (share >= 0 and at_cut and share == 0)
            if share > 0 and at_cut:
                share -= 1
            marks.append(int(upper))
        wanted.append(marks)
    part, parts = np.zeros(ROWS, np.int32), np.zeros(2, np.int64)
    mark_parts(drawn.points, drawn.start, drawn.end, drawn.axes, axis, cut, taken, part, parts)
    assert part.tolist() == [*wanted[0], *wanted[1]]
    kinds = [2 if drawn.space.lines[axis[group]] is not None else len(set(wanted[group])) for group in range(2)]
    assert parts.tolist() == kinds

    order = rng.permutation(ROWS).astype(np.int32)
    rows, number = np.zeros(ROWS, np.int64), np.zeros(ROWS, np.int64)
    first = np.array([0, kinds[0]])
    number_parts(drawn.start, drawn.end, order, part, first, rows, number)
    assert rows.tolist() == order.tolist()
    assert number.tolist() == [*wanted[0], *(kinds[0] + mark for mark in wanted[1])]

    before = {
        int(order[row]): (tuple(drawn.points[row].tolist()), int(number[row]), int(drawn.weights[row]))
        for row in range(ROWS)
    }
    made = sum(kinds)
    new_start, new_end = np.zeros(made, np.int64), np.zeros(made, np.int64)
    move_rows(drawn.points, drawn.weights, order, part, drawn.start, drawn.end, parts, new_start, new_end)
    assert new_start[0] == 0
    assert new_end[-1] == ROWS
    assert new_start[1:].tolist() == new_end[:-1].tolist()
    for piece in range(made):
        for row in range(new_start[piece], new_end[piece]):
            held = (tuple(drawn.points[row].tolist()), piece, int(drawn.weights[row]))
            assert before.pop(int(order[row])) == held
    assert before == {}
