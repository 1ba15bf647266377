"""Charts as objects that a notebook shows and its user goes on with: Vega-Lite by Altair, which the extra ``report`` brings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sfumato.data.json import Json
from sfumato.errors import Unsupported

__all__ = ["bar_chart", "chart"]


def chart(specification: Mapping[str, Json]) -> Any:
    """Return the Altair chart of a Vega-Lite specification."""
    try:
        import altair
    except ImportError:
        raise Unsupported(
            "charts as objects need the extra 'report' (pip install 'sfumato[report]')", thing="altair"
        ) from None
    return altair.Chart.from_dict(dict(specification))


def bar_chart(values: Sequence[Mapping[str, Json]], label: str, share: str, colour: str | None = None) -> Any:
    """Return a bar for each entry, as long as its share from 0 to 1; ``colour`` sets bars of one label side by side."""
    beside: dict[str, Json] = {"color": {"field": colour, "type": "nominal"}, "yOffset": {"field": colour}}
    return chart(
        {
            "data": {"values": [dict(value) for value in values]},
            "mark": "bar",
            "encoding": {
                "y": {"field": label, "type": "nominal", "sort": None},
                "x": {"field": share, "type": "quantitative", "axis": {"format": "%"}, "scale": {"domain": [0, 1]}},
                "tooltip": [{"field": name} for name in (values[0] if values else {})],
                **(beside if colour is not None else {}),
            },
        }
    )
