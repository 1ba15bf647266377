"""The kernel of sequences of places: who goes on to which place after a sequence, and where in the path."""

from __future__ import annotations

import numpy as np

from sfumato.kernels.arrays import Codes, Ints
from sfumato.kernels.jit import njit

__all__ = ["onward"]


@njit(cache=True)
def onward(starts: Ints, places: Codes, persons: Ints, at: Ints, width: int) -> tuple[Ints, Ints, Ints]:
    """Return for each place the persons who are there at or after ``at``: starts by place, persons, and the point after it.

    ``at`` are points of the persons' paths; the first visit of a place counts, which leaves most room for what follows.
    """
    seen = np.full(width, -1, np.int64)
    counts = np.zeros(width + 1, np.int64)
    for one in range(len(persons)):
        for point in range(at[one], starts[persons[one] + 1]):
            if seen[places[point]] != one:
                seen[places[point]] = one
                counts[places[point] + 1] += 1
    bounds = np.cumsum(counts)
    filled = bounds[:-1].copy()
    who, where = np.empty(bounds[-1], np.int64), np.empty(bounds[-1], np.int64)
    seen[:] = -1
    for one in range(len(persons)):
        for point in range(at[one], starts[persons[one] + 1]):
            place = places[point]
            if seen[place] != one:
                seen[place] = one
                who[filled[place]] = persons[one]
                where[filled[place]] = point + 1
                filled[place] += 1
    return bounds, who, where
