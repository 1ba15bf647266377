"""What a release is still good for, in words and pictures: questions that are counted, and a column that is predicted."""

from __future__ import annotations

from markupsafe import Markup

from sfumato.contracts.evidence import Questions, Utility
from sfumato.reports.charts import Bar, columns, meter
from sfumato.reports.words import counted, listing, percent, printable

__all__ = ["classification_view", "queries_view"]

_PARTS: tuple[tuple[str, str], ...] = (
    ("BE", "from the table before masking"),
    ("AE", "from the release"),
    ("UE", "without the masked columns"),
)


def queries_view(utility: Utility) -> dict[str, object] | None:
    """Return sentence and drawing of the error of count queries; ``None`` if it was not measured."""
    told = utility.get("queries")
    if told is None:
        return None
    median, above = told.get("median"), told.get("above")
    if median is None or above is None:
        return {
            "reading": printable(told.get("reason", "None of the questions selects a record."), 400),
            "drawing": None,
        }
    return {"reading": _reading(told, median, above), "drawing": _drawn(told)}


def _reading(told: Questions, median: float, above: float) -> str:
    asked = told["queries"] - told["undefined"]
    about = f" on {told['dimensions']} of the protected columns" if told["dimensions"] > 1 else " on a protected column"
    with_value = f" and on {printable(told['sensitive'], 60)}" if told["sensitive"] else ""
    return (
        f"{counted(asked, 'question')} of the kind “how many records have these values?”, with conditions{about}{with_value}, "
        f"were answered from the release: half of the answers are wrong by {percent(median, 1)} of the true number or "
        f"less, and {percent(above, 1)} of them by more than {percent(told['threshold'], 1)}."
    )


def _drawn(told: Questions) -> Markup:
    entries = [Bar(label, count) for label, count in told["spread"]]
    return columns("queries", "Questions by how far the answer lies from the truth", entries, noun="question")


def classification_view(utility: Utility) -> dict[str, object] | None:
    """Return sentence and rows about the error of a classifier; ``None`` if it was not measured."""
    told = utility.get("classification")
    if told is None:
        return None
    if "reason" in told:
        return {"reading": f"Not measured: {printable(told['reason'], 400)}.", "rows": [], "notes": []}
    first = told["classifiers"][0]
    rates = {key: first[key]["rate"] for key, _ in _PARTS}
    lost = rates["AE"] - rates["BE"]
    price = f"costs {percent(lost, 1)}" if lost > 0 else f"costs nothing ({percent(-lost, 1)} fewer errors)"
    return {
        "reading": f"A {first['name'].replace('-', ' ')} that predicts {printable(told['target'], 60)} is wrong for "
        f"{percent(rates['BE'], 1)} of the test records when it learns from the table before masking, for "
        f"{percent(rates['AE'], 1)} from the release, and for {percent(rates['UE'], 1)} if the masked columns are left out: "
        f"masking {price} of the predictions.",
        "rows": [
            (
                words,
                f"{percent(first[key]['rate'], 1)} of {first[key]['n_test']:,} test records",
                f"{percent(first[key]['low'], 1)} to {percent(first[key]['high'], 1)}",
                meter(first[key]["rate"], 0.0, 1.0),
            )
            for key, words in _PARTS
        ],
        "notes": [printable(text, 400) for text in told["notes"]]
        + [f"Masked columns: {listing(told['quasi_identifiers'])}. Protocol: {printable(told['protocol'], 400)}."],
    }
