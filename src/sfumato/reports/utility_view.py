"""What a release is still good for, in words and pictures: questions that are counted, and a column that is predicted."""

from __future__ import annotations

from markupsafe import Markup

from sfumato.contracts.evidence import Questions, Utility
from sfumato.data.messages import called, tell, worded
from sfumato.reports.charts import Bar, columns, meter
from sfumato.reports.words import printable

__all__ = ["classification_view", "queries_view"]

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
