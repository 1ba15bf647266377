"""Sums solved for single values: those that follow exactly, and the intervals that bounds leave to the others."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from sfumato.errors import BadRequest
from sfumato.interactive.exact_rows import ExactRows
from sfumato.itemsets.exact_solver import exact_solver
from sfumato.kernels.arrays import Floats

__all__ = ["left_open", "solved"]

Equation = tuple[Sequence[int], float]
"""Unknowns by number, and what they add up to."""


def solved(equations: Sequence[Equation], unknowns: int) -> dict[int, float]:
    """Return the unknowns that equations determine, with their values.

    The equations are brought into echelon form over the rational numbers with their sums as one more column.

    >>> solved([([0, 1], 5), ([1, 2], 6), ([0, 2], 3), ([3, 4], 9)], 5)
    {0: 1.0, 1: 4.0, 2: 2.0}
    """
    rows = ExactRows({})
    for at, (held, _) in enumerate(equations):
        rows = rows.after({}, np.array([*held, unknowns + at]))  # one slack for each sum: it stands for the right side
    out = {}
    for pivot, row in rows.rows.items():
        if pivot < unknowns and all(column == pivot or column >= unknowns for column in row):
            out[pivot] = float(sum(row[at] * Fraction(equations[at - unknowns][1]) for at in row if at >= unknowns))
    return dict(sorted(out.items()))


def left_open(equations: Sequence[Equation], low: Floats, high: Floats) -> list[tuple[float, float]]:
    """Return the smallest and the largest value that each unknown can have, by linear programming."""
    solver = exact_solver("query-audit-offline", "an interval")
    count = len(low)
    solver.addVars(count, low, high)
    for held, total in equations:
        members = np.array(held, np.int32)
        solver.addRow(total, total, len(members), members, np.ones(len(members)))
    out = []
    for at in range(count):
        ends = []
        for sign in (1.0, -1.0):
            solver.changeColCost(at, sign)
            solver.run()
            if solver.getModelStatus().name != "kOptimal":
                raise BadRequest("holds answers that contradict each other, or the bounds", parameter="log")
            ends.append(sign * float(solver.getObjectiveValue()))
            solver.changeColCost(at, 0.0)
        out.append((round(ends[0], 9) + 0.0, round(ends[1], 9) + 0.0))
    return out
