"""Expected beliefs: soft assignments and what they say about quasi-identifiers and values, in turn, until nothing changes."""

from __future__ import annotations

from sfumato.attacks.anatomy._cells import Cells
from sfumato.contracts.run import Run
from sfumato.kernels.arrays import Floats

__all__ = ["expected_beliefs"]

SETTLED = 1e-4  # beliefs that change less than this on average have settled


def expected_beliefs(cells: Cells, alpha: float, shares: Floats, rounds: int, run: Run) -> tuple[Floats, int, float]:
    """Return the belief in each value of each cell, the rounds it took, and the last mean change.

    It begins with random worlds. A round counts how often each value of a quasi-identifier goes with each sensitive value, as
    far as the beliefs say; then a record's odds for a value are the product of these counts, smoothed and without the record
    itself; then the values of each group are given out by these odds.
    """
    from sfumato.attacks.anatomy._soft_world_kernels import count_values, expect_values
    from sfumato.kernels.compiled import announce_compilation

    groups, histogram = cells.open_groups, cells.histogram
    beliefs, settled = shares.copy(), cells.settled(shares)
    if not len(groups):
        return beliefs, 0, 0.0
    announce_compilation()
    run.stage("expecting worlds", rounds)
    done, change = 0, 1.0
    new = beliefs.copy()
    while done < rounds and change > SETTLED:
        counts = settled.copy()
        count_values(
            groups, cells.start, cells.size, cells.rows, cells.entry, histogram.start, histogram.code, beliefs, counts
        )
        change = expect_values(
            groups,
            cells.start,
            cells.size,
            cells.rows,
            cells.entry,
            histogram.start,
            histogram.code,
            histogram.count,
            counts,
            float(alpha),
            beliefs,
            new,
        )
        beliefs, new = new, beliefs
        done += 1
        run.tick(done)
    return beliefs, done, change
