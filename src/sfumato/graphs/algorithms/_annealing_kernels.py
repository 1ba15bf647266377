"""Kernels of super-nodes: simulated annealing over partitions, by the logarithm of the number of possible worlds."""

from __future__ import annotations

import math

import numpy as np

from sfumato.kernels.arrays import Codes, Ints
from sfumato.kernels.jit import njit

__all__ = ["anneal"]


@njit(cache=True)
def _choices(room: int, count: int) -> float:
    """Return the logarithm of the number of ways to choose ``count`` of ``room``."""
    return math.lgamma(room + 1.0) - math.lgamma(count + 1.0) - math.lgamma(room - count + 1.0)


@njit(cache=True)
def _terms(weights: Ints, sizes: Ints, one: int, other: int, count: int) -> float:
    """Return the terms of all pairs that one of two super-nodes is in."""
    out = 0.0
    for third in range(count):
        if weights[one, third] > 0:
            room = sizes[one] * (sizes[one] - 1) // 2 if third == one else sizes[one] * sizes[third]
            out += _choices(room, weights[one, third])
        if other != one and third != one and weights[other, third] > 0:
            room = sizes[other] * (sizes[other] - 1) // 2 if third == other else sizes[other] * sizes[third]
            out += _choices(room, weights[other, third])
    return out


@njit(cache=True)
def _shift(starts: Ints, targets: Codes, member: Ints, sizes: Ints, weights: Ints, node: int, to: int) -> None:
    """Move a node to another super-node; sizes and weights follow."""
    own = member[node]
    for at in range(starts[node], starts[node + 1]):
        third = member[targets[at]]
        weights[own, third] -= 1
        if third != own:
            weights[third, own] -= 1
        weights[to, third] += 1
        if third != to:
            weights[third, to] += 1
    sizes[own] -= 1
    sizes[to] += 1
    member[node] = to


@njit(cache=True)
def anneal(
    starts: Ints,
    targets: Codes,
    member: Ints,
    k: int,
    proposals: int,
    heat: float,
    cooling: float,
    epochs: int,
    rng: np.random.Generator,
) -> tuple[Ints, float]:
    """Return the best partition that was met and the logarithm of its worlds.

    Each proposal moves a node, exchanges two, splits a super-node or joins two; no super-node gets smaller than k. A better one
    is taken, a worse one with ``exp(-delta / temperature)``, which cools by a factor each epoch; an epoch in which fewer than a
    tenth are taken is the last.
    """
    nodes = len(member)
    most = max(nodes // k, 1)
    count = most
    sizes = np.zeros(count, np.int64)
    weights = np.zeros((count, count), np.int64)
    for node in range(nodes):
        sizes[member[node]] += 1
    for node in range(nodes):
        for at in range(starts[node], starts[node + 1]):
            if node < targets[at]:
                one, other = member[node], member[targets[at]]
                weights[one, other] += 1
                if one != other:
                    weights[other, one] += 1
    cost = 0.0
    for one in range(count):
        for other in range(one, count):
            if weights[one, other] > 0:
                room = sizes[one] * (sizes[one] - 1) // 2 if one == other else sizes[one] * sizes[other]
                cost += _choices(room, weights[one, other])
    best, kept = cost, member.copy()
    moved = np.empty(nodes, np.int64)
    origin = np.empty(nodes, np.int64)
    for _ in range(epochs):
        taken = 0
        for _ in range(proposals):
            kind = rng.integers(0, 10)
            drawn = rng.integers(0, nodes)
            own = member[drawn]
            many = 0
            other = own
            if kind < 5:  # move a node to the super-node of another, often of a neighbour
                near = starts[drawn + 1] - starts[drawn]
                second = (
                    targets[starts[drawn] + rng.integers(0, near)] if near > 0 and kind < 3 else rng.integers(0, nodes)
                )
                if near > 0 and kind == 2:  # or of a neighbour's neighbour
                    further = starts[second + 1] - starts[second]
                    second = targets[starts[second] + rng.integers(0, further)]
                other = member[second]
                if other == own or sizes[own] <= k:
                    continue
                moved[0] = drawn
                many = 1
            elif kind < 8:  # exchange two nodes
                second = rng.integers(0, nodes)
                other = member[second]
                if other == own:
                    continue
                moved[0], moved[1] = drawn, second
                many = 2
            elif kind == 8:  # split
                if sizes[own] < 2 * k:
                    continue
                other = -1
                for free in range(count):
                    if sizes[free] == 0:
                        other = free
                        break
                if other < 0:
                    continue
                left = sizes[own]
                for third in range(nodes):
                    if member[third] == own and left - many > k and (rng.random() < 0.5 or many < k):
                        moved[many] = third
                        many += 1
                if many < k or left - many < k:
                    continue
            else:  # join
                other = member[rng.integers(0, nodes)]
                if other == own:
                    continue
                for third in range(nodes):
                    if member[third] == own:
                        moved[many] = third
                        many += 1
            before = _terms(weights, sizes, own, other, count)
            for at in range(many):
                origin[at] = member[moved[at]]
            for at in range(many):
                goal = own if kind >= 5 and kind < 8 and at == 1 else other
                _shift(starts, targets, member, sizes, weights, moved[at], goal)
            delta = _terms(weights, sizes, own, other, count) - before
            if delta <= 0 or rng.random() < math.exp(-delta / heat):
                cost += delta
                if delta != 0:
                    taken += 1
                if cost < best - 1e-9:
                    best = cost
                    kept[:] = member
            else:
                for at in range(many - 1, -1, -1):
                    _shift(starts, targets, member, sizes, weights, moved[at], origin[at])
        heat *= cooling
        if taken * 10 < proposals and heat < 0.05:
            break
    return kept, best
