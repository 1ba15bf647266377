"""Assignments of least cost: of all of them the one that comes first, row by row."""

from __future__ import annotations

import numpy as np

from sfumato.contracts.run import Run
from sfumato.errors import Unsupported
from sfumato.kernels.arrays import Bools, Ints

__all__ = ["LARGEST", "first_assignment"]

LARGEST = 2_000  # rows: the time grows with the cube of their number


def first_assignment(costs: Ints, run: Run) -> Ints:
    """Return the column of each row so that the sum is least and, among equals, the list of columns comes first.

    Whole costs, at least as many columns as rows. SciPy finds some assignment of least cost. It gives prices of columns with
    which no pair is cheaper than its row's own; pairs that are not dearer either make up all assignments of least cost, and
    a row can take such a column if its owner leads back to the row by such pairs.

    >>> import numpy as np
    >>> first_assignment(np.array([[1, 1], [1, 1]]), Run()).tolist()
    [0, 1]
    """
    try:
        from scipy.optimize import linear_sum_assignment
    except ImportError:
        raise Unsupported("one-to-one linkage needs SciPy: install sfumato[graphs]", thing="scipy") from None
    rows, width = costs.shape
    square = np.zeros((width, width), np.int64)  # rows beyond the last cost nothing and take what is left
    square[:rows] = costs
    chosen = np.asarray(linear_sum_assignment(square)[1], np.int64)
    tight = _tight(square, chosen, run)
    run.stage("ties", rows)
    for row in range(rows):
        if row % 64 == 0:
            run.tick(row)
        # Columns before its own that a later row holds; owners[s] is the column of row s, so column s of `tight` is its.
        wanted = np.flatnonzero(tight[row] & (chosen < chosen[row]))
        wanted = wanted[wanted > row]
        if len(wanted):
            _rotate(chosen, tight, row, wanted)
    return chosen[:rows]


def _tight(costs: Ints, chosen: Ints, run: Run) -> Bools:
    """Return which rows could take the column that each row holds at no further cost."""
    own = costs[np.arange(len(chosen)), chosen]
    more = costs[:, chosen] - own[:, None]
    prices = np.zeros(len(chosen), np.int64)
    while True:  # ends: an assignment of least cost has no cycle that would make it cheaper
        run.checkpoint()
        lower = (more + prices[:, None]).min(axis=0, initial=0)
        if np.array_equal(lower := np.minimum(prices, lower), prices):
            break
        prices = lower
    return np.asarray(more + prices[:, None] - prices == 0)


def _rotate(chosen: Ints, tight: Bools, row: int, wanted: Ints) -> None:
    """Give a row the first column that it can have, and pass the others on along a way back; rows before it stay."""
    after = np.full(len(chosen), -1, np.int64)  # the next row on the way back to this one
    reached = np.zeros(len(chosen), bool)
    reached[: row + 1] = True
    front = np.array([row])
    while len(front):
        steps = tight[:, front] & ~reached[:, None]
        new = np.flatnonzero(steps.any(axis=1))
        after[new] = front[steps[new].argmax(axis=1)]
        reached[new] = True
        front = new
    able = wanted[after[wanted] >= 0]
    if not len(able):
        return
    best = int(able[chosen[able].argmin()])
    ring = [best]
    while ring[-1] != row:
        ring.append(int(after[ring[-1]]))
    # Each takes the column of the next on the way; this row takes that of the first.
    held = chosen[ring]
    chosen[ring] = np.roll(held, -1)
    # What column s of `tight` means moves with the columns.
    tight[:, ring] = tight[:, np.roll(ring, -1)]
