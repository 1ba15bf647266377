"""A pooled distribution as a figure, or as a sentence where there is nothing to draw."""

from __future__ import annotations

from sfumato.contracts.evidence import Distribution
from sfumato.reports.charts import Bar, bars, columns
from sfumato.reports.figure import Figure
from sfumato.reports.words import counted, percent, printable
from sfumato.tables.pooled import pooled

__all__ = ["pooled_figure", "pooled_words"]


def pooled_words(column: Distribution, records: int, least: int) -> str:
    """Say how many values there are and how many records share a value with too few others to be shown.

    >>> known = {"distinct": 900, "missing": 0, "entries": [], "rarer_values": 900, "rarer_records": 1000}
    >>> pooled_words(known, 1000, 5)
    '900 different values; none of them is shown, for each is shared by fewer than 5 records.'
    """
    said = counted(column["distinct"], "different value")
    if not column["entries"]:
        return f"{said}; none of them is shown, for each is shared by fewer than {least:,} records."
    if column["rarer_records"]:
        said += f"; {counted(column['rarer_records'], 'record')} ({percent(column['rarer_records'], records)}) with rarer ones"
    return f"{said}."


def pooled_figure(
    key: str, title: str, column: Distribution, records: int, least: int, *, caption: str, kind: str = "bar"
) -> Figure | None:
    """Draw a pooled distribution; ``None`` where most of it is pooled. ``kind`` is the class that colours the bars."""
    if pooled(column, records):
        return None
    entries = [Bar(printable(label), count, kind) for label, count in column["entries"]]
    if column["form"] == "bins":
        return Figure(columns(key, title, entries), caption)
    if column["rarer_records"] >= least:
        entries.append(Bar(f"{column['rarer_values']:,} rarer values", column["rarer_records"], f"{kind} none".strip()))
    if column["missing"] >= least:
        entries.append(Bar("(no value)", column["missing"], f"{kind} none".strip()))
    return Figure(bars(key, title, entries, records), caption)
