"""Drawings of a report as charts that a notebook shows and its user goes on with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sfumato.contracts.comparison import Attempt, Criterion
from sfumato.contracts.levels import Point
from sfumato.data.json import Json
from sfumato.data.messages import tell
from sfumato.data.vega import chart

__all__ = ["cost_chart", "risk_chart"]


def risk_chart(attempts: Sequence[Attempt], criterion: Criterion) -> Any:
    """Return the highest risk of a record against what is lost, one colour for each algorithm."""
    points: list[Json] = [
        {"algorithm": one.algorithm, "k": one.k, "risk": one.risk, "error": one.by(criterion), "best": one.best}
        for one in attempts
        if one.risk is not None and one.by(criterion) is not None
    ]
    risk = tell("page.compare.risk_axis")
    error = tell(f"page.compare.{criterion}_axis")
    return chart(
        {
            "data": {"values": points},
            "mark": {"type": "point", "filled": True, "size": 70},
            "encoding": {
                "x": {
                    "field": "risk",
                    "type": "quantitative",
                    "title": risk,
                    "axis": {"format": "%"},
                    "scale": {"type": "log", "reverse": True},
                },
                "y": {"field": "error", "type": "quantitative", "title": error, "axis": {"format": "%"}},
                "color": {"field": "algorithm", "type": "nominal", "title": tell("page.compare.algorithm")},
                "opacity": {"condition": {"test": "datum.best", "value": 1}, "value": 0.45},
                "tooltip": [{"field": name} for name in ("algorithm", "k", "risk", "error", "best")],
            },
        }
    )


def cost_chart(points: Sequence[Point], metric: str) -> Any:
    """Return what the best choice of levels costs for each k, or for each limit of records that may be left out."""
    by_k = any(point.k is not None for point in points)
    at = "k" if by_k else tell("page.tradeoff.limit")
    values: list[Json] = [
        {at: point.k if by_k else point.suppress_at_most, metric: point.score}
        for point in points
        if point.score is not None
    ]
    return chart(
        {
            "data": {"values": values},
            "mark": {"type": "line", "point": True},
            "encoding": {
                "x": {"field": at, "type": "quantitative", "scale": {"type": "log" if by_k else "linear"}},
                "y": {"field": metric, "type": "quantitative"},
                "tooltip": [{"field": at}, {"field": metric}],
            },
        }
    )
