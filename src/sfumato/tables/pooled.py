"""How a column is distributed, at a granularity that shows no single person.

Values shared by fewer than ``least`` records are pooled without being named. Numbers and dates are counted in bins of round
width; neighbours are joined until each bin holds ``least`` records, and the outermost bins are open, so that neither the
smallest nor the largest value is told. The result is plain data that JSON takes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from datetime import date
from typing import Any

import numpy as np

from sfumato.contracts.engine import Table
from sfumato.contracts.evidence import Before, Distribution
from sfumato.data.compressed import Dictionary
from sfumato.data.messages import say
from sfumato.data.schema import ColumnType
from sfumato.data.text import interval_label, parse_interval, to_text

__all__ = ["LEAST", "place", "pooled", "pooled_column", "pooled_columns", "round_width"]

LEAST = 5
"""Fewer records than this are never shown as a value of their own."""

_LISTED = 24
_BINS = 20
_YEAR, _MONTH = 366, 62


def pooled_columns(table: Table, names: Sequence[str], least: int, *, labels: Sequence[str] = ()) -> Before:
    """Return the distributions of some columns; ``labels`` are columns of published labels, put in the order of these."""
    return {
        "least": least,
        "records": table.rows,
        "columns": {
            name: pooled_column(table.dictionary(name), table.types[name], least, in_order=name in labels)
            for name in names
        },
    }


def pooled_column(dictionary: Dictionary, kind: ColumnType, least: int, *, in_order: bool = False) -> Distribution:
    """Return the distribution of one column.

    >>> ages = Dictionary("age", (1, 2, 3, 90), np.array([6, 3, 4, 1]))
    >>> pooled_column(ages, ColumnType.INTEGER, 5)["entries"]
    [['1', 6]]
    """
    counts = dictionary.counts.tolist()
    binned = None if len(dictionary) <= _LISTED else _binned(dictionary, kind)
    if binned is not None:
        units, label = binned
        entries = [[text, count] for text, count in _joined(units, least, label) if count >= least]
        return _distribution("bins", dictionary, entries, 0)
    values = [to_text(value) for value in dictionary.values]
    ranked = sorted(zip(values, counts, strict=True), key=lambda one: -one[1])
    named = [(text, count) for text, count in ranked[:_LISTED] if count >= least]
    if in_order or kind is not ColumnType.TEXT:
        order = {text: at for at, text in enumerate(sorted(values, key=place) if in_order else values)}
        named.sort(key=lambda one: order[one[0]])
    entries = [[text, count] for text, count in named]
    return _distribution("values", dictionary, entries, len(values) - len(entries))


def pooled(column: Distribution, records: int) -> bool:
    """Tell whether most records are in the pool, so that a drawing would show nothing."""
    return bool(column["rarer_records"] * 2 > records) or len(column["entries"]) < 2


def round_width(width: float) -> float:
    """Return the next width of the series 1, 2, 5, 10, ... and its tenths."""
    power = 10.0 ** math.floor(math.log10(width))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= width)


def _distribution(form: str, dictionary: Dictionary, entries: list[list[Any]], rarer_values: int) -> Distribution:
    return {
        "form": form,
        "distinct": len(dictionary),
        "missing": int(dictionary.missing),
        "entries": entries,
        "rarer_values": rarer_values,
        "rarer_records": int(dictionary.counts.sum()) - sum(count for _, count in entries),
    }


Units = dict[int, int]
Label = Callable[[int, int, bool, bool], str]


def _binned(dictionary: Dictionary, kind: ColumnType) -> tuple[Units, Label] | None:
    """Return records by bin, and what names a run of bins; ``None`` for values without distances."""
    if kind.numeric:
        values = np.asarray(dictionary.values, np.float64)
        if not np.isfinite(values).all() or values[-1] <= values[0]:
            return None
        width = round_width(float(values[-1] - values[0]) / _BINS)
        if kind is ColumnType.INTEGER:
            width = max(width, 1.0)
        return _counted(np.floor(values / width).astype(np.int64).tolist(), dictionary), _of_numbers(width)
    if kind in (ColumnType.DATE, ColumnType.DATETIME):
        days = [date(value.year, value.month, value.day) for value in dictionary.values]  # type: ignore[attr-defined]
        return _calendar(days, dictionary)
    return None


def _counted(units: Sequence[int], dictionary: Dictionary) -> Units:
    out: Units = {}
    for unit, count in zip(units, dictionary.counts.tolist(), strict=True):
        out[unit] = out.get(unit, 0) + int(count)
    return out


def _of_numbers(width: float) -> Label:
    def edge(unit: int) -> float:
        return float(f"{unit * width:.6g}")

    def label(low: int, high: int, first: bool, last: bool) -> str:
        if first or last:
            return say("range.below", edge=edge(high)) if first else say("range.or_more", edge=edge(low))
        return interval_label(edge(low), edge(high))

    return label


def _calendar(days: Sequence[date], dictionary: Dictionary) -> tuple[Units, Label]:
    """Count by year (or several), month or day, whichever leaves about as many bins as are drawn."""
    span = (days[-1] - days[0]).days
    if span > _YEAR * 2:
        step = max(int(round_width(span / _YEAR / _BINS)), 1)
        return _counted([day.year // step for day in days], dictionary), _of_dates(str, step)
    if span > _MONTH:
        units = [day.year * 12 + day.month - 1 for day in days]
        return _counted(units, dictionary), _of_dates(lambda unit: f"{unit // 12}-{unit % 12 + 1:02}")
    return _counted([day.toordinal() for day in days], dictionary), _of_dates(
        lambda unit: date.fromordinal(unit).isoformat()
    )


def _of_dates(name: Callable[[int], str], step: int = 1) -> Label:
    """Name runs of years, months or days by their first and last one; a bin holds ``step`` of them."""

    def label(low: int, high: int, first: bool, last: bool) -> str:
        begin, end = name(low * step), name(high * step - 1)
        if first or last:
            return say("range.until", end=end) if first else say("range.or_later", begin=begin)
        return begin if begin == end else f"{begin}–{end}"

    return label


def _joined(units: Units, least: int, label: Label) -> list[tuple[str, int]]:
    """Join neighbours until each run holds enough records; what is left at the end goes to the last run."""
    runs: list[list[int]] = []
    low: int | None = None
    held = 0
    for unit in range(min(units), max(units) + 1):
        low = unit if low is None else low
        held += units.get(unit, 0)
        if held >= least:
            runs.append([low, unit + 1, held])
            low, held = None, 0
    if held and runs:
        runs[-1][1:] = [max(units) + 1, runs[-1][2] + held]
    last = len(runs) - 1
    if last < 1:
        return []  # one open bin says nothing
    return [(label(a, b, at == 0, at == last), count) for at, (a, b, count) in enumerate(runs)]


def place(label: str) -> tuple[bool, float, float, str]:
    """Return what to sort a label by.

    >>> sorted(["*", "[10-20)", "9"], key=place)
    ['9', '[10-20)', '*']
    """
    try:
        low, high, _ = parse_interval(label) or (float(label), float(label), True)
    except ValueError:
        return True, 0.0, 0.0, label
    return False, low, high, label
