"""Kernels over the nodes of a lattice kept as one flat array: what a node would settle, and which settle most together."""

from __future__ import annotations

import numpy as np

from sfumato.kernels.arrays import Array
from sfumato.kernels.jit import njit

__all__ = ["apart", "best_guess", "count_below", "expected"]


@njit(cache=True, nogil=True)
def count_below(weights: Array, step: Array, steps: int, strides: Array, shape: Array) -> Array:
    """Return for each place and step the weights of the nodes of that step at or below it, as ``places x steps``."""
    size = len(weights)
    out = np.zeros((size, steps), np.float32)
    for place in range(size):
        out[place, step[place]] = weights[place]
    flat = out.reshape(-1)
    for i in range(len(shape)):
        stride, extent = strides[i] * steps, shape[i]
        for begin in range(0, len(flat), stride * extent):
            for at in range(begin + stride, begin + stride * extent):
                flat[at] += flat[at - stride]
    return out


@njit(cache=True, nogil=True)
def expected(
    weights: Array, below: Array, guess: Array, odds: Array, error: float, counted: Array, known: Array, over: int
) -> Array:
    """Return the weight of the nodes that each place should settle: those below it for which it leaves out enough records.

    ``guess`` are log odds of what a place leaves out, ``odds`` those that each step asks for. A ``known`` place never reaches
    steps from ``over`` on. A place settles at least itself, a counted one nothing more.
    """
    size, steps = below.shape
    out = np.zeros(size, np.float64)
    for place in range(size):
        if counted[place]:
            continue
        gain = 0.0
        for t in range(min(steps, over) if known[place] else steps):
            gain += below[place, t] * min(max(0.5 + (guess[place] - odds[t]) / (4.0 * error), 0.0), 1.0)
        out[place] = max(gain, weights[place])
    return out


@njit(cache=True, nogil=True)
def best_guess(numbers: Array, guess: Array, base: Array, rate: Array, records: float, may: float, best: float) -> int:
    """Return the open place that should cost least and leave out no more than it may, if less than ``best``; else -1."""
    found = -1
    for place in range(len(numbers)):
        if numbers[place] < np.inf and base[place] < best and guess[place] <= may:
            cost = base[place] + rate[place] * records / (1.0 + np.exp(-guess[place]))
            if cost < best:
                best, found = cost, place
    return found


@njit(cache=True, nogil=True)
def apart(gains: Array, numbers: Array, places: Array, strides: Array, most: int) -> Array:
    """Return up to so many places with the largest gains, less what is gained at the meet with one chosen before.

    It ends where a gain is less than half of the first. Of equal gains the lowest number decides, then the first place.
    """
    depth, size = len(strides), len(places)
    levels = np.empty((size, depth), np.int64)
    for at in range(size):
        left = places[at]
        for i in range(depth):
            levels[at, i] = left // strides[i]
            left -= levels[at, i] * strides[i]
    shared = np.zeros(size)
    out = np.empty(most, np.int64)
    count = 0
    first = 0.0
    while count < most:
        best = -1
        gain = 0.0
        for at in range(size):
            own = gains[places[at]] - shared[at]
            if own > gain or (own == gain and best >= 0 and numbers[places[at]] < numbers[places[best]]):
                best, gain = at, own
        if best < 0 or 2.0 * gain < first:
            break
        if count == 0:
            first = gain
        out[count] = places[best]
        count += 1
        for at in range(size):
            meet = 0
            for i in range(depth):
                meet += min(levels[at, i], levels[best, i]) * strides[i]
            shared[at] = max(shared[at], gains[meet])
        shared[best] = np.inf
    return out[:count]
