"""Kernels of a linear chain: scores of tokens, the best sequence of labels, and how likely each label is at each place."""

from __future__ import annotations

import numpy as np

from sfumato.kernels.arrays import Floats, Ints
from sfumato.kernels.jit import njit

__all__ = ["best_labels", "label_chances", "state_scores"]


@njit(cache=True)
def state_scores(rows: Ints, weights: Floats) -> Floats:
    """Return the score of each label at each place: the sum of the weights of the attributes in its row; -1 is none."""
    out = np.zeros((rows.shape[0], weights.shape[1]))
    for at in range(rows.shape[0]):
        for column in range(rows.shape[1]):
            row = rows[at, column]
            if row >= 0:
                for label in range(weights.shape[1]):
                    out[at, label] += weights[row, label]
    return out


@njit(cache=True)
def best_labels(scores: Floats, moves: Floats, first: Floats) -> Ints:
    """Return the sequence of labels with the highest sum of scores, moves and the first label's own; ties to the lowest."""
    length, labels = scores.shape
    out = np.zeros(length, np.int64)
    if length == 0:
        return out
    back = np.zeros((length, labels), np.int16)
    held = scores[0] + first
    for at in range(1, length):
        ahead = np.empty(labels)
        for label in range(labels):
            best, chosen = -np.inf, 0
            for other in range(labels):
                value = held[other] + moves[other, label]
                if value > best:
                    best, chosen = value, other
            ahead[label] = best + scores[at, label]
            back[at, label] = chosen
        held = ahead
    out[length - 1] = np.argmax(held)
    for at in range(length - 1, 0, -1):
        out[at - 1] = back[at, out[at]]
    return out


@njit(cache=True)
def label_chances(scores: Floats, moves: Floats, first: Floats) -> Floats:
    """Return how likely each label is at each place, by forward and backward sums that are scaled place by place."""
    length, labels = scores.shape
    forward = np.zeros((length, labels))
    if length == 0:
        return forward
    steps = np.exp(moves)
    for at in range(length):
        top = np.max(scores[at])
        total = 0.0
        for label in range(labels):
            value = 0.0
            if at == 0:
                value = np.exp(first[label])
            else:
                for other in range(labels):
                    value += forward[at - 1, other] * steps[other, label]
            forward[at, label] = value * np.exp(scores[at, label] - top)
            total += forward[at, label]
        for label in range(labels):
            forward[at, label] /= total
    behind = np.ones(labels)
    for at in range(length - 2, -1, -1):
        top = np.max(scores[at + 1])
        ahead = np.zeros(labels)
        total = 0.0
        for label in range(labels):
            for other in range(labels):
                ahead[label] += steps[label, other] * np.exp(scores[at + 1, other] - top) * behind[other]
            total += ahead[label]
        behind = ahead / total
        total = 0.0
        for label in range(labels):
            forward[at, label] *= behind[label]
            total += forward[at, label]
        for label in range(labels):
            forward[at, label] /= total
    return forward
