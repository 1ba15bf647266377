"""The slow twins against values worked by hand."""

from __future__ import annotations

from fractions import Fraction
from math import exp, inf, log

import pytest

from oracles import naive_distributions as naive

TABLE = {"A": 10, "B": 6, "C": 4}
TREE = {"value": "*", "children": [{"value": "x", "children": [{"value": "A"}, {"value": "B"}]}, {"value": "C"}]}


def test_distances() -> None:
    group = {"A": 2}
    assert naive.equal_distance(group, TABLE) == Fraction(1, 2)
    # A is 0.5 too many, B and C 0.3 and 0.2 too few: B lies one step of two away, C two.
    assert naive.ordered_distance(group, TABLE) == Fraction(3, 10) / 2 + Fraction(2, 10)
    assert naive.ordered_distance(group, TABLE, "BAC") == (Fraction(3, 10) + Fraction(2, 10)) / 2
    # B meets A at height 1 of 2, C at the root.
    assert naive.hierarchical_distance(group, TABLE, TREE) == Fraction(3, 10) / 2 + Fraction(2, 10)
    assert naive.leaf_distance(TREE, "A", "B") == Fraction(1, 2)
    assert naive.leaf_distance(TREE, "A", "C") == 1
    assert naive.leaf_distance(TREE, "C", "C") == 0


def test_transport_takes_the_cheaper_way_round() -> None:
    # A to B directly costs 10, over nothing else: the crossing pair of moves is cheaper than the greedy one.
    cost = {("a", "x"): 1, ("a", "y"): 2, ("b", "x"): 1, ("b", "y"): 10}
    assert naive.transport({"a": 1, "b": 1}, {"x": 1, "y": 1}, lambda i, j: Fraction(cost[i, j])) == Fraction(3, 2)


def test_gains_and_logarithms() -> None:
    assert naive.gains({"A": 4, "B": 4, "C": 2}, TABLE)["B"] == Fraction(1, 3)
    assert naive.capped_gain({"A": 5}, {"A": 8, "B": 2}) == inf  # 0.25 over the cap of 0.2231
    assert naive.capped_gain({"A": 8, "B": 2}, {"A": 8, "B": 2}) == 0
    assert naive.absent({"A": 1}, TABLE) == 2
    assert naive.largest_log({"A": 6, "B": 2, "C": 2}, TABLE, 2) == pytest.approx(log(1.5) / log(2))


def test_neighbours() -> None:
    group = {30: 2, 31: 1, 33: 1}
    assert naive.nearest_share(group, group, Fraction(1)) == Fraction(3, 4)
    assert naive.nearest_share(group, {32: 1}, Fraction(1)) == Fraction(1, 2)
    assert naive.nearest_share({100: 1, 110: 1, 90: 1}, {100: 1}, Fraction(1, 10), relative=True) == 1


def test_tails() -> None:
    assert naive.poisson_tail(Fraction(1, 2), 2, truncated=False) == pytest.approx(1 - 1.5 * exp(-0.5), abs=1e-15)
    assert naive.poisson_tail(Fraction(1, 2), 1, truncated=True) == 1.0
