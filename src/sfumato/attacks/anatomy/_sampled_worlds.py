"""Sampled beliefs: walk from world to world by exchanging two sensitive values inside a group, and count where it leads."""

from __future__ import annotations

import numpy as np

from sfumato.attacks.anatomy._cells import Cells
from sfumato.contracts.run import Run
from sfumato.kernels.arrays import Floats, Ints

__all__ = ["sampled_beliefs"]

BURN_IN = 5  # one in so many sweeps only serves to forget the first world


def sampled_beliefs(
    cells: Cells, alpha: float, shares: Floats, sweeps: int, rng: np.random.Generator, run: Run
) -> Floats:
    """Return the belief in each value of each cell, from the worlds after each sweep.

    A sweep tries as many exchanges as there are records in open groups. The belief of random worlds counts as one more
    sample: a value that was never met stays possible.
    """
    from sfumato.attacks.anatomy._swap_kernels import swap_values, tally_values
    from sfumato.kernels.compiled import announce_compilation

    groups, histogram = cells.open_groups, cells.histogram
    beliefs = shares.copy()
    if not len(groups):
        return beliefs
    announce_compilation()
    run.stage("sampling worlds", sweeps)
    sizes = histogram.totals()[groups]
    number = np.repeat(np.arange(len(groups)), sizes)  # of the group of each record in open groups
    first = np.repeat(np.cumsum(sizes) - sizes, sizes)
    is_open = np.isin(cells.group, groups)
    cell = np.repeat(np.flatnonzero(is_open), cells.size[is_open])
    slot = _first_world(cells, groups, number, rng)
    value_start = histogram.start[groups][number]
    counts = np.rint(cells.settled(shares)).astype(np.int64)
    code = histogram.code[value_start + slot]
    for column in cells.rows.T:
        row = column[cell]
        np.add.at(counts, (row[row >= 0], code[row >= 0]), 1)
    tally = np.zeros(len(shares), np.int64)
    burn_in = sweeps // BURN_IN
    for sweep in range(sweeps):
        draws = rng.random((len(cell), 3))
        swap_values(
            draws, slot, cell, first, sizes[number], value_start, histogram.code, cells.rows, counts, float(alpha)
        )
        if sweep >= burn_in:
            tally_values(slot, cell, cells.entry, tally)
        run.tick(sweep + 1)
    entries = np.repeat(is_open, np.diff(cells.entry))
    size = np.repeat(cells.size, np.diff(cells.entry))[entries]
    beliefs[entries] = (tally[entries] / size + shares[entries]) / (sweeps - burn_in + 1)
    return beliefs


def _first_world(cells: Cells, groups: Ints, number: Ints, rng: np.random.Generator) -> Ints:
    """Return a world drawn at random: for each record the place of its value among those of its group."""
    histogram = cells.histogram.taken(groups)
    own = np.arange(len(histogram.code)) - np.repeat(histogram.start[:-1], histogram.distinct())
    listed = np.repeat(own, histogram.count)
    return listed[np.lexsort((rng.random(len(listed)), number))]
