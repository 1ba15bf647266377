"""Kernels of communities: nodes move to where most of their links are, as long as modularity grows."""

from __future__ import annotations

import numpy as np

from sfumato.kernels.arrays import Codes, Floats, Ints
from sfumato.kernels.jit import njit

__all__ = ["moved_members"]


@njit(cache=True)
def moved_members(starts: Ints, targets: Codes, weights: Floats, inside: Floats, rounds: int) -> Ints:
    """Return the community of each node after moving one after another, in order, while one gains; at most so many rounds.

    ``inside`` is the weight of links from each node to itself. The gain of a community for a node is the weight of the links
    there, less what its strength and the node's would give by chance; of equal ones the first is taken.
    """
    nodes = len(starts) - 1
    member = np.arange(nodes)
    strength = 2.0 * inside
    for node in range(nodes):
        for at in range(starts[node], starts[node + 1]):
            strength[node] += weights[at]
    total = strength.copy()
    whole = strength.sum()
    toward = np.zeros(nodes)
    met = np.empty(nodes, np.int64)
    for _ in range(rounds):
        moves = 0
        for node in range(nodes):
            own = member[node]
            count = 0
            for at in range(starts[node], starts[node + 1]):
                there = member[targets[at]]
                if toward[there] == 0.0:
                    met[count] = there
                    count += 1
                toward[there] += weights[at]
            total[own] -= strength[node]
            best, most = own, toward[own] - total[own] * strength[node] / whole
            for at in range(count):
                there = met[at]
                gain = toward[there] - total[there] * strength[node] / whole
                if gain > most + 1e-9 or (gain > most - 1e-9 and best != own and there < best):
                    best, most = there, gain
            for at in range(count):
                toward[met[at]] = 0.0
            total[best] += strength[node]
            if best != own:
                member[node] = best
                moves += 1
        if moves == 0:
            break
    return member
