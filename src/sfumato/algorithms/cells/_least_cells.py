"""The cheapest cells to empty, proven by an integer program over distinct records and sets of columns."""

from __future__ import annotations

from time import monotonic

import numpy as np

from sfumato.algorithms.cells._emptying import Emptied, Puzzle
from sfumato.contracts.run import Run
from sfumato.itemsets.exact_solver import exact_solver
from sfumato.kernels.arrays import Bools, Floats, Ints

__all__ = ["MOST_RECORDS", "least_cells", "solvable"]

MOST_RECORDS = 40
"""Up to so many distinct records the cheapest cells are proven."""

_MOST_STATES = 2_560  # every one is compared with every other
_NODES = 50  # of the solver's search tree, where no proof is promised


def solvable(puzzle: Puzzle) -> bool:
    """Tell whether the puzzle is small enough to be solved as a whole."""
    return puzzle.complete and len(puzzle.codes) * (len(puzzle.masks) + 1) <= _MOST_STATES


def least_cells(puzzle: Puzzle, known: list[Emptied] | None, run: Run) -> tuple[list[Emptied] | None, float]:
    """Return the cheapest cells, and a cost that none falls below; both meet for few records, unless the deadline came first.

    ``y[t, m]`` of the records like ``t`` are emptied in the columns ``m``; ``b[t, m]`` says whether any is shown so. Who is
    shown so matches ``F`` records before anything is emptied, and needs ``k - F`` of those that match by being emptied.
    ``known`` is a choice to begin with. No cells at all, ``None``, if no choice meets k.
    """
    import highspy

    solver = exact_solver("local-suppression", "the least number of cells")
    if run.deadline is not None:
        solver.setOptionValue("time_limit", max(run.deadline - monotonic(), 0.1))
    records, masks = len(puzzle.codes), ((), *puzzle.masks)
    if records > MOST_RECORDS:
        solver.setOptionValue("mip_max_nodes", _NODES)
    match = _matches(puzzle, masks)
    before = match[:, :, :, 0].astype(np.int64) @ puzzle.counts
    fresh = match & ~match[:, :, :, :1]  # whoever matched before counts already
    lacks = np.maximum(puzzle.k - before, 0)
    prices = np.array([puzzle.price(mask) for mask in masks[1:]])
    wide = records * len(prices)
    bound = np.repeat(puzzle.counts, len(prices)).astype(np.float64)
    places = {(int(t), int(m)): wide + at for at, (t, m) in enumerate(np.argwhere(lacks > 0))}
    total = wide + len(places)
    solver.addVars(total, np.zeros(total), np.concatenate([bound, np.ones(len(places))]))
    solver.changeColsCost(wide, np.arange(wide, dtype=np.int32), np.tile(prices, records))
    kinds = np.array([highspy.HighsVarType.kInteger] * total)
    solver.changeColsIntegrality(total, np.arange(total, dtype=np.int32), kinds)
    endless = float(highspy.kHighsInf)

    def row(least: float, most: float, where: Ints, values: Floats) -> None:
        solver.addRow(least, most, len(where), where.astype(np.int32), values.astype(np.float64))

    for t in range(records):
        mine = np.arange(t * len(prices), (t + 1) * len(prices))
        row(-endless, float(puzzle.counts[t]), mine, np.ones(len(mine)))
    for (t, m), place in places.items():
        helping = np.flatnonzero(fresh[t, m, :, 1:].ravel())
        row(0.0, endless, np.append(helping, place), np.append(np.ones(len(helping)), -float(lacks[t, m])))
        own, size = np.arange(t * len(prices), (t + 1) * len(prices)), float(puzzle.counts[t])
        if m:
            row(-endless, 0.0, np.array([own[m - 1], place]), np.array([1.0, -size]))
        else:
            row(size, endless, np.append(own, place), np.append(np.ones(len(own)), size))
    if known is not None:
        _begin(solver, puzzle, known, places, total)
    solver.run()
    status, info = solver.getModelStatus().name, solver.getInfo()
    if status == "kInfeasible":
        return None, float("inf")
    if not np.isfinite(info.objective_function_value):
        return known, float(info.mip_dual_bound)
    times = np.rint(np.array(solver.getSolution().col_value)[:wide]).astype(np.int64).reshape(records, -1)
    found = [(int(t), masks[m + 1]) for t, m in np.argwhere(times) for _ in range(times[t, m])]
    bound_found = puzzle.cost(found) if status == "kOptimal" else float(info.mip_dual_bound)
    return found, bound_found


def _matches(puzzle: Puzzle, masks: tuple[tuple[int, ...], ...]) -> Bools:
    """Tell which records match which, for every set of columns that either may be emptied in."""
    shown = np.repeat(puzzle.codes[:, None, :], len(masks), axis=1)
    for at, mask in enumerate(masks):
        shown[:, at, list(mask)] = -1
    out = np.ones((len(shown), len(masks), len(shown), len(masks)), bool)
    for column in range(puzzle.codes.shape[1]):
        codes = shown[:, :, column]
        left, right = codes[:, :, None, None], codes[None, None]
        out &= (left == right) | (left < 0) | (right < 0)
    return out


def _begin(
    solver: object, puzzle: Puzzle, known: list[Emptied], places: dict[tuple[int, int], int], total: int
) -> None:
    """Tell the solver a choice that is known."""
    import highspy

    wide = len(puzzle.masks)
    values = np.zeros(total)
    for record, mask in known:
        values[record * wide + puzzle.masks.index(mask)] += 1
    for (t, m), place in places.items():
        mine = values[t * wide : (t + 1) * wide]
        values[place] = float(mine[m - 1] > 0 if m else mine.sum() < puzzle.counts[t])
    start = highspy.HighsSolution()
    start.col_value = values.tolist()
    solver.setSolution(start)  # type: ignore[attr-defined]
