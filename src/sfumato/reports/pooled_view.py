"""A pooled distribution as a figure, or as a sentence where there is nothing to draw."""

from __future__ import annotations

from sfumato.contracts.evidence import Distribution
from sfumato.data.messages import tell, worded
from sfumato.reports.charts import Bar, bars, columns
from sfumato.reports.figure import Figure
from sfumato.reports.words import percent, printable
from sfumato.tables.pooled import pooled

__all__ = ["pooled_figure", "pooled_words"]


def pooled_words(column: Distribution, records: int, least: int) -> str:
    """Say how many values there are and how many records share a value with too few others to be shown.

    >>> known = {"distinct": 900, "missing": 0, "entries": [], "rarer_values": 900, "rarer_records": 1000}
    >>> pooled_words(known, 1000, 5)
    '900 different values; none of them is shown, for each is shared by fewer than 5 records.'
    """
    distinct, rarer = column["distinct"], column["rarer_records"]
    if not column["entries"]:
        return tell("page.column.all_rare", values=distinct, least=least)
    if rarer:
        return tell("page.column.some_rare", values=distinct, records=rarer, share=percent(rarer, records))
    return tell("page.column.none_rare", values=distinct)


def pooled_figure(
    key: str, title: str, column: Distribution, records: int, least: int, *, caption: str, kind: str = "bar"
) -> Figure | None:
    """Draw a pooled distribution; ``None`` where most of it is pooled. ``kind`` is the class that colours the bars."""
    if pooled(column, records):
        return None
    bins = column["form"] == "bins"  # anything else is a value of the column, whatever it reads like
    entries = [Bar(printable(worded(label) if bins else label), count, kind) for label, count in column["entries"]]
    if bins:
        return Figure(columns(key, title, entries), caption)
    if column["rarer_records"] >= least:
        entries.append(
            Bar(
                tell("page.column.rarer_values", count=column["rarer_values"]),
                column["rarer_records"],
                f"{kind} none".strip(),
            )
        )
    if column["missing"] >= least:
        entries.append(Bar(tell("page.column.no_value"), column["missing"], f"{kind} none".strip()))
    return Figure(bars(key, title, entries, records), caption)
