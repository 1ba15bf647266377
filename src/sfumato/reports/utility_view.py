"""What a release cost and is still good for: metrics, questions that are counted, a column that is predicted."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from sfumato.catalogue import known
from sfumato.contracts.certificate import MetricEntry
from sfumato.contracts.evidence import Questions, Utility
from sfumato.data.messages import called, tell, worded
from sfumato.reports.charts import Bar, columns, meter
from sfumato.reports.words import gist, number, printable

__all__ = ["classification_view", "metric_rows", "metrics_by_column", "queries_view"]

_PARTS = ("BE", "AE", "UE")


def queries_view(utility: Utility) -> dict[str, object] | None:
    """Return sentence and drawing of the error of count queries; ``None`` if it was not measured."""
    told = utility.get("queries")
    if told is None:
        return None
    median, above = told.get("median"), told.get("above")
    if median is None or above is None:
        return {
            "reading": printable(worded(told.get("reason", tell("page.questions.none"))), 400),
            "drawing": None,
        }
    return {"reading": _reading(told, median, above), "drawing": _drawn(told)}


def _reading(told: Questions, median: float, above: float) -> str:
    asked = told["queries"] - told["undefined"]
    about = (
        tell("page.questions.on_several", columns=told["dimensions"])
        if told["dimensions"] > 1
        else tell("page.questions.on_one")
    )
    if "about" in told:
        about = worded(told["about"])
    if told["sensitive"]:
        about = tell("page.questions.and_on", about=about, column=printable(told["sensitive"], 60))
    return tell(
        "page.questions.reading", asked=asked, about=about, median=median, above=above, threshold=told["threshold"]
    )


def _drawn(told: Questions) -> Markup:
    entries = [Bar(label, count) for label, count in told["spread"]]
    return columns("queries", tell("page.questions.title"), entries, noun="question")


def classification_view(utility: Utility) -> dict[str, object] | None:
    """Return sentence and rows about the error of a classifier; ``None`` if it was not measured."""
    told = utility.get("classification")
    if told is None:
        return None
    if "reason" in told:
        return {
            "reading": tell("page.prediction.not_measured", why=printable(told["reason"], 400)),
            "rows": [],
            "notes": [],
        }
    first = told["classifiers"][0]
    rates = {key: first[key]["rate"] for key in _PARTS}
    lost = rates["AE"] - rates["BE"]
    return {
        "reading": tell(
            "page.prediction.reading",
            learner=called(f"learner.{first['name']}", first["name"].replace("-", " ")),
            target=printable(told["target"], 60),
            before=rates["BE"],
            after=rates["AE"],
            without=rates["UE"],
            price=tell("page.prediction.costs", share=lost)
            if lost > 0
            else tell("page.prediction.costs_nothing", share=-lost),
        ),
        "rows": [
            (
                tell(f"page.prediction.part.{key}"),
                tell("page.prediction.rate", rate=first[key]["rate"], records=first[key]["n_test"]),
                tell("page.prediction.interval", low=first[key]["low"], high=first[key]["high"]),
                meter(first[key]["rate"], 0.0, 1.0),
            )
            for key in _PARTS
        ],
        "notes": [printable(worded(text), 400) for text in told["notes"]]
        + [
            tell(
                "page.prediction.protocol", columns=told["quasi_identifiers"], protocol=printable(told["protocol"], 400)
            )
        ],
    }


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
