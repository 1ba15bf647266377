"""Log-linear models of a cross of columns: expected counts of every cell from the margins that a model keeps.

The Poisson likelihood of a hierarchical model is largest where every margin of the fit equals that of the counts; iterative
proportional fitting goes there, from a start that carries what is known of each cell (an offset).

References
----------
Bishop, Fienberg, Holland, *Discrete Multivariate Analysis*, 1975, chapter 3.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Floats

__all__ = ["CELLS", "fit"]

CELLS = 2_000_000
"""Crosses with more cells are refused: every cell counts, the empty ones too."""

_ROUNDS = 2_000
_CLOSE = 1e-12
_SWEEPS = 8


def fit(
    counts: Floats,
    terms: Sequence[Sequence[int]],
    start: Floats | None = None,
    slope: Floats | None = None,
    names: Sequence[str] = (),
) -> Floats:
    """Return the expected count of every cell under the model whose terms are these sets of axes, all their subsets included.

    ``start`` multiplies every cell and is 0 where a cell cannot occur; ``slope`` is one more term with a number for each cell.

    >>> found = fit(np.array([[1.0, 3.0, 2.0], [4.0, 1.0, 5.0]]), [[0], [1]])
    >>> float(found[0, 0]), float(found[1, 1])
    (1.875, 2.5)
    """
    fitted = np.ones(counts.shape) if start is None else np.array(start, np.float64)
    if (counts[fitted == 0] > 0).any():
        raise BadRequest("a cell that is said to be impossible holds records", parameter="impossible")
    fitted *= counts.sum() / fitted.sum()
    scale = max(float(counts.max()), 1.0)
    worst, missed = np.inf, 0
    for _ in range(_ROUNDS):
        worst = 0.0
        for number, axes in enumerate(terms):
            rest = tuple(axis for axis in range(counts.ndim) if axis not in axes)
            wanted, held = counts.sum(axis=rest, keepdims=True), fitted.sum(axis=rest, keepdims=True)
            off = float(np.abs(wanted - held).max()) / scale
            if off > worst:
                worst, missed = off, number
            fitted *= np.divide(wanted, held, out=np.zeros_like(held), where=held > 0)
        if slope is not None:
            off, fitted = _tilted(counts, fitted, _own_part(slope, fitted, terms))
            worst = max(worst, off / scale)
        if worst < _CLOSE:
            return fitted
    named = " and ".join(names[axis] if names else str(axis) for axis in terms[missed])
    raise BadRequest(f"the fit does not settle: the counts of {named} stay {worst:.1e} away", parameter="terms")


def _own_part(slope: Floats, fitted: Floats, terms: Sequence[Sequence[int]]) -> Floats:
    """Return what a slope says beside the margins: its (weighted) means over each of them are taken away.

    The model stays the same, as the margins are terms of it; but steps along what margins say too would be undone by them, and
    a slope that is nearly the same in all cells would hardly get anywhere. What is left of rounding is nothing.
    """
    left = slope
    for _ in range(_SWEEPS):
        for axes in terms:
            rest = tuple(axis for axis in range(slope.ndim) if axis not in axes)
            held = fitted.sum(axis=rest, keepdims=True)
            total = (fitted * left).sum(axis=rest, keepdims=True)
            left = left - np.divide(total, held, out=np.zeros_like(held), where=held > 0)
    return np.where(np.abs(left) > _CLOSE * np.abs(slope).max(), left, 0.0)


def _tilted(counts: Floats, fitted: Floats, slope: Floats) -> tuple[float, Floats]:
    """Return how far the weighted total was off, and the fit after one step of Newton's method along the slope."""
    wanted, held = float((counts * slope).sum()), float((fitted * slope).sum())
    bend = float((fitted * slope * slope).sum())
    if bend == 0:
        return 0.0, fitted
    # The likelihood is concave along the slope; a step is cut so that no cell that can occur grows by more than e.
    most = 1 / np.abs(slope[fitted > 0]).max()
    step = np.clip((wanted - held) / bend, -most, most)
    return abs(wanted - held), np.asarray(fitted * np.exp(step * slope))
