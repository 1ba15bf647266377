"""Kernel of expected worlds: how likely each record of a group has each of its values, if records speak for themselves.

``odds[cell, value]`` says how well a value suits a record. The values of a group are given out without anything left over,
so what one record takes the others cannot have. Small groups are summed over all ways to give values out, one record after
the other; in large ones rows and columns are scaled in turn until all sums fit, which is then close to it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sfumato.kernels.jit import njit, whole

__all__ = ["count_values", "expect_values", "given_out", "scaled"]

Array = Any

_STATES = 1024  # what may be left of the values of a group, at most, to sum over
_WORK = 1 << 15  # and that times its records
_ROUNDS = whole(60)
_BEFORE = whole(5)  # rounds of scaling before a small group is summed up
_LEAST = 1e-100  # odds below this are not told apart


@njit(cache=True, nogil=True)
def given_out(odds: Array, size: Array, count: Array) -> Array:
    """Return the chance of each value for a record of each cell, summed over all ways to give the values out."""
    cells, values = odds.shape
    step = np.ones(values + 1, np.int64)
    for value in range(values):
        step[value + 1] = step[value] * (count[value] + 1)
    states, records = step[values], size.sum()
    owner = np.repeat(np.arange(cells), size)
    left = np.empty((states, values), np.bool_)  # whether a value can still be given; asked for again and again below
    for state in range(states):
        for value in range(values):
            left[state, value] = state // step[value] % (count[value] + 1) < count[value]
    # ahead[r, x]: the weight of giving x to the first r records; x is how often each value was given, as one number.
    ahead = np.zeros((records + 1, states))
    ahead[0, 0] = 1.0
    for record in range(records):
        most = 0.0
        for state in range(states):
            weight = ahead[record, state]
            if weight == 0.0:
                continue
            for value in range(values):
                if left[state, value]:
                    after = state + step[value]
                    ahead[record + 1, after] += weight * odds[owner[record], value]
                    most = max(most, ahead[record + 1, after])
        if most > 0.0:
            ahead[record + 1] /= most
    out = np.zeros((cells, values))
    behind, before = np.zeros(states), np.zeros(states)
    behind[states - 1] = 1.0
    for record in range(records - 1, -1, -1):
        cell = owner[record]
        chance = np.zeros(values)
        before[:] = 0.0
        most = 0.0
        for state in range(states):
            weight = ahead[record, state]
            if weight == 0.0:
                continue
            for value in range(values):
                if left[state, value]:
                    rest = behind[state + step[value]] * odds[cell, value]
                    chance[value] += weight * rest
                    before[state] += rest
            most = max(most, before[state])
        out[cell] = chance / chance.sum()  # records of a cell are alike: the last one looked at speaks for all
        if most > 0.0:
            before /= most
        behind, before = before, behind
    return out


@njit(cache=True, nogil=True)
def scaled(odds: Array, size: Array, count: Array, rounds: int) -> Array:
    """Return chances whose rows add up to 1 and whose columns add up to the counts, as near to the odds as can be."""
    cells, values = odds.shape
    out = odds.copy()
    for _ in range(rounds):
        worst = 0.0
        for value in range(values):
            held = 0.0
            for cell in range(cells):
                held += size[cell] * out[cell, value]
            worst = max(worst, abs(held - count[value]))
            for cell in range(cells):
                out[cell, value] *= count[value] / held
        for cell in range(cells):
            out[cell] /= out[cell].sum()
        if worst < 1e-9:
            break
    return out


@njit(cache=True, nogil=True)
def expect_values(
    groups: Array,
    cell_start: Array,
    size: Array,
    rows: Array,
    entry: Array,
    value_start: Array,
    code: Array,
    count: Array,
    counts: Array,
    alpha: float,
    beliefs: Array,
    out: Array,
) -> float:
    """Write new beliefs about the open groups, from counts that the old ones led to.

    Return the mean change of a record: how much belief moves from some values to others.
    """
    moved, held = 0.0, 0
    for group in groups:
        low, high = cell_start[group], cell_start[group + 1]
        start, end = value_start[group], value_start[group + 1]
        odds = np.ones((high - low, end - start))
        for cell in range(low, high):
            for at in range(rows.shape[1]):
                row = rows[cell, at]
                if row < 0:
                    continue
                most = 0.0
                for value in range(end - start):
                    # A record is no evidence about itself.
                    others = counts[row, code[start + value]] - beliefs[entry[cell] + value]
                    odds[cell - low, value] = max(odds[cell - low, value] * (alpha + max(others, 0.0)), _LEAST)
                    most = max(most, odds[cell - low, value])
                odds[cell - low] /= most
        inside, mine = count[start:end], size[low:high]
        states, records = 1, mine.sum()
        for value in range(len(inside)):
            states = min(states * (inside[value] + 1), _STATES + 1)
        if states <= _STATES and states * records <= _WORK:
            # Scaling rows and columns changes no chance, and keeps products of many odds from vanishing.
            found = given_out(scaled(odds, mine, inside, _BEFORE), mine, inside)
        else:
            found = scaled(odds, mine, inside, _ROUNDS)
        for cell in range(low, high):
            for value in range(end - start):
                moved += size[cell] * abs(found[cell - low, value] - beliefs[entry[cell] + value]) / 2
                out[entry[cell] + value] = found[cell - low, value]
        held += records
    return moved / max(held, 1)


@njit(cache=True, nogil=True)
def count_values(
    groups: Array,
    cell_start: Array,
    size: Array,
    rows: Array,
    entry: Array,
    value_start: Array,
    code: Array,
    beliefs: Array,
    counts: Array,
) -> None:
    """Add how often each value of a quasi-identifier goes with each sensitive value, as far as beliefs say."""
    for group in groups:
        start, end = value_start[group], value_start[group + 1]
        for cell in range(cell_start[group], cell_start[group + 1]):
            for at in range(rows.shape[1]):
                row = rows[cell, at]
                if row >= 0:
                    for value in range(end - start):
                        counts[row, code[start + value]] += size[cell] * beliefs[entry[cell] + value]
