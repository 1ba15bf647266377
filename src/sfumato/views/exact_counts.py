"""Exact counts: how many records of a class can have a value in any table that gives all publications."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sfumato.contracts.run import Run
from sfumato.errors import BadRequest, Unsupported
from sfumato.itemsets.exact_solver import exact_solver
from sfumato.kernels.arrays import Ints
from sfumato.views.marginal_set import MarginalSet
from sfumato.views.max_entropy import published_cells

if TYPE_CHECKING:
    from highspy import Highs

__all__ = ["CountBounds", "count_bounds"]

MOST_UNKNOWNS = 2_000
"""Unknown numbers that are searched as whole numbers; more are relaxed, which bounds the largest from above."""
MOST_RELAXED = 50_000


@dataclass(frozen=True, eq=False)
class CountBounds:
    """The most and the fewest records of each class with each value, over all tables that give the publications.

    Without ``exact`` they were taken from the relaxed program: the most is then an upper and the fewest a lower bound.
    """

    most: Ints
    least: Ints
    exact: bool

    def distinct(self) -> Ints:
        """Return how many values each class can have."""
        found: Ints = np.count_nonzero(self.most > 0, axis=1).astype(np.int64)
        return found


def count_bounds(publications: MarginalSet, run: Run | None = None) -> CountBounds:
    """Return the bounds: unknown numbers ``n(q, s) >= 0`` over the common refinement, one equation for each published cell."""
    publications = publications.stranger()
    cells = published_cells(publications)
    allowed = np.all([one >= 0 for one in cells], axis=0)
    unknown = np.argwhere(allowed)
    if len(unknown) > MOST_RELAXED:
        raise Unsupported(
            "too many classes for exact counts", thing="marginal-privacy-check", alternatives=["depth: 1"]
        )
    whole = len(unknown) <= MOST_UNKNOWNS
    solver = _program(publications, cells, unknown, whole=whole)
    most = np.zeros(allowed.shape, np.int64)
    least = np.zeros(allowed.shape, np.int64)
    going = run or Run()
    for at, (row, value) in enumerate(unknown.tolist()):
        going.checkpoint()
        for sign, target in ((-1.0, most), (1.0, least)):
            solver.changeColCost(at, sign)
            solver.run()
            if solver.getModelStatus().name != "kOptimal":
                raise BadRequest("contradict each other: no table gives them all", parameter="marginals")
            found = sign * float(solver.getObjectiveValue())
            target[row, value] = int(np.floor(found + 1e-6)) if sign < 0 else int(np.ceil(found - 1e-6))
        solver.changeColCost(at, 0.0)
    return CountBounds(most, least, whole)


def _program(publications: MarginalSet, cells: list[Ints], unknown: Ints, *, whole: bool) -> Highs:
    solver = exact_solver("marginal-privacy-check", "an exact count")
    import highspy

    width = len(unknown)
    solver.addVars(width, np.zeros(width), np.full(width, float(publications.records)))
    if whole:
        kinds = np.array([highspy.HighsVarType.kInteger] * width)
        solver.changeColsIntegrality(width, np.arange(width, dtype=np.int32), kinds)
    for cell, one in zip(cells, publications.publications, strict=True):
        inside = cell[unknown[:, 0], unknown[:, 1]]
        order = np.argsort(inside, kind="stable")
        starts = np.searchsorted(inside[order], np.arange(len(one.counts) + 1))
        for at, count in enumerate(one.counts.tolist()):
            members = order[starts[at] : starts[at + 1]].astype(np.int32)
            solver.addRow(float(count), float(count), len(members), members, np.ones(len(members)))
    return solver
