"""Charts as objects that a notebook shows and its user goes on with: Vega-Lite by Altair, which the extra ``report`` brings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sfumato.contracts.comparison import Attempt, Criterion
from sfumato.data.json import Json
from sfumato.data.messages import tell
from sfumato.errors import Unsupported

__all__ = ["risk_chart"]


def risk_chart(attempts: Sequence[Attempt], criterion: Criterion) -> Any:
    """Return the highest risk of a record against what is lost, one colour for each algorithm."""
    points: list[Json] = [
        {"algorithm": one.algorithm, "k": one.k, "risk": one.risk, "error": one.by(criterion), "best": one.best}
        for one in attempts
        if one.risk is not None and one.by(criterion) is not None
    ]
    risk = tell("page.compare.risk_axis")
    error = tell(f"page.compare.{criterion}_axis")
    return _chart(
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


def _chart(specification: dict[str, Json]) -> Any:
    """Return an Altair chart of a Vega-Lite specification."""
    try:
        import altair
    except ImportError:
        raise Unsupported(
            "charts as objects need the extra 'report' (pip install 'sfumato[report]')", thing="altair"
        ) from None
    return altair.Chart.from_dict(specification)
