"""Metrics of a certificate as rows: what each counts, its value, and where it lies between its bounds."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.catalogue import known
from sfumato.contracts.certificate import MetricEntry
from sfumato.data.messages import tell
from sfumato.reports.charts import meter
from sfumato.reports.words import gist, number, printable

__all__ = ["metric_rows", "metrics_by_column"]


def metric_rows(metrics: Sequence[MetricEntry]) -> list[dict[str, object]]:
    """Return one row for each metric."""
    return [_metric(entry) for entry in metrics]


def _metric(entry: MetricEntry) -> dict[str, object]:
    found = known(entry.metric, "metric")
    better = "" if found is None else found.traits.better  # type: ignore[attr-defined]
    return {
        "id": _id(entry),
        "gist": gist(entry.metric, "metric"),
        "value": number(entry.value),
        "meter": meter(entry.value, entry.lowest, entry.highest),
        "better": tell(f"page.better.{better}") if better else "",
        "range": _range(entry),
    }


def _range(entry: MetricEntry) -> str:
    """Say between which numbers the value lies, and what it is a share of."""
    if entry.lowest is None or entry.highest is None:
        return tell("page.cost.no_bounds")
    said = tell("page.cost.range", lowest=entry.lowest, highest=entry.highest)
    return said if entry.denominator is None else f"{said}; {tell('page.cost.denominator', of=entry.denominator)}"


def _id(entry: MetricEntry) -> str:
    found = known(entry.metric, "metric")  # somebody's own is certified by its class
    return entry.metric if found is None else found.id


def metrics_by_column(metrics: Sequence[MetricEntry], columns: Sequence[str]) -> dict[str, object] | None:
    """Return the metrics that can be told apart by column: one row per column, in this order, each bar against the largest."""
    apart = [entry for entry in metrics if entry.by_column]
    if not apart:
        return None
    told = dict.fromkeys(name for entry in apart for name in entry.by_column)
    names = [*(name for name in columns if name in told), *(name for name in told if name not in columns)]
    most = [max(1.0 if entry.highest == 1 else 0.0, *entry.by_column.values()) for entry in apart]
    return {
        "ids": [_id(entry) for entry in apart],
        "rows": [
            (
                printable(name),
                [
                    (number(entry.by_column.get(name)), meter(entry.by_column.get(name, 0.0), 0.0, top))
                    for entry, top in zip(apart, most, strict=True)
                ],
            )
            for name in names
        ],
    }
