"""Drawings of an exploration as files of their own: the lattice of levels, and privacy against utility."""

from __future__ import annotations

from sfumato.contracts.exploration import Exploration
from sfumato.errors import BadRequest
from sfumato.reports.lattice_view import lattice_view
from sfumato.reports.standalone import standalone
from sfumato.reports.tradeoff_view import tradeoff_view

__all__ = ["curve_drawing", "lattice_drawing"]


def lattice_drawing(found: Exploration) -> str:
    """Return the lattice as an SVG document: every choice, or a summary by height where they are many."""
    drawing = lattice_view(
        "lattice",
        found.columns,
        found.top,
        found.heights,
        found.states,
        best=found.best.node,
        minimal=[solution.node for solution in found.minimal],
        proven=found.proven,
    )
    return standalone(drawing)


def curve_drawing(found: Exploration) -> str:
    """Return the curve as an SVG document."""
    if not found.curve:
        raise BadRequest("no point of the curve was asked for", parameter="ks", value=())
    return standalone(tradeoff_view("curve", found.curve, str(found.metric["id"]), found.records))
