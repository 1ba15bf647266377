"""Optimal (k,e)-anonymous groups of a numeric column: runs of sorted values with the least error.

Groups that overlap can be merged without raising the sum of their ranges, so of all partitions one into runs of sorted
values has the least sum. That is not so for the largest range: of 1, 2, 3, 4 with e = 2 the groups {1, 3} and {2, 4} have
the ranges 2 and 2, the only run has 3. Reference: Zhang, Koudas, Srivastava, Yu, "Aggregate query answering on anonymized
tables", 2007.
"""

from __future__ import annotations

import numpy as np

from sfumato.algorithms.groupings._value_run_kernels import cheapest_runs, run_starts
from sfumato.data.frozen import frozen
from sfumato.kernels.arrays import Floats, Ints

__all__ = ["Runs", "optimal_runs"]


@frozen(eq=False)
class Runs:
    """Runs of sorted values, by the positions where they start, with their ranges."""

    starts: Ints
    ranges: Floats

    @property
    def error_sum(self) -> float:
        """The sum of the ranges."""
        return float(self.ranges.sum())

    @property
    def error_max(self) -> float:
        """The largest range."""
        return float(self.ranges.max())

    def numbers(self, values: int) -> Ints:
        """Return the run of each of the sorted values, from 0."""
        return np.repeat(np.arange(len(self.starts)), np.diff(np.append(self.starts, values)))


def optimal_runs(values: Floats, k: int, e: float, error: str = "sum", slack: float = 0.0) -> Runs | None:
    """Return the runs of sorted values with the least error, or ``None`` if not even the whole is a group.

    Every run holds at least k different values and spans at least e (or misses it by a share of at most ``slack``). ``sum``
    minimizes the sum of the ranges; ``max`` the largest range, and then the sum. Among equally good partitions the one
    with most runs is taken.

    >>> found = optimal_runs(np.array([30, 32, 35, 40, 41, 50, 52, 60, 75.0]), 2, 5)
    >>> found.starts.tolist(), found.error_sum
    ([0, 3, 7], 32.0)
    """
    rank = np.zeros(len(values), np.int32)
    np.cumsum(values[1:] != values[:-1], out=rank[1:])
    numbers = np.ascontiguousarray(values, np.float64)

    def within(widest: float) -> tuple[Runs | None, float]:
        cost, runs, start, wider = cheapest_runs(numbers, rank, k, float(e), 1.0 - slack, widest)
        if not np.isfinite(cost[-1]):
            return None, wider
        first = run_starts(start, runs[-1])
        last = np.append(first[1:], len(numbers)) - 1
        return Runs(first, numbers[last] - numbers[first]), wider

    best, _ = within(np.inf)
    if best is None or error == "sum":
        return best
    # A failure repeats itself up to the next range that was too wide, so halving the interval ends at the exact optimum.
    found, low = within(0.0)
    if found is not None:
        return found
    while low < best.error_max:
        found, wider = within(min(low + (best.error_max - low) / 2, np.nextafter(best.error_max, 0.0)))
        if found is None:
            low = wider
        else:
            best = found
    # The last success may have been cut under a looser limit than the optimum.
    return within(best.error_max)[0]
