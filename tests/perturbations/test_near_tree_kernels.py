"""Distances of records, column by column; the tree over them is tried with the groups it finds."""

from __future__ import annotations

import numpy as np
import pytest

from oracles.drawn_axes import drawn_axes, spans_of
from sfumato.perturbations._mdav_kernels import distances
from sfumato.perturbations._near_tree_kernels import Metric, between, coarse, distance, heap_up


@pytest.mark.parametrize("value", [0.0, 1.0, 0.1, 1 / 3, 123456.789, 2.0**60 / 3])
def test_forty_one_binary_digits(value: float) -> None:
    mantissa, exponent = np.frexp(value)
    assert coarse(value) == pytest.approx(np.ldexp(np.rint(mantissa * 2.0**41), int(exponent) - 41), rel=2.0**-40)
    assert coarse(value) * 2.0 ** (41 - int(exponent)) == round(coarse(value) * 2.0 ** (41 - int(exponent)))


@pytest.mark.parametrize("seed", range(20))
def test_squares(seed: int) -> None:
    rng = np.random.default_rng(seed)
    points = rng.integers(-4, 5, (6, 3)).astype(float)
    nothing = np.zeros(3, np.int64)
    metric = Metric(True, np.zeros(3, np.bool_), nothing, nothing, np.zeros(0))
    expected = [sum((a - b) ** 2 for a, b in zip(row, points[0], strict=True)) for row in points.tolist()]
    assert [distance(metric, row, points[0]) for row in points] == expected
    assert [sum(between(metric, at, row[at], points[0, at]) for at in range(3)) for row in points] == expected
    out = np.zeros(6)
    distances(metric, points, np.arange(6), points[0], out)
    assert out.tolist() == expected


@pytest.mark.parametrize("seed", range(20))
def test_differences_and_prices_of_lowest_nodes(seed: int) -> None:
    rng = np.random.default_rng(seed)
    drawn = drawn_axes(rng, 3)
    spans = spans_of(drawn, rng)
    metric = Metric(False, spans.tree, spans.start, spans.neighbours, spans.maxima)
    points = np.array([rng.integers(0, drawn.length(axis), 6) for axis in range(3)], float).T.copy()

    def apart(axis: int, one: float, other: float) -> float:
        if drawn.lines[axis] is not None:
            return abs(one - other)
        low, high = sorted((int(one), int(other)))
        return 0.0 if low == high else len(drawn.leaves(axis, drawn.cover(axis, low, high))) / drawn.length(axis)

    for row in points:
        parts = [apart(axis, row[axis], points[0, axis]) for axis in range(3)]
        assert [between(metric, axis, row[axis], points[0, axis]) for axis in range(3)] == parts
        assert distance(metric, row, points[0]) == pytest.approx(sum(parts))


@pytest.mark.parametrize("seed", range(20))
def test_records_of_a_point_lie_on_one_pile_the_lowest_on_top(seed: int) -> None:
    rng = np.random.default_rng(seed)
    place = rng.integers(0, 5, int(rng.integers(0, 30)))
    piles = heap_up(np.zeros((6, 2)), place)  # the last point has no record
    for pile in range(6):
        held, record = [], int(piles.top[pile])
        while record >= 0:
            held.append(record)
            record = int(piles.under[record])
        assert held == np.flatnonzero(place == pile).tolist()
    assert piles.left.tolist() == [len(place)]
