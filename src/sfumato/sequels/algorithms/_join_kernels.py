"""Worst values on X among parts of a release, counted against the classes of earlier ones without writing the join out."""

from __future__ import annotations

import numpy as np

from sfumato.kernels.arrays import Array, Ints
from sfumato.kernels.jit import njit

__all__ = ["unmet", "worst_of_parts"]


@njit(cache=True, nogil=True)
def worst_of_parts(
    start: Array,
    cell: Array,
    value: Array,
    weight: Array,
    listed_start: Array,
    listed: Array,
    atom_x: Array,
    atom_xy: Array,
    atom_weight: Array,
    x_of_xy: Array,
    value_counts: Array,
    xy_counts: Array,
    largest: Array,
    whole: Array,
    distinct: Array,
    rows: Array,
) -> None:
    """Set for each part the largest share as ``largest / whole``, the fewest values on Y and the fewest joined rows.

    A part is a value on X of the new release; its entries ``start[p]:start[p + 1]`` are (value on Y, cell, records), the same
    values side by side. ``listed[listed_start[c]:listed_start[c + 1]]`` are the atoms, classes of the earlier releases, that go
    with a cell: each has a number of its value on X, one of its values on X and Y, and its weight. Shares count for values and
    numbers that are marked. A part that goes with nobody has share 0 of 1 and counts without bound.
    """
    total = np.zeros(len(x_of_xy), np.int64)  # there are at least as many values on X and Y as values on X
    kinds = np.zeros(len(x_of_xy), np.int64)
    seen = np.full(len(x_of_xy), -1, np.int64)
    met = np.empty(len(x_of_xy), np.int64)
    sums = np.zeros(len(x_of_xy), np.int64)
    counted = np.full(len(x_of_xy), -1, np.int64)
    touched = np.empty(len(x_of_xy), np.int64)
    run = 0
    for part in range(len(start) - 1):
        found = 0
        for entry in range(start[part], start[part + 1]):
            for at in range(listed_start[cell[entry]], listed_start[cell[entry] + 1]):
                x = atom_x[listed[at]]
                if seen[x] != part:
                    seen[x] = part
                    total[x] = 0
                    kinds[x] = 0
                    met[found] = x
                    found += 1
                total[x] += atom_weight[listed[at]] * weight[entry]
        largest[part] = 0
        whole[part] = 1
        entry = start[part]
        while entry < start[part + 1]:
            shown = value[entry]
            pairs = 0
            while entry < start[part + 1] and value[entry] == shown:
                for at in range(listed_start[cell[entry]], listed_start[cell[entry] + 1]):
                    both = atom_xy[listed[at]]
                    if counted[both] != run:
                        counted[both] = run
                        sums[both] = 0
                        touched[pairs] = both
                        pairs += 1
                    sums[both] += atom_weight[listed[at]] * weight[entry]
                entry += 1
            for at in range(pairs):
                both = touched[at]
                x = x_of_xy[both]
                kinds[x] += 1
                protected = value_counts[shown] and xy_counts[both]
                if protected and sums[both] / total[x] > largest[part] / whole[part]:
                    largest[part] = sums[both]
                    whole[part] = total[x]
            run += 1
        distinct[part] = np.iinfo(np.int64).max
        rows[part] = np.iinfo(np.int64).max
        for at in range(found):
            distinct[part] = min(distinct[part], kinds[met[at]])
            rows[part] = min(rows[part], total[met[at]])


def unmet(parts: int) -> tuple[Ints, Ints, Ints, Ints]:
    """Return room for what :func:`worst_of_parts` sets."""
    return np.zeros(parts, np.int64), np.ones(parts, np.int64), np.zeros(parts, np.int64), np.zeros(parts, np.int64)
