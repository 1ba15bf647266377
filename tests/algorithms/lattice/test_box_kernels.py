"""Kernels over the nodes of a lattice against loops over all nodes."""

from __future__ import annotations

from itertools import product
from math import inf
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.algorithms.lattice._box_kernels import bar_pairs, climb, highest_open, raise_box, raise_box_by_lines


class Drawn:
    """A small lattice with random numbers on its nodes, some of them settled."""

    def __init__(self, seed: int, columns: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.shape = tuple(int(count) for count in self.rng.integers(1, 5, columns))
        self.strides = np.array([int(np.prod(self.shape[i + 1 :])) for i in range(columns)], np.int64)
        self.numbers = self.rng.random(self.shape)
        self.numbers[self.rng.random(self.shape) < 0.2] = inf
        self.numbers[self.rng.random(self.shape) < 0.1] = -inf

    def node(self) -> Any:
        return np.array([self.rng.integers(0, count) for count in self.shape], np.int64)

    def nodes(self) -> Any:
        return product(*(range(count) for count in self.shape))


DRAWN = st.builds(Drawn, st.integers(0, 9999), st.integers(1, 4))


@given(DRAWN, st.sampled_from([-1.0, 0.4, 0.8, inf]), st.sampled_from([0.5, 0.9, inf]))
@settings(max_examples=80, deadline=None)
def test_a_box_is_raised(drawn: Drawn, value: float, limit: float) -> None:
    low, high = drawn.node(), drawn.node()
    low, high = np.minimum(low, high), np.maximum(low, high)
    wanted = drawn.numbers.copy()
    for node in drawn.nodes():
        if all(a <= level <= b for a, level, b in zip(low, node, high, strict=True)):
            number = max(wanted[node], value)
            wanted[node] = inf if number > limit else number
    flat = drawn.numbers.reshape(-1).copy()
    raise_box(flat, drawn.strides, low, high, value, limit)
    assert np.array_equal(flat.reshape(drawn.shape), wanted)


@pytest.mark.parametrize("largest", [True, False])
@given(drawn=DRAWN, limit=st.sampled_from([0.9, 1.5, inf]))
@settings(max_examples=80, deadline=None)
def test_a_box_is_raised_to_sums_over_attributes(drawn: Drawn, limit: float, largest: bool) -> None:
    high, depth = drawn.node(), len(drawn.shape)
    lines = drawn.rng.random((depth, 5)) / depth
    total = max if largest else sum
    hardly = total(line[level] for line, level in zip(lines, high, strict=True)) <= 1.001 * drawn.numbers[tuple(high)]
    hardly &= total(lines[:, 0]) <= 1.001 * drawn.numbers[(0,) * depth]
    hardly &= max(drawn.numbers[tuple(high)], drawn.numbers[(0,) * depth]) < inf  # of settled nodes nothing follows
    wanted = drawn.numbers.copy()
    for node in drawn.nodes():
        if not hardly and all(level <= top for level, top in zip(node, high, strict=True)):
            parts = [line[level] for line, level in zip(lines, node, strict=True)]
            number = max(wanted[node], total(parts))
            wanted[node] = inf if number > limit else number
    flat = drawn.numbers.reshape(-1).copy()
    raise_box_by_lines(flat, drawn.strides, high, lines, largest, limit)
    assert np.allclose(flat.reshape(drawn.shape), wanted, rtol=1e-12, atol=0)


@given(DRAWN)
@settings(max_examples=80, deadline=None)
def test_a_path_goes_up_by_the_lowest_open_node_until_one_is_known(drawn: Drawn) -> None:
    known = drawn.rng.random(drawn.shape) < 0.15
    start = drawn.node()
    path = [tuple(int(level) for level in start)]
    while not known[path[-1]]:
        above = [
            (*path[-1][:i], level + 1, *path[-1][i + 1 :])
            for i, level in enumerate(path[-1])
            if level + 1 < drawn.shape[i]
        ]
        above = [node for node in above if drawn.numbers[node] < inf]
        if not above:
            break
        path.append(min(above, key=lambda node: drawn.numbers[node]))
    top = np.array(drawn.shape, np.int64) - 1
    found = climb(drawn.numbers.reshape(-1), known.reshape(-1), drawn.strides, top, int(start @ drawn.strides))
    assert [tuple(int(level) for level in np.unravel_index(place, drawn.shape)) for place in found] == path


@given(DRAWN, st.floats(0, 0.5))
@settings(max_examples=80, deadline=None)
def test_nodes_with_a_barred_pair_of_levels_are_settled(drawn: Drawn, share: float) -> None:
    depth = len(drawn.shape)
    barred = drawn.rng.random((depth, 5, depth, 5)) < share
    wanted = drawn.numbers.copy()
    for node in drawn.nodes():
        if any(barred[i, node[i], j, node[j]] for j in range(depth) for i in range(j)):
            wanted[node] = inf
    flat = drawn.numbers.reshape(-1).copy()
    bar_pairs(flat, drawn.strides, np.array(drawn.shape, np.int64) - 1, barred)
    assert np.array_equal(flat.reshape(drawn.shape), wanted)


@given(DRAWN, st.sampled_from([0.0, 0.5, 0.9, 1.0]))
@settings(max_examples=80, deadline=None)
def test_the_highest_open_nodes_have_no_open_one_above(drawn: Drawn, share: float) -> None:
    drawn.numbers[drawn.rng.random(drawn.shape) < share] = inf
    opened = [node for node in drawn.nodes() if drawn.numbers[node] < inf]
    wanted = [
        node
        for node in opened
        if not any(other != node and all(a >= b for a, b in zip(other, node, strict=True)) for other in opened)
    ]
    found = highest_open(drawn.numbers.reshape(-1), drawn.strides, np.array(drawn.shape, np.int64))
    assert found.tolist() == [int(np.array(node) @ drawn.strides) for node in wanted]
