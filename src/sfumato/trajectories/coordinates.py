"""Places from coordinates: cells of a grid of so many metres, cells of H3, or the coordinates themselves."""

from __future__ import annotations

import re
from math import cos, pi, radians

import numpy as np

from sfumato.errors import BadRequest, Unsupported
from sfumato.kernels.arrays import Bools, Codes, Floats, Ints
from sfumato.trajectories.repairs import Repairs

__all__ = ["METRES_PER_DEGREE", "cells", "on_earth", "width_of"]

METRES_PER_DEGREE = pi * 6_371_008.8 / 180
"""One degree of latitude on a sphere with the mean radius of the earth."""

_WIDTH = re.compile(r"(\d+(?:\.\d+)?)\s*(m|km)?")


def width_of(grid: str | float) -> float:
    """Return the width of a cell in metres.

    >>> width_of("250m"), width_of("1.5 km"), width_of(100)
    (250.0, 1500.0, 100.0)
    """
    found = _WIDTH.fullmatch(str(grid).strip())
    if found is None or float(found[1]) <= 0:
        raise BadRequest("must be a width such as 250m or 2km", parameter="place.grid", value=grid)
    return float(found[1]) * (1000 if found[2] == "km" else 1)


def on_earth(x: Floats, y: Floats, named: tuple[str, str], repairs: Repairs) -> tuple[Floats, Floats, Bools]:
    """Return longitudes and latitudes, swapped back where that is asked for, and which of them are somewhere on earth."""
    lat, lon = (re.compile(rf"(^|_){word}", re.IGNORECASE) for word in ("lat", "(lon|lng)"))
    names = bool(lat.search(named[0]) and lon.search(named[1]))
    turned = np.full(len(x), names) if names else (np.abs(y) > 90) & (np.abs(y) <= 180) & (np.abs(x) <= 90)
    if repairs.way("swapped", int(turned.sum())):
        x, y = np.where(turned, y, x), np.where(turned, x, y)
    there = (np.abs(x) <= 180) & (np.abs(y) <= 90)
    repairs.way("out-of-range", int((~there).sum()))
    return x, y, there


def cells(
    x: Floats, y: Floats, *, grid: str | float | None, h3: int | None, unit: str
) -> tuple[Codes, list[str], Floats]:
    """Return the place of each point, the names of places in the order of texts, and their centres, x and y.

    A grid has square cells of so many metres. In degrees its rows follow latitudes, and each row has cells of its own width
    in degrees of longitude, so that a cell is as wide in Oslo as in Nairobi. A cell is called by its row and column.
    """
    if grid is not None and h3 is not None:
        raise BadRequest("give a grid or h3, not both", parameter="place.h3")
    if h3 is not None:
        return _hexagons(x, y, h3, unit)
    if grid is None:
        exact = np.unique(np.column_stack((x, y)), axis=0, return_inverse=True)
        return _named(exact[1].ravel(), [f"{a!r} {b!r}" for a, b in exact[0].tolist()], exact[0])
    width = width_of(grid)
    if unit == "metres":
        rows, columns = np.floor(y / width).astype(np.int64), np.floor(x / width).astype(np.int64)
        used, codes = np.unique(np.column_stack((rows, columns)), axis=0, return_inverse=True)
        return _named(
            codes.ravel(),
            [f"{row} {column}" for row, column in used.tolist()],
            (used[:, ::-1].astype(np.float64) + 0.5) * width,
        )
    high = width / METRES_PER_DEGREE
    rows = np.floor(y / high).astype(np.int64)
    wide = high / np.maximum(np.cos(np.radians((rows + 0.5) * high)), 1e-6)
    columns = np.floor(x / wide).astype(np.int64)
    used, codes = np.unique(np.column_stack((rows, columns)), axis=0, return_inverse=True)
    wide_of = [high / max(cos(radians((row + 0.5) * high)), 1e-6) for row in used[:, 0].tolist()]
    centres = np.column_stack(((used[:, 1] + 0.5) * np.array(wide_of), (used[:, 0] + 0.5) * high))
    return _named(codes.ravel(), [f"{row} {column}" for row, column in used.tolist()], centres)


def _named(codes: Ints, names: list[str], centres: Floats) -> tuple[Codes, list[str], Floats]:
    """Return codes in the order of names."""
    order = np.array(sorted(range(len(names)), key=names.__getitem__), np.int64)
    place = np.empty(len(names), np.int64)
    place[order] = np.arange(len(names))
    return place[codes].astype(np.int32), [names[at] for at in order.tolist()], centres[order]


def _hexagons(x: Floats, y: Floats, resolution: int, unit: str) -> tuple[Codes, list[str], Floats]:
    if unit != "degrees":
        raise BadRequest("cells of H3 need degrees", parameter="place.unit", value=unit, available=["degrees"])
    if not 0 <= resolution <= 15:
        raise BadRequest("must be from 0 to 15", parameter="place.h3", value=resolution)
    try:
        import h3
    except ModuleNotFoundError:
        raise Unsupported(
            "cells of H3 need its library: pip install 'sfumato[geo]'", thing="h3", alternatives=["place: {grid: 250m}"]
        ) from None
    used, codes = np.unique(np.column_stack((x, y)), axis=0, return_inverse=True)
    held = [str(h3.latlng_to_cell(b, a, resolution)) for a, b in used.tolist()]
    names = sorted(set(held))
    number = {name: code for code, name in enumerate(names)}
    centres = np.array([h3.cell_to_latlng(name)[::-1] for name in names], np.float64).reshape(-1, 2)
    return np.array([number[name] for name in held], np.int32)[codes.ravel()], names, centres
