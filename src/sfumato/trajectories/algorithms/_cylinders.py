"""Cylinders around groups of paths: points outside move straight onto the surface."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sfumato.data.frozen import frozen
from sfumato.kernels.arrays import Floats

__all__ = ["Cylinders", "in_cylinders"]


@frozen(eq=False, repr=False)
class Cylinders:
    """Moved points, the centre of each group at each time, and how far each path was moved in all: ``sum over t``.

    ``distortion`` is 0 for rows that are in no group. ``largest`` is the largest distance that a single point was moved.
    """

    x: Floats
    y: Floats
    centres: tuple[Floats, ...]
    distortion: Floats
    largest: float

    @property
    def total(self) -> float:
        """The sum of all distances that points were moved."""
        return float(self.distortion.sum())


def in_cylinders(
    x: Floats,
    y: Floats,
    groups: Sequence[Sequence[int]],
    delta: float,
    slack: float = 0.0,
    decimals: int | None = None,
) -> Cylinders:
    """Move each point that is farther than ``delta / 2`` from the mean of its group at that time onto that circle.

    ``slack`` is how far rounding to ``decimals`` can move a point: the circle is smaller by it, so that any two rounded points
    are within delta; where nothing is left of it, all points are the rounded centre.
    """
    new_x, new_y = x.copy(), y.copy()
    radius = delta / 2 - slack
    centres = []
    for group in groups:
        rows = np.array(group, np.int64)
        centre_x, centre_y = x[rows].mean(axis=0), y[rows].mean(axis=0)
        if radius < 0 and decimals is not None:
            centre_x, centre_y = np.round(centre_x, decimals), np.round(centre_y, decimals)
        centres.append(np.column_stack((centre_x, centre_y)))
        dx, dy = x[rows] - centre_x, y[rows] - centre_y
        apart = np.sqrt(dx * dx + dy * dy)
        with np.errstate(invalid="ignore", divide="ignore"):
            share = np.where(apart > max(radius, 0.0), max(radius, 0.0) / apart, 1.0)
        new_x[rows] = np.where(share == 1.0, x[rows], centre_x + dx * share)
        new_y[rows] = np.where(share == 1.0, y[rows], centre_y + dy * share)
    moved = np.nan_to_num(np.hypot(new_x - x, new_y - y))
    return Cylinders(new_x, new_y, tuple(centres), moved.sum(axis=1), float(moved.max(initial=0.0)))
