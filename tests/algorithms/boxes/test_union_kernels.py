"""Which groups to merge and how rows are shared out, against looking at every pair."""

from __future__ import annotations

from math import floor, inf

import numpy as np
import pytest

from oracles.drawn_axes import drawn_axes, spans_of
from sfumato.algorithms.boxes._cell_groups import CellGroups, DistinctRecords
from sfumato.algorithms.boxes._span_kernels import penalty, side
from sfumato.algorithms.boxes._union_kernels import (
    NOBODY,
    NONE,
    Groups,
    UnionNodes,
    cheapest_union,
    far_ends,
    refresh_leaf,
    refresh_nodes,
    share_out,
    widest_columns,
)
from sfumato.algorithms.boxes._union_tree import UnionTree


def whole_steps(cost: float) -> int:
    return floor(cost * 2**40 + 0.5)


def drawn_rows(seed: int):  # type: ignore[no-untyped-def]
    rng = np.random.default_rng(seed)
    drawn = drawn_axes(rng, 3)
    spans = spans_of(drawn, rng)
    points = np.array([rng.integers(0, drawn.length(axis), 8) for axis in range(3)], np.int32).T.copy()

    def cost(rows: list[int]) -> float:
        return penalty(spans, points[rows].min(axis=0), points[rows].max(axis=0))

    return rng, spans, points, cost


@pytest.mark.parametrize("seed", range(25))
def test_the_cheapest_union(seed: int) -> None:
    rng, spans, points, cost = drawn_rows(seed)
    members = [[0], [1, 2], [3, 4, 5], [6, 7]]
    number = rng.permutation(4).astype(np.int64)
    size = rng.integers(1, 5, 4).astype(np.int64)
    low = np.array([points[rows].min(axis=0) for rows in members], np.int32)
    high = np.array([points[rows].max(axis=0) for rows in members], np.int32)
    groups = Groups(number, size, low, high, np.zeros(4, np.int64))
    for own in range(4):
        ranked = [
            (whole_steps(cost(members[own] + members[other]) * (size[own] + size[other])), number[other], other)
            for other in range(4)
            if other != own
        ]
        tree = UnionTree(spans, groups, 4)
        found = cheapest_union(spans, groups, tree.nodes, tree.held, tree.room, own, tree.place[own])
        best = min(ranked)
        mine = next(entry for entry in ranked if entry[2] == found)
        assert mine[0] - best[0] <= 4  # sums in another order may differ in the last steps
        assert mine[0] > best[0] or found == best[2]


@pytest.mark.parametrize("seed", range(12))
def test_the_tree_finds_what_a_look_at_every_group_finds(seed: int) -> None:
    """Groups are merged and cut all the while: few values and small sizes make many of the unions cost the same."""
    rng = np.random.default_rng(seed)
    drawn = drawn_axes(rng, 3)
    spans = spans_of(drawn, rng)
    points = np.array([rng.integers(0, drawn.length(axis), 200) for axis in range(3)], np.int32).T.copy()
    weights = rng.integers(1, 3, 200).astype(np.int64)
    rows = DistinctRecords(None, spans, points, np.zeros(200, np.int64), weights, np.repeat(np.arange(200), weights))  # type: ignore[arg-type]
    state = CellGroups(rows)
    built = set()
    for turn in range(180):
        own = int(rng.integers(state.count))
        groups = state.groups

        def cost(other: int, own: int = own, groups: Groups = groups) -> int:
            low, high = np.minimum(groups.low[own], groups.low[other]), np.maximum(groups.high[own], groups.high[other])
            each = sum(side(spans, column, low[column], high[column]) for column in spans.order.tolist())
            return whole_steps(each * (groups.size[own] + groups.size[other]))

        found = state.cheapest_union(own)
        assert found == min(set(range(state.count)) - {own}, key=lambda at: (cost(at), groups.number[at]))
        assert state.tree is not None
        built.add(state.tree.built)
        merged = state.merge(own, found)
        if turn % 4 == 0:  # of the others there are fewer and fewer
            state.cut(int(state.groups.number[merged]), 3)
    assert len(built) > 1


@pytest.mark.parametrize("seed", range(5))
def test_nodes_know_the_ends_and_the_sizes_below_them(seed: int) -> None:
    rng = np.random.default_rng(seed)
    room, leaves = 3, 4
    low = rng.integers(0, 9, (9, 2)).astype(np.int32)
    groups = Groups(np.arange(9), rng.integers(1, 9, 9), low, low + 2, np.zeros(9, np.int64))
    held = np.full(room * leaves, NOBODY, np.int64)
    held[rng.permutation(9)] = np.arange(9)  # the last leaf has none

    def below(node: int) -> list[int]:
        inside = [at for at in range(leaves) if f"{leaves + at:b}".startswith(f"{node:b}")]
        return [slot for at in inside for slot in held[at * room : at * room + room].tolist() if slot != NOBODY]

    nodes = UnionNodes(np.empty((8, 2), np.int32), np.empty((8, 2), np.int32), np.empty(8, np.int64))
    refresh_nodes(groups, held, room, nodes)
    for change in range(2):
        for node in range(1, 8):
            some = below(node)
            assert nodes.size[node] == (groups.size[some].min() if some else NONE)
            if some:
                assert nodes.low[node].tolist() == groups.low[some].max(axis=0).tolist()
                assert nodes.high[node].tolist() == groups.high[some].min(axis=0).tolist()
        if not change:
            held[4] = NOBODY
            refresh_leaf(groups, held, room, nodes, 1)


@pytest.mark.parametrize("seed", range(5))
def test_the_widest_column_of_a_box(seed: int) -> None:
    _, spans, points, _ = drawn_rows(seed)
    low, high = np.minimum(points[:4], points[4:]), np.maximum(points[:4], points[4:])
    for box, found in enumerate(widest_columns(spans, low, high).tolist()):
        costs = [side(spans, column, low[box, column], high[box, column]) for column in range(3)]
        assert found == costs.index(max(costs))


@pytest.mark.parametrize("seed", range(25))
def test_far_ends(seed: int) -> None:
    _, spans, points, cost = drawn_rows(seed)
    rows = np.arange(8)
    one = other = 3
    for _ in range(2):
        one = other
        other = max(range(8), key=lambda row: (whole_steps(cost([one, row])), -row))
    assert far_ends(spans, points, rows, 3, 2) == (one, other)


@pytest.mark.parametrize("seed", range(25))
def test_rows_are_shared_out(seed: int) -> None:
    rng, spans, points, cost = drawn_rows(seed)
    weights = rng.integers(1, 4, 8).astype(np.int64)
    rows = rng.permutation(8)
    here, there = [0], [7]
    expected = []
    for row in rows.tolist():
        if row in (0, 7):
            expected.append(row == 7)
            continue

        def more(group: list[int], row: int = row) -> int:
            grown = [*group, row]
            return whole_steps(cost(grown) * weights[grown].sum() - cost(group) * weights[group].sum())

        expected.append(more(there) < more(here))
        (there if expected[-1] else here).append(row)
    second = np.zeros(8, np.bool_)
    share_out(spans, points, weights, rows, 0, 7, second)
    assert second.tolist() == expected
    assert inf > cost(here) >= 0
