"""Small charts as inline SVG: bars, columns, a scale of intervals, a meter. Text in, markup out, everything escaped.

Colours come from the classes of the page, so that a chart follows its light, dark and printed form.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Literal

from markupsafe import Markup

from sfumato.data.frozen import frozen
from sfumato.data.messages import tell
from sfumato.data.text import number_text
from sfumato.reports.words import number, percent, printable

__all__ = ["WIDTH", "Bar", "bars", "clip", "columns", "dot", "framed", "grid", "label_width", "meter", "piece", "scale"]

WIDTH = 720.0
_ROW = 22.0
_LABEL = 110.0
_SIGN = 6.6  # mean width of a sign at 12 px; there is no font to ask


@frozen
class Bar:
    """One value with its number of records.

    ``kind`` is the class that colours it, ``note`` a second line below it, ``whole`` what it stands for where the label is
    not enough.
    """

    label: str
    count: int
    kind: str = "bar"
    note: str = ""
    whole: str = ""

    @property
    def full(self) -> str:
        """The label as it is read out."""
        return printable(self.whole or self.label)


def piece(template: str, **values: object) -> Markup:
    """Fill an SVG template; numbers lose useless digits, texts are escaped."""
    return Markup(template).format(
        **{
            key: f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else value
            for key, value in values.items()
        }
    )


def grid(left: float, right: float, y: float, text: str) -> Markup:
    """Draw a line across, with what it stands for at its left end."""
    return piece(
        '<line x1="{left}" x2="{right}" y1="{y}" y2="{y}" class="grid"/>'
        '<text x="{at}" y="{base}" class="end soft">{text}</text>',
        left=left,
        right=right,
        y=y,
        at=left - 6,
        base=y + 4,
        text=text,
    )


def dot(words: str, x: float, y: float, *, on: bool, r: float = 3.0) -> Markup:
    """Draw a point with words to be read at it; the one that counts is filled, and larger."""
    return piece(
        '<g><title>{words}</title><circle cx="{x}" cy="{y}" r="{r}" class="{kind}"/></g>',
        words=words,
        x=x,
        y=y,
        r=r + 2 if on else r,
        kind="dot on" if on else "dot",
    )


def label_width(text: str) -> float:
    """Estimate the width of a text at 12 px; wide signs count double."""
    return sum(2 * _SIGN if unicodedata.east_asian_width(sign) in "WF" else _SIGN for sign in text)


def clip(text: str, width: float) -> str:
    """Shorten a text to a width in pixels."""
    shown = printable(text)
    if label_width(shown) <= width:
        return shown
    while shown and label_width(shown) > width - _SIGN:
        shown = shown[:-1]
    return shown.rstrip() + "…"


def framed(
    key: str, title: str, description: str, height: float, parts: Iterable[Markup], width: float = WIDTH
) -> Markup:
    """Put parts into an SVG that reads out its title and description; ``key`` makes its ids unique on the page."""
    return piece(
        '<svg viewBox="0 0 {width} {height}" role="img" aria-labelledby="{key}-t {key}-d">'
        '<title id="{key}-t">{title}</title><desc id="{key}-d">{description}</desc>{body}</svg>',
        width=width,
        height=height,
        key=key,
        title=title,
        description=description,
        body=Markup("").join(parts),
    )


def bars(key: str, title: str, entries: Sequence[Bar], total: int) -> Markup:
    """Draw one horizontal bar per value, with count and share of ``total``."""
    most = max((entry.count for entry in entries), default=0) or 1
    left = min(max((label_width(printable(entry.label)) for entry in entries), default=0.0), 260.0) + 14
    room = WIDTH - left - 130
    parts = []
    for index, entry in enumerate(entries):
        parts.append(
            piece(
                '<g><title>{full}: {words}</title><text x="{at}" y="{base}" class="end">{label}</text>'
                '<rect x="{left}" y="{top}" width="{width}" height="14" rx="2" class="{kind}"/>'
                '<text x="{after}" y="{base}">{count} <tspan class="soft">{share}</tspan></text></g>',
                full=entry.full,
                words=tell("page.chart.record", count=entry.count),
                label=clip(entry.label, left - 14),
                at=left - 8,
                base=index * _ROW + 15,
                left=left,
                top=index * _ROW + 4,
                width=max(room * entry.count / most, 1.0 if entry.count else 0.0),
                kind=entry.kind,
                after=left + room * entry.count / most + 6,
                count=number(entry.count),
                share=percent(entry.count, total),
            )
        )
    return framed(key, title, _told(entries), len(entries) * _ROW + 2, parts)


def columns(key: str, title: str, entries: Sequence[Bar], noun: Literal["record", "question"] = "record") -> Markup:
    """Draw one upright column per value of an order; labels are thinned until they fit. ``noun`` is what is counted."""
    left, top, tall = 56.0, 22.0, 140.0
    notes = any(entry.note for entry in entries)
    ceiling = _ceiling(max((entry.count for entry in entries), default=0))
    step = (WIDTH - left) / max(len(entries), 1)
    wide = min(step * 0.82, 76.0)
    widest = max((label_width(clip(entry.label, _LABEL)) for entry in entries), default=0.0) + 8
    every = max(math.ceil(widest / step), 1)
    parts = [
        grid(
            left,
            WIDTH,
            top + tall * (1 - share),
            number(ceiling * share) if (ceiling * share).is_integer() else "",
        )
        for share in (0.0, 0.5, 1.0)
    ]
    for index, entry in enumerate(entries):
        middle = left + step * (index + 0.5)
        height = tall * entry.count / ceiling
        fits = len(entries) < 9 or middle + label_width(clip(entry.label, _LABEL)) / 2 <= WIDTH
        parts.append(
            piece(
                "<g><title>{full}: {words}</title>"
                '<rect x="{x}" y="{y}" width="{wide}" height="{height}" class="{kind}"/>{above}{label}{note}</g>',
                full=entry.full,
                words=tell(f"page.chart.{noun}", count=entry.count) + (f", {entry.note}" if entry.note else ""),
                x=middle - wide / 2,
                y=top + tall - height,
                wide=wide,
                height=height,
                kind=entry.kind,
                above=_middle(middle, top + tall - height - 5, number(entry.count)) if step >= 44 else "",
                label=_middle(middle, top + tall + 17, clip(entry.label, _LABEL))
                if index % every == 0 and fits
                else "",
                note=_middle(middle, top + tall + 33, entry.note, "middle soft") if notes and step >= 60 else "",
            )
        )
    return framed(key, title, _told(entries), top + tall + (40 if notes else 24), parts)


def scale(key: str, title: str, edges: Sequence[float], labels: Sequence[str]) -> Markup:
    """Draw intervals to scale on their range; edges are written where there is room for them."""
    left, room = 8.0, WIDTH - 16.0
    span = edges[-1] - edges[0]
    # A range of no width (a column with one number) still gets a strip.
    places = [
        left + room * ((edge - edges[0]) / span if span > 0 else index / (len(edges) - 1))
        for index, edge in enumerate(edges)
    ]
    parts = [
        piece(
            '<g><title>{label}</title><rect x="{x}" y="6" width="{width}" height="22" class="{kind}"/></g>',
            label=label,
            x=places[index],
            width=max(places[index + 1] - places[index], 0.5),
            kind="band" if index % 2 == 0 else "band other",
        )
        for index, label in enumerate(labels)
    ]
    texts = [number_text(edge) for edge in edges]
    last = WIDTH - label_width(texts[-1]) - 8
    free = 0.0
    for index, (place, text) in enumerate(zip(places, texts, strict=True)):
        width = label_width(text)
        parts.append(piece('<line x1="{x}" x2="{x}" y1="2" y2="32" class="edge"/>', x=place))
        if index == 0:
            parts.append(piece('<text x="{x}" y="46">{text}</text>', x=1.0, text=text))
            free = width + 10
        elif index == len(texts) - 1:
            parts.append(piece('<text x="{x}" y="46" class="end">{text}</text>', x=WIDTH - 1, text=text))
        elif place - width / 2 >= free and place + width / 2 <= last:
            parts.append(_middle(place, 46.0, text))
            free = place + width / 2 + 8
    return framed(key, title, tell("page.chart.intervals", labels="; ".join(labels[:60])), 52.0, parts)


def meter(value: float, lowest: float | None, highest: float | None) -> Markup:
    """Draw where a value lies between the lowest and the highest possible; nothing without bounds."""
    if lowest is None or highest is None or not highest > lowest:
        return Markup("")
    share = min(max((value - lowest) / (highest - lowest), 0.0), 1.0)
    return piece(
        '<svg class="meter" viewBox="0 0 120 10" aria-hidden="true"><rect width="120" height="10" rx="2" class="rail"/>'
        '<rect width="{width}" height="10" rx="2" class="bar"/></svg>',
        width=max(120 * share, 1.0 if share else 0.0),
    )


def _middle(x: float, y: float, text: str, kind: str = "middle") -> Markup:
    return piece('<text x="{x}" y="{y}" class="{kind}">{text}</text>', x=x, y=y, kind=kind, text=text)


def _told(entries: Sequence[Bar]) -> str:
    said = "; ".join(f"{entry.full}: {number(entry.count)}" for entry in entries[:60])
    return tell("page.chart.more", said=said, count=len(entries) - 60) if len(entries) > 60 else said


def _ceiling(most: int) -> float:
    """Return the next number of the series 1, 2, 5, 10, ... with a quarter's step in between."""
    power = 10.0 ** math.floor(math.log10(max(most, 1)))
    return next(factor * power for factor in (1, 1.5, 2, 3, 4, 5, 6, 8, 10) if factor * power >= max(most, 1))
