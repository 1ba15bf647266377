"""Exact counts: how many records of a class can have a value in any table that gives all publications."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.contracts.run import Run
from sfumato.data.frozen import frozen
from sfumato.errors import BadRequest, Unsupported
from sfumato.itemsets.exact_solver import exact_solver
from sfumato.kernels.arrays import Floats, Ints
from sfumato.views.marginal_set import MarginalSet
from sfumato.views.max_entropy import published_cells

if TYPE_CHECKING:
    from highspy import Highs

__all__ = ["CountBounds", "ShareBounds", "count_bounds", "share_bounds"]

MOST_UNKNOWNS = 2_000
"""Unknown numbers that are searched as whole numbers; more are relaxed, which bounds the largest from above."""
MOST_RELAXED = 50_000


@frozen(eq=False)
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


@frozen(eq=False)
class ShareBounds:
    """The largest and the smallest share of each value in each class that is not empty, over all tables that give everything.

    A class that is empty in each of these tables has no share (NaN). Without ``exact`` the bounds lie outside of the true ones.
    """

    most: Floats
    least: Floats
    exact: bool


def count_bounds(publications: MarginalSet, run: Run | None = None) -> CountBounds:
    """Return the bounds: unknown numbers ``n(q, s) >= 0`` over the common refinement, one equation for each published cell."""
    solver, unknown, shape, whole = _asked(publications)
    most = np.zeros(shape, np.int64)
    least = np.zeros(shape, np.int64)
    going = run or Run()
    for at, (row, value) in enumerate(unknown.tolist()):
        going.checkpoint()
        for sign, target in ((-1.0, most), (1.0, least)):
            solver.changeColCost(at, sign)
            found = sign * _solved(solver)
            target[row, value] = int(np.floor(found + 1e-6)) if sign < 0 else int(np.ceil(found - 1e-6))
        solver.changeColCost(at, 0.0)
    return CountBounds(most, least, whole)


def share_bounds(publications: MarginalSet, run: Run | None = None) -> ShareBounds:
    """Return the bounds of ``n(q, s) / n(q)``, by Dinkelbach's steps: the ratio r is best when ``max n(q, s) - r n(q)`` is 0.

    Examples
    --------
    >>> base = {"Zip": ["25*", "25*", "25*"], "Ill": ["Flu", "HIV", "Flu"]}
    >>> both = MarginalSet.of(base, {"zips": {"Zip": [251, 252], "count": [2, 1]}}, sensitive="Ill")
    >>> found = share_bounds(both)
    >>> found.most.tolist(), found.least.tolist()
    ([[1.0, 0.5], [1.0, 1.0]], [[0.5, 0.0], [0.0, 0.0]])

    References
    ----------
    Dinkelbach, "On nonlinear fractional programming", 1967, doi:10.1287/mnsc.13.7.492.
    """
    solver, unknown, shape, whole = _asked(publications)
    most, least = np.full(shape, np.nan), np.full(shape, np.nan)
    going = run or Run()
    for row in np.unique(unknown[:, 0]).tolist():
        inside = np.flatnonzero(unknown[:, 0] == row).astype(np.int32)
        solver.addRow(1.0, np.inf, len(inside), inside, np.ones(len(inside)))  # somebody is in the class
        if _possible(solver):
            most[row] = least[row] = 0.0
            for at in inside.tolist():
                going.checkpoint()
                value = int(unknown[at, 1])
                most[row, value] = _ratio(solver, at, inside, -1.0)
                least[row, value] = _ratio(solver, at, inside, 1.0)
        solver.deleteRows(1, np.array([solver.getNumRow() - 1], np.int32))
    return ShareBounds(most, least, whole)


def _ratio(solver: Highs, at: int, inside: np.ndarray[tuple[int], np.dtype[np.int32]], sign: float) -> float:
    """Return the largest (-1) or the smallest (1) share of one unknown number in a sum."""
    ratio = 0.0 if sign < 0 else 1.0
    while True:
        costs = np.full(len(inside), -sign * ratio)
        costs[inside == at] += sign
        solver.changeColsCost(len(inside), inside, costs)
        gained = _solved(solver)
        found = np.array(solver.getSolution().col_value)
        solver.changeColsCost(len(inside), inside, np.zeros(len(inside)))
        if gained > -1e-7:
            return ratio
        ratio = float(found[at] / found[inside].sum())


def _asked(publications: MarginalSet) -> tuple[Highs, Ints, tuple[int, ...], bool]:
    """Return the program, the class and the value of each unknown number, how many there are, and whether they are whole."""
    publications = publications.stranger()
    cells = published_cells(publications)
    allowed = np.all([one >= 0 for one in cells], axis=0)
    unknown = np.argwhere(allowed)
    if len(unknown) > MOST_RELAXED:
        raise Unsupported(
            "too many classes for exact counts", thing="marginal-privacy-check", alternatives=["depth: 1"]
        )
    whole = len(unknown) <= MOST_UNKNOWNS
    return _program(publications, cells, unknown, whole=whole), unknown, allowed.shape, whole


def _possible(solver: Highs) -> bool:
    solver.run()
    return bool(solver.getModelStatus().name == "kOptimal")


def _solved(solver: Highs) -> float:
    if not _possible(solver):
        raise BadRequest("contradict each other: no table gives them all", parameter="marginals")
    return float(solver.getObjectiveValue())


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
