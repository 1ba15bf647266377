"""Records as points: numeric columns side by side, and what each column is divided by before distances are taken."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sfumato.contracts.algorithm import Attribute
from sfumato.contracts.columns import numbers_of
from sfumato.contracts.engine import Table
from sfumato.errors import BadRequest
from sfumato.kernels.arrays import Floats

__all__ = ["declared_ranges", "points_of", "scales_of"]


def points_of(table: Table, columns: Sequence[str]) -> Floats:
    """Return records x columns; refuse columns that are not numeric, have missing values or infinite ones."""
    points = numbers_of(table, columns)
    for at, name in enumerate(columns):
        if not np.isfinite(points[:, at]).all():
            raise BadRequest("holds infinite values", column=name)
    return points


def declared_ranges(attributes: Sequence[Attribute]) -> dict[str, tuple[float, float]]:
    """Return the ranges that the policy declares, by column."""
    return {attribute.name: attribute.range for attribute in attributes if attribute.range is not None}


def scales_of(points: Floats, columns: Sequence[str], attributes: Sequence[Attribute], distance: str) -> Floats:
    """Return what each column is divided by: 1, or its range, declared or else observed (1 if it is constant).

    >>> scales_of(np.array([[1.0, 7.0], [5.0, 7.0]]), ["a", "b"], [], "scaled").tolist()
    [4.0, 1.0]
    """
    if distance == "euclidean":
        return np.ones(len(columns))
    declared = declared_ranges(attributes)
    out = np.ptp(points, axis=0) if len(points) else np.ones(len(columns))
    for at, name in enumerate(columns):
        if name in declared:
            out[at] = declared[name][1] - declared[name][0]
    return np.where(out > 0, out, 1.0)
