"""Classes of records of several releases put together: who can be one person is found by hashing, never pair by pair."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from sfumato.data.frozen import frozen
from sfumato.data.tree import Tree
from sfumato.errors import Unsupported
from sfumato.groups.distinct import distinct_rows
from sfumato.kernels.arrays import Codes, Ints
from sfumato.sequels.comparable import envelope

__all__ = [
    "Classes",
    "comparable_pairs",
    "merged",
    "numbered",
    "refuse_uncountable",
    "runs",
    "spread_out",
    "summed",
    "together",
]

Cell = TypeVar("Cell", bound=np.generic)

MOST = 1 << 62


@frozen(eq=False)
class Classes:
    """Records that look alike in what a join reads of them, each class with its number of records.

    ``nodes`` are the labels by join attribute, as nodes of its tree. ``marks`` has a bit for each declared inconsistency whose
    one end the class meets. ``keys`` are codes of whatever else is kept of the records.
    """

    nodes: Codes
    marks: Ints
    keys: Codes
    weights: Ints

    def __len__(self) -> int:
        return len(self.weights)

    def taken(self, some: Ints) -> Classes:
        """Return some of the classes."""
        return Classes(self.nodes[some], self.marks[some], self.keys[some], self.weights[some])


def runs(place: Ints, count: int) -> tuple[Ints, Ints]:
    """Return what lies at each of some places: entries in order of place, and where the run of each place begins.

    >>> order, start = runs(np.array([1, 0, 1]), 2)
    >>> order.tolist(), start.tolist()
    ([1, 0, 2], [0, 1, 3])
    """
    order = np.argsort(place, kind="stable")
    return order, np.searchsorted(place[order], np.arange(count + 1))


def numbered(codes: npt.NDArray[Cell]) -> tuple[npt.NDArray[Cell], Ints]:
    """Return distinct rows and the place of each row among them; rows without a column are all alike."""
    if codes.shape[1] == 0:
        return codes[:1], np.zeros(len(codes), np.int64)
    return distinct_rows(codes)


def spread_out(start: Ints, chosen: Ints) -> tuple[Ints, Ints]:
    """Return for some runs every entry in them: which of the chosen it belongs to, and its position."""
    lengths = (start[1:] - start[:-1])[chosen]
    owner = np.repeat(np.arange(len(chosen)), lengths)
    ends = np.cumsum(lengths)
    return owner, np.arange(len(owner)) - np.repeat(ends - lengths, lengths) + np.repeat(start[:-1][chosen], lengths)


def comparable_pairs(trees: Sequence[Tree], one: Codes, other: Codes) -> tuple[Ints, Ints]:
    """Return all pairs of rows that are comparable in every column; rows are nodes of the trees, column by column.

    Labels of one release may lie above each other (a missing value stands for everything). They are taken in layers none of
    which has two labels on one path, and for two such layers equal envelopes mean comparable: each pair is found once, by
    hashing.
    """
    mine, hers = _layers(trees, one), _layers(trees, other)
    found: list[tuple[Ints, Ints]] = []
    for layer, rows in mine:
        for upper, others in hers:
            left, right = np.empty((len(rows), len(trees)), np.int64), np.empty((len(others), len(trees)), np.int64)
            for at, tree in enumerate(trees):
                top = envelope(tree, layer[at], upper[at])
                left[:, at], right[:, at] = top[one[rows, at]], top[other[others, at]]
            distinct, place = numbered(np.vstack([left, right]))
            order, start = runs(place[len(rows) :], len(distinct))
            owner, position = spread_out(start, place[: len(rows)])
            found.append((rows[owner], others[order[position]]))
    if not found:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    return np.concatenate([pair[0] for pair in found]), np.concatenate([pair[1] for pair in found])


def _layers(trees: Sequence[Tree], rows: Codes) -> list[tuple[list[Codes], Ints]]:
    """Return rows by layer: the labels by column, none above another of the same column, and the rows that hold them."""
    depth = np.zeros(rows.shape, np.int64)
    for at, tree in enumerate(trees):
        held = np.zeros(len(tree), np.int64)
        held[rows[:, at]] = 1
        above = np.zeros(len(tree), np.int64)
        for node in range(1, len(tree)):
            above[node] = above[tree.parent[node]] + held[tree.parent[node]]
        depth[:, at] = above[rows[:, at]]
    distinct, place = numbered(depth)
    order, start = runs(place, len(distinct))
    chosen = [order[start[layer] : start[layer + 1]] for layer in range(len(distinct))]
    return [([np.unique(rows[some, at]) for at in range(len(trees))], some) for some in chosen]


def together(trees: Sequence[Tree], one: Classes, other: Classes) -> tuple[Ints, Ints]:
    """Return which classes match, and where those of each class of ``other`` begin: ``matched[start[c]:start[c + 1]]``."""
    mine, my_place = distinct_rows(np.column_stack([one.nodes, one.marks]))
    hers, her_place = distinct_rows(np.column_stack([other.nodes, other.marks]))
    left, right = comparable_pairs(trees, mine[:, :-1].astype(np.int32), hers[:, :-1].astype(np.int32))
    keep = (mine[left, -1] & hers[right, -1]) == 0
    left, right = left[keep], right[keep]
    by_hers, hers_start = runs(right, len(hers))
    by_mine, mine_start = runs(my_place, len(mine))
    # From a class to its vector of labels, to the vectors that go with it, to the classes that have one of them.
    owner, position = spread_out(hers_start, her_place)
    vector = left[by_hers[position]]
    lengths = (mine_start[1:] - mine_start[:-1])[vector]
    _, inner = spread_out(mine_start, vector)
    start = np.zeros(len(other) + 1, np.int64)
    np.add.at(start, owner + 1, lengths)
    return by_mine[inner], np.cumsum(start)


def merged(trees: Sequence[Tree], one: Classes, other: Classes) -> Classes:
    """Return the classes of records put together: labels are the lower of two, marks and keys of both, sizes multiplied.

    Labels that lie on one path with the lowest of several lie on one path with all of them, so the lowest is enough to go on.
    """
    refuse_uncountable(one, other)
    matched, start = together(trees, one, other)
    hers = np.repeat(np.arange(len(other)), np.diff(start))
    nodes = np.maximum(one.nodes[matched], other.nodes[hers])
    marks = one.marks[matched] | other.marks[hers]
    keys = np.hstack([one.keys[matched], other.keys[hers]])
    weights = one.weights[matched] * other.weights[hers]
    distinct, place = distinct_rows(np.column_stack([marks, nodes, keys]).astype(np.int64))
    width = nodes.shape[1] + 1
    return Classes(
        distinct[:, 1:width].astype(np.int32),
        distinct[:, 0],
        distinct[:, width:].astype(np.int32),
        summed(place, weights, len(distinct)),
    )


def summed(place: Ints, weights: Ints, count: int) -> Ints:
    """Return the weights added up by place; whole numbers, however large."""
    total = np.zeros(count, np.int64)
    np.add.at(total, place, weights)
    return total


def refuse_uncountable(one: Classes, other: Classes) -> None:
    """Refuse a join whose rows need more than 64 bits to be counted."""
    if float(one.weights.sum(dtype=np.float64)) * float(other.weights.sum(dtype=np.float64)) >= MOST:
        raise Unsupported("the join of these releases may have more than 2^62 rows, which nobody counts here")
