"""One column of a release as the report shows it: role, what was done, figures. Reads published values and counts only."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from sfumato.contracts.evidence import Before, Distribution
from sfumato.contracts.published import Published
from sfumato.contracts.recoding import ColumnRecoding
from sfumato.data.compressed import Dictionary
from sfumato.data.frozen import frozen
from sfumato.data.messages import tell, worded
from sfumato.data.schema import ColumnType, Role
from sfumato.data.text import SUPPRESSED, interval_label, to_text
from sfumato.recodings.discretization import Discretization
from sfumato.recodings.group_suppression import masking
from sfumato.recodings.tree_recoding import TreeRecoding
from sfumato.reports.charts import Bar, bars, columns, scale
from sfumato.reports.cut_tree import MOST_NODES, cut_tree, drawn_nodes
from sfumato.reports.figure import Figure
from sfumato.reports.words import operation, percent, printable
from sfumato.tables.pooled import place, pooled, round_width

__all__ = ["ColumnView", "column_views", "pooled_figure", "pooled_words"]

_BARS = 24
_COLUMNS = 60
_BINS = 20
_LISTED = 200
_BUDGET = 500_000  # characters of figures; beyond it columns are told in words, so that wide tables stay readable

_ORDERED = (ColumnType.INTEGER, ColumnType.NUMBER, ColumnType.DATE, ColumnType.DATETIME)


@frozen
class ColumnView:
    """What the report says about one published column."""

    key: str
    name: str
    role: str
    done: str
    distinct: int
    notes: Sequence[str] = ()
    figures: Sequence[Figure] = ()
    labels: Sequence[str] = ()
    labels_left_out: int = 0


def column_views(release: Published, before: Before | None = None) -> list[ColumnView]:
    """Return a view of every published column, in table order; quasi-identifiers get their figures first.

    ``before`` holds pooled distributions of the raw columns; without it only what is published is drawn.
    """
    kept = list(release.table.columns)
    first = [name for name in kept if release.roles[name] is Role.QUASI_IDENTIFIER]
    views: dict[str, ColumnView] = {}
    spent = 0
    for name in [*first, *(name for name in kept if name not in first)]:
        view = _view(release, name, f"c{kept.index(name) + 1}", before, draw=spent < _BUDGET)
        spent += sum(len(figure.drawing) for figure in view.figures) + sum(len(label) for label in view.labels)
        views[name] = view
    return [views[name] for name in kept]


def _view(release: Published, name: str, key: str, before: Before | None, *, draw: bool) -> ColumnView:
    recoding = release.recodings.get(name)
    role = release.roles[name]
    dictionary = release.table.dictionary(name)
    rows = release.table.rows
    notes = list(_notes(role, dictionary, rows))
    figures: list[Figure] = []
    labels: list[str] = []
    if role is Role.IDENTIFIER:
        notes.append(tell("page.column.pseudonyms"))
    elif draw and len(dictionary) + bool(dictionary.missing) > 1:
        figures = list(_figures(release, name, key, recoding, dictionary))
        held = {to_text(value) for value in dictionary.values}
        if (
            isinstance(recoding, TreeRecoding)
            and len(drawn_nodes(recoding, held)) > MOST_NODES
            and not recoding.identity
        ):
            labels = [printable(label, 60) for label in recoding.published() if label in held]
    elif not draw:
        notes.append(tell("page.column.not_drawn"))
    if before is not None and name in before["columns"]:
        earlier, drawing = _before(release, name, key, before, draw=draw)
        notes = [earlier, *notes]
        figures = [*drawing, *figures]
    return ColumnView(
        key=key,
        name=printable(name, 80),
        role=str(role),
        done=tell("page.done.pseudonyms") if role is Role.IDENTIFIER else _done(release, name, recoding),
        distinct=len(dictionary),
        notes=notes,
        figures=figures,
        labels=labels[:_LISTED],
        labels_left_out=max(len(labels) - _LISTED, 0),
    )


def _before(release: Published, name: str, key: str, before: Before, *, draw: bool) -> tuple[str, list[Figure]]:
    """Say and draw how a column was distributed before masking; what was published as it is needs no second drawing."""
    column, records, least = before["columns"][name], before["records"], before["least"]
    recoding = release.recodings.get(name)
    whole = _by_record(release, name) or (recoding is not None and not recoding.identity)
    if not whole and records == release.table.rows:
        return tell("page.column.same_before", values=column["distinct"]), []
    told = tell("page.column.before", words=pooled_words(column, records, least))
    caption = tell("page.column.before_caption", records=records, least=least)
    drawn = (
        pooled_figure(
            f"{key}-before",
            tell("page.column.before_title", name=printable(name, 60)),
            column,
            records,
            least,
            caption=caption,
            kind="bar before",
        )
        if draw
        else None
    )
    return told, [] if drawn is None else [drawn]


def _done(release: Published, name: str, recoding: ColumnRecoding | None) -> str:
    """Say what was done to a column, by its own recoding or by one of whole records."""
    masked_by = masking(release.private.operations)
    if recoding is not None or masked_by is None or release.roles[name] is not Role.QUASI_IDENTIFIER:
        return operation(recoding)
    values = len(release.table.dictionary(name))
    return tell("page.done.by_record", operation=masked_by.id, values=values)


def _by_record(release: Published, name: str) -> bool:
    """Tell whether a column holds labels that were given record by record, so that nothing but the labels tells their order."""
    return (
        masking(release.private.operations) is not None
        and name not in release.recodings
        and release.roles[name] is Role.QUASI_IDENTIFIER
        and release.table.types[name] is ColumnType.TEXT
    )


def _notes(role: Role, dictionary: Dictionary, rows: int) -> Iterable[str]:
    if len(dictionary) == 1 and not dictionary.missing:
        yield tell("page.column.one_value", value=printable(to_text(dictionary.values[0])))
    if dictionary.missing:
        yield tell("page.column.missing", count=dictionary.missing, share=percent(dictionary.missing, rows))
    once = int((dictionary.counts == 1).sum())
    if role not in (Role.QUASI_IDENTIFIER, Role.IDENTIFIER) and once > rows / 2:
        yield (tell("page.column.once", once=once, values=len(dictionary)))


def _figures(
    release: Published, name: str, key: str, recoding: ColumnRecoding | None, dictionary: Dictionary
) -> Iterable[Figure]:
    shown, rows = printable(name, 60), release.table.rows
    counts = {to_text(value): int(count) for value, count in zip(dictionary.values, dictionary.counts, strict=True)}
    masked = recoding is not None and not recoding.identity
    if isinstance(recoding, Discretization) and masked:
        yield Figure(
            scale(f"{key}-cut", tell("page.column.intervals", column=shown), recoding.edges, recoding.published()),
            tell("page.column.intervals_caption"),
        )
    if isinstance(recoding, TreeRecoding) and masked and len(drawn_nodes(recoding, counts)) <= MOST_NODES:
        yield Figure(
            cut_tree(f"{key}-cut", tell("page.column.cut", column=shown), recoding, counts, rows),
            tell("page.column.cut_caption"),
        )
        return
    by_record = _by_record(release, name)
    order = sorted(counts, key=place) if by_record else recoding.published() if recoding is not None else ()
    entries = _entries(counts, order)
    # Values that were masked record by record overlap: neighbours in a row of them must not be joined.
    kind = ColumnType.TEXT if by_record else _kind(release, name)
    if recoding is None and kind in _ORDERED and len(entries) > _BARS:
        entries, caption = _condensed(dictionary, kind)
    elif kind in _ORDERED and len(entries) > _BARS:
        entries, caption = _runs(entries)
    else:
        if len(entries) > _BARS and sum(entry.count == 1 for entry in entries) > len(entries) / 2:
            return  # a chart of values that occur once each says less than the note
        entries, caption = _commonest(entries)
        if dictionary.missing:
            entries = [*entries, Bar(tell("page.column.no_value"), dictionary.missing, "bar none")]
        yield Figure(bars(f"{key}-values", tell("page.column.values", column=shown), entries, rows), caption)
        return
    yield Figure(columns(f"{key}-values", tell("page.column.values", column=shown), entries), caption)


def _kind(release: Published, name: str) -> ColumnType:
    """Return the type of the raw column where it was recoded, of the published one otherwise."""
    return release.private.types.get(name, release.table.types[name])


def _entries(counts: dict[str, int], order: Sequence[str]) -> list[Bar]:
    """Return the published values in the order of the recoding, values that no record has left out."""
    places = {label: place for place, label in enumerate(order)}
    labels = sorted(counts, key=lambda label: places.get(label, len(places))) if places else list(counts)
    return [Bar(label, counts[label], "bar none" if label == SUPPRESSED else "bar") for label in labels]


def _commonest(entries: list[Bar]) -> tuple[list[Bar], str]:
    if len(entries) <= _BARS:
        return entries, tell("page.column.caption")
    ranked = sorted(entries, key=lambda entry: -entry.count)
    rest = ranked[_BARS - 1 :]
    others = Bar(tell("page.column.other_values", count=len(rest)), sum(entry.count for entry in rest), "bar none")
    return [*ranked[: _BARS - 1], others], tell("page.column.most_frequent", count=_BARS - 1)


def _runs(entries: list[Bar]) -> tuple[list[Bar], str]:
    """Join neighbours of a long ordered list, so that every column stays wide enough to be seen."""
    if len(entries) <= _COLUMNS + 20:
        return entries, tell("page.column.in_order")
    size = -(-len(entries) // _COLUMNS)
    joined = [entries[start : start + size] for start in range(0, len(entries), size)]
    return [
        Bar(
            run[0].label,
            sum(entry.count for entry in run),
            whole=tell("page.column.run", first=run[0].label, last=run[-1].label),
        )
        for run in joined
    ], tell("page.column.joined", size=size)


def _condensed(dictionary: Dictionary, kind: ColumnType) -> tuple[list[Bar], str]:
    """Return what to draw of an ordered column that was published as it is: bins of numbers, runs of dates."""
    if not kind.numeric or not np.isfinite(np.asarray(dictionary.values, np.float64)).all():
        return _runs(
            _entries({to_text(v): int(c) for v, c in zip(dictionary.values, dictionary.counts, strict=True)}, ())
        )
    values = np.asarray(dictionary.values, np.float64)
    width = round_width(float(values[-1] - values[0]) / _BINS)
    low = math.floor(values[0] / width)
    counts = np.bincount((np.floor(values / width) - low).astype(np.int64), weights=dictionary.counts)
    edges = [float(f"{(low + step) * width:.6g}") for step in range(len(counts) + 1)]
    return [Bar(interval_label(edges[i], edges[i + 1]), int(count)) for i, count in enumerate(counts)], tell(
        "page.column.parts", count=len(counts)
    )


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
