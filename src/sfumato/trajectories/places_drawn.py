"""Where places are drawn: cells and coordinates where they lie, named stations along lines in the order of their names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import ceil, sqrt

import numpy as np

from sfumato.kernels.arrays import Floats

__all__ = ["placed", "positions"]

_CELL, _POINT = re.compile(r"(-?\d+) (-?\d+)"), re.compile(r"(-?[\d.e+-]+) (-?[\d.e+-]+)")
_HEXAGON = re.compile(r"8[0-9a-f]{14}")
_STATION = re.compile(r"(.*?)(\d+)")


def positions(names: Sequence[str]) -> Floats | None:
    """Return where places lie whose names are cells of a grid (row, column) or of H3, or coordinates, x and y; else nothing.

    >>> positions(["3 4", "3 6"]).tolist(), positions(["Ulm"])
    ([[4.0, 3.0], [6.0, 3.0]], None)
    """
    if names and all(map(_HEXAGON.fullmatch, names)):
        return _centres(names)
    cells, points = [_CELL.fullmatch(name) for name in names], [_POINT.fullmatch(name) for name in names]
    turned = all(cells)
    try:
        held = [(float(one[2]), float(one[1])) if turned else (float(one[1]), float(one[2])) for one in points if one]
    except ValueError:
        return None
    return np.array(held).reshape(-1, 2) if held and len(held) == len(names) else None


def _centres(names: Sequence[str]) -> Floats | None:
    """Return longitude and latitude of the centres of cells of H3; nothing without its library, or if one is no cell."""
    try:
        import h3
    except ModuleNotFoundError:  # a report can be made again where the extra is not: then without a map
        return None
    if not all(map(h3.is_valid_cell, names)):
        return None
    return np.array([h3.cell_to_latlng(name)[::-1] for name in names], np.float64).reshape(-1, 2)


def placed(names: Sequence[str]) -> tuple[Floats, bool]:
    """Return where places are drawn, and whether that is where they lie.

    Names that end with a number are stations of a line, one below the other; any others fill a square in their order.

    >>> placed(["A1", "A2", "B1"])[0].tolist()
    [[0.0, 0.0], [1.0, 0.0], [0.0, -1.0]]
    """
    known = positions(names)
    if known is not None:
        return known, True
    found = [_STATION.fullmatch(name) for name in names]
    if all(found) and len({one[1] for one in found if one}) > 1:
        lines = sorted({one[1] for one in found if one})
        held = [(float(one[2]), float(-lines.index(one[1]))) for one in found if one]
        first = min(x for x, _ in held)
        return np.array([(x - first, y) for x, y in held]).reshape(-1, 2), False
    side = max(ceil(sqrt(len(names))), 1)
    return np.array([(float(at % side), float(-(at // side))) for at in range(len(names))]).reshape(-1, 2), False
