"""Kernel of (k,e)-permutation: cut sorted numbers into runs that are diverse and wide enough, at the least cost."""

from __future__ import annotations

import numpy as np

from sfumato.kernels.arrays import Array, Codes, Floats, Ints
from sfumato.kernels.jit import njit, whole

__all__ = ["cheapest_runs", "run_starts"]


@njit(cache=True, nogil=True)
def _precedes(cost: Array, runs: Array, numbers: Array, i: int, j: int) -> bool:
    """Tell whether a run should rather start at i than at j: cheaper, or as cheap with more runs before it."""
    mine, other = cost[i] - numbers[i], cost[j] - numbers[j]
    first: bool = mine < other or (mine == other and runs[i] > runs[j])
    return first


@njit(cache=True, nogil=True)
def cheapest_runs(
    numbers: Array, rank: Array, k: int, e: float, least: float, widest: float
) -> tuple[Floats, Codes, Codes, float]:
    """Return for each prefix the least sum of ranges, the number of runs in it, and where its last run starts.

    The last number is the least limit above ``widest`` that may give anything else.

    ``numbers`` rise and ``rank`` numbers the different ones. A run needs k different numbers and a range of which the
    quotient by ``e`` is at least ``least`` (no range if e is 0), and may not be wider than ``widest``. The cost of the
    prefix of length j is ``numbers[j-1] + min(cost[i] - numbers[i])`` over the starts i that are far enough away and not
    too far; both ends of this window only move up, so a queue holds its minimum. A prefix that cannot be cut costs
    infinity.
    """
    n = len(numbers)
    cost, runs, start = np.full(n + 1, np.inf), np.zeros(n + 1, np.int32), np.full(n + 1, -1, np.int32)
    cost[0] = 0.0
    queue = np.empty(n + 1, np.int32)
    head, tail = 0, 0
    far = whole(0)  # starts below it are far enough away
    wider = np.inf
    for j in range(1, n + 1):
        top, seen = numbers[j - 1], rank[j - 1] + 1
        while far < j and seen - rank[far] >= k and (e == 0.0 or (top - numbers[far]) / e >= least):
            if cost[far] < np.inf:
                while tail > head and _precedes(cost, runs, numbers, far, queue[tail - 1]):
                    tail -= 1
                queue[tail] = far
                tail += 1
            far += 1
        while head < tail and top - numbers[queue[head]] > widest:
            wider = min(wider, top - numbers[queue[head]])
            head += 1
        if head < tail:
            i = queue[head]
            cost[j], runs[j], start[j] = cost[i] + (top - numbers[i]), runs[i] + 1, i
    return cost, runs, start, wider


@njit(cache=True, nogil=True)
def run_starts(start: Array, count: int) -> Ints:
    """Return where each of the ``count`` runs of the whole starts, following the starts of last runs from the end."""
    out = np.empty(count, np.int64)
    at = len(start) - 1
    for run in range(count - 1, -1, -1):
        at = start[at]
        out[run] = at
    return out
