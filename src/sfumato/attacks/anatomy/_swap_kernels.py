"""Kernel of the swap sampler: exchange the sensitive values of two records of a group, if the world stays likely enough."""

from __future__ import annotations

from typing import Any

from sfumato.kernels.jit import njit

__all__ = ["swap_values", "tally_values"]

Array = Any


@njit(cache=True, nogil=True)
def swap_values(
    draws: Array,
    slot: Array,
    cell: Array,
    first: Array,
    size: Array,
    value_start: Array,
    code: Array,
    rows: Array,
    counts: Array,
    alpha: float,
) -> int:
    """Try one exchange for each row of three draws: which record, with whom of its group, and whether; count the accepted.

    ``slot`` is the place of each record's value among the values of its group, which begin at ``value_start`` in ``code``.
    ``first`` and ``size`` tell the records of its group. An exchange is accepted with the ratio of the weights of the two
    worlds, which only the counts of the two records' quasi-identifiers with the two values decide.
    """
    records, accepted = len(slot), 0
    for draw in range(len(draws)):
        one = int(draws[draw, 0] * records)
        two = first[one] + int(draws[draw, 1] * size[one])
        if slot[one] == slot[two] or cell[one] == cell[two]:
            continue
        a, b = code[value_start[one] + slot[one]], code[value_start[two] + slot[two]]
        ratio = 1.0
        for at in range(rows.shape[1]):
            p, q = rows[cell[one], at], rows[cell[two], at]
            if p == q:
                continue
            if p >= 0:
                ratio *= (alpha + counts[p, b]) / (alpha + counts[p, a] - 1)
            if q >= 0:
                ratio *= (alpha + counts[q, a]) / (alpha + counts[q, b] - 1)
        if draws[draw, 2] >= ratio:
            continue
        accepted += 1
        slot[one], slot[two] = slot[two], slot[one]
        for at in range(rows.shape[1]):
            p, q = rows[cell[one], at], rows[cell[two], at]
            if p >= 0:
                counts[p, a] -= 1
                counts[p, b] += 1
            if q >= 0:
                counts[q, b] -= 1
                counts[q, a] += 1
    return accepted


@njit(cache=True, nogil=True)
def tally_values(slot: Array, cell: Array, entry: Array, tally: Array) -> None:
    """Count for each cell how many of its records have each value now."""
    for record in range(len(slot)):
        tally[entry[cell[record]] + slot[record]] += 1
