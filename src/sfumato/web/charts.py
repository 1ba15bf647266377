"""Drawings of the workbench as SVG: before is hollow clay, after is solid teal, over a limit is hollow red.

Every text that goes in is escaped here.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import pairwise

from sfumato.data.messages import signs

__all__ = ["bars", "course", "dots", "levels", "lines", "meter", "risk_line", "sparkline", "tiles"]


_LETTER = 7.0  # how wide a letter is, about
_PARTS = 60  # so many parts of a level can be told apart


def _number(value: float) -> str:
    return signs(f"{value:,.0f}")


def _framed(width: float, height: float, label: str, body: str, classes: str = "") -> str:
    held = f' class="{classes}"' if classes else ""
    return f'<svg{held} viewBox="0 0 {width:g} {height:g}" role="img" aria-label="{escape(label)}">{body}</svg>'


def _text(x: float, y: float, words: str, classes: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{classes}">{escape(words)}</text>'


def _bar(kind: str, x: float, y: float, width: float, height: float) -> str:
    return f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="2"/>'


def sparkline(counts: Sequence[int], label: str) -> str:
    """Draw how often values occur, small, without a number."""
    most, width = max(counts, default=1) or 1, 92 / max(len(counts), 1)
    body = "".join(
        f'<rect class="bar" x="{at * width:.1f}" y="{24 - max(24 * one / most, 1.5):.1f}" '
        f'width="{max(width - 1.2, 0.8):.1f}" height="{max(24 * one / most, 1.5):.1f}"/>'
        for at, one in enumerate(counts)
    )
    return f'<svg width="92" height="24" viewBox="0 0 92 24" role="img" aria-label="{escape(label)}">{body}</svg>'


def bars(named: Sequence[tuple[str, float]], limit: float | None, here: str, label: str, limit_words: str = "") -> str:
    """Draw counts by name: the one that counts now is dark, those over the limit are hollow red."""
    width, height, floor = 330.0, 130.0, 104.0
    most = max([value for _, value in named] + [limit or 0.0, 1.0])
    step = width / max(len(named), 1)
    roomy = max((len(_number(value)) for _, value in named), default=0) * _LETTER <= step
    body = ""
    for at, (name, value) in enumerate(named):
        high = max(82 * value / most, 1.5 if value else 0.0)
        kind = "over" if limit is not None and value > limit else "aft" if name == here else "bar"
        x = at * step + step * 0.16
        body += _bar(kind, x, floor - high, step * 0.68, high)
        strong = "mid strong" if name == here else "mid soft"
        body += _text(at * step + step / 2, floor + 16, name, strong)
        if name == here or at == len(named) - 1 or (roomy and value):
            body += _text(at * step + step / 2, floor - high - 5, _number(value), strong + " halo")
        if name == here:
            body += f'<rect class="on" x="{x:.1f}" y="{floor + 21}" width="{step * 0.68:.1f}" height="2.5"/>'
    body += f'<line class="axis" x1="0" x2="{width}" y1="{floor}" y2="{floor}"/>'
    if limit is not None:
        y = floor - 82 * limit / most
        body += f'<line class="limit" x1="0" x2="{width}" y1="{y:.1f}" y2="{y:.1f}"/>'
        left = named[0][1] <= named[-1][1] if named else True  # where bars are lower
        body += _text(0 if left else width, y - 5, limit_words, "soft halo" if left else "soft halo end")
    return _framed(width, height, label, body)


def dots(sets: Sequence[tuple[Sequence[str], int]], columns: Sequence[str], all_: int, label: str) -> str:
    """Draw how many people single columns or sets of them single out, with dots for the columns that are known."""
    left, row, top = 110.0, 21.0, 138.0
    width = 650.0
    step = (width - left) / max(len(sets), 1)
    body = ""
    for share in (0.0, 0.5, 1.0):
        y = top - 120 * share
        body += f'<line class="grid" x1="{left}" x2="{width}" y1="{y:.1f}" y2="{y:.1f}"/>'
        body += _text(left - 6, y + 4, _number(all_ * share), "soft end")
    for at, name in enumerate(columns):
        y = 162 + at * row
        if at % 2 == 0:
            body += f'<rect x="{left}" y="{y - 10.5:.1f}" width="{width - left}" height="21" class="stripe"/>'
        body += _text(left - 6, y + 4, name if len(name) < 15 else name[:13] + "…", "end soft")
    for at, (names, people) in enumerate(sets):
        x, high = left + at * step + step / 2, max(120 * people / max(all_, 1), 2.0)
        body += f'<rect class="bef" x="{x - 15:.1f}" y="{top - high:.1f}" width="30" height="{high:.1f}" rx="2"/>'
        body += _text(x, top - high - 5, _number(people), "mid small")
        held = [162 + columns.index(name) * row for name in names]
        body += f'<line class="aftl" x1="{x:.1f}" x2="{x:.1f}" y1="{min(held)}" y2="{max(held)}"/>'
        for place, name in enumerate(columns):
            kind = "on" if name in names else "off"
            body += f'<circle class="{kind}" cx="{x:.1f}" cy="{162 + place * row}" r="5.5"/>'
    return _framed(width, 150 + row * len(columns), label, body)


def levels(rows: Sequence[tuple[str, Sequence[tuple[str, int]]]], label: str) -> str:
    """Draw the levels of a hierarchy to size: one bar for each level, as wide as its records.

    A level of very many values is a histogram instead: neighbours are put together, and as high as their records.
    """
    width, body, y = 640.0, "", 0.0
    for at, (title, parts) in enumerate(rows):
        body += _text(0, y + 14, title, "soft")
        total, x = sum(count for _, count in parts) or 1, 0.0
        if len(parts) > _PARTS:
            ends = [round(place * len(parts) / _PARTS) for place in range(_PARTS + 1)]
            pooled = [sum(count for _, count in parts[low:high]) for low, high in pairwise(ends)]
            wide = width / _PARTS
            for place, count in enumerate(pooled):
                tall = 34 * count / max(pooled)
                body += _bar(f"level{min(at, 3)}", place * wide, y + 54 - tall, wide - 2, tall)
            y += 64
            continue
        for name, count in parts:
            wide = width * count / total
            body += _bar(f"level{min(at, 3)}", x, y + 20, max(wide - 2, 0.6), 34)
            room = int(wide / 7.5)
            if room >= 4:
                body += _text(x + wide / 2 - 1, y + 41, name if len(name) <= room else f"{name[: room - 1]}…", "mid")
            x += wide
        y += 64
    return _framed(width, max(y, 10), label, body)


def lines(points: Sequence[float], names: Sequence[str], here: int | None, label: str) -> str:
    """Draw a curve of shares by place; the point that is looked at has a ring."""
    width, height = 400.0, 230.0
    left, floor, high = 46.0, 190.0, 170.0
    count = max(len(points) - 1, 1)
    body = ""
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        y = floor - high * share
        body += f'<line class="grid" x1="{left}" x2="{width}" y1="{y:.1f}" y2="{y:.1f}"/>'
        body += _text(left - 6, y + 4, signs(f"{100 * share:.0f}%"), "soft end")
    placed = [(left + 12 + (width - left - 30) * at / count, floor - high * y) for at, y in enumerate(points)]
    body += f'<polyline class="aftl" points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in placed)}"/>'
    for at, (x, y) in enumerate(placed):
        body += f'<circle class="on" cx="{x:.1f}" cy="{y:.1f}" r="4.5"/>'
        if at == here:
            body += f'<circle class="ring" cx="{x:.1f}" cy="{y:.1f}" r="9"/>'
    taken: list[tuple[float, float]] = []  # labels that would run into another one are left out
    for at in sorted(range(len(placed)), key=lambda at: (at != here, at not in (0, len(placed) - 1), at)):
        half = len(names[at]) * _LETTER / 2
        x = min(placed[at][0], width - half)
        if all(x + half + 6 < low or x - half - 6 > end for low, end in taken):
            taken.append((x - half, x + half))
            body += _text(x, floor + 18, names[at], "mid strong" if at == here else "mid soft")
    return _framed(width, height, label, body)


def course(points: Sequence[tuple[float, float]], now: float, label: str) -> str:
    """Draw shares that were reached, by seconds: a line in steps that ends at the present."""
    width, floor, high, left = 400.0, 130.0, 110.0, 46.0
    end = max(now, points[-1][0], 0.1)
    body = ""
    for share in (0.0, 0.5, 1.0):
        y = floor - high * share
        body += f'<line class="grid" x1="{left}" x2="{width}" y1="{y:.1f}" y2="{y:.1f}"/>'
        body += _text(left - 6, y + 4, signs(f"{100 * share:.0f}%"), "soft end")
    path, last = list[str](), None
    for at, share in [*points, (end, points[-1][1])]:
        x, y = left + (width - left - 60) * at / end, floor - high * max(share, 0.0)
        path += [f"{x:.1f},{last:.1f}"] if last is not None else []
        path.append(f"{x:.1f},{y:.1f}")
        last = y
    body += f'<polyline class="aftl" points="{" ".join(path)}"/>'
    body += _text(width - 54, (last or 0.0) + 4, signs(f"{100 * points[-1][1]:.0f}%"), "strong")
    body += _text(left, floor + 16, "0 s", "soft") + _text(width - 60, floor + 16, signs(f"{end:.0f} s"), "soft end")
    return _framed(width, floor + 22, label, body)


def tiles(rows: Sequence[Sequence[tuple[str, str]]], label: str) -> str:
    """Draw one tile for each choice: rows from exact to hidden, a kind (s1 to s6, or none) and a title for each tile.

    Tiles are numbered from the first row on (``data-at``), so that a page can tell which one was clicked.
    """
    most = max((len(row) for row in rows), default=1)
    size = min(26.0, 600.0 / max(most, 1))
    width = max(size * most, 200.0)
    body = (
        '<defs><pattern id="broken" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
        '<rect width="6" height="6" class="stripe"/><line x1="0" y1="0" x2="0" y2="6" class="axis"/></pattern></defs>'
    )
    first = 0
    for at, row in enumerate(rows):
        start = (width - size * len(row)) / 2
        for place, (kind, title) in enumerate(row):
            fill = ' fill="url(#broken)"' if kind.startswith("none") else ""
            body += (
                f'<rect class="tile {kind}" data-at="{first + place}" x="{start + place * size:.1f}" y="{at * size:.1f}" '
                f'width="{size - 2:.1f}" height="{size - 2:.1f}" rx="3"{fill}><title>{escape(title)}</title></rect>'
            )
        first += len(row)
    return _framed(width, size * len(rows), label, body, "tiles")


def meter(share: float, label: str) -> str:
    """Draw a share as a small bar."""
    return (
        f'<span class="meter" role="img" aria-label="{escape(label)}"><i style="width:{100 * share:.0f}%"></i></span>'
    )


def risk_line(low: float, at: float, high: float, limit: float, words: str, label: str) -> str:
    """Draw an estimate with its interval on a line, and the limit below which it counts as none."""
    most = max(2 * limit, high * 1.1, 0.01)
    x = {name: 8 + 204 * value / most for name, value in (("low", low), ("at", at), ("high", high), ("limit", limit))}
    body = f'<rect x="8" y="12" width="{x["limit"] - 8:.1f}" height="16" class="safe"/>'
    body += '<line class="axis" x1="8" x2="212" y1="28" y2="28"/>'
    body += f'<line class="limit" x1="{x["limit"]:.1f}" x2="{x["limit"]:.1f}" y1="4" y2="34"/>'
    body += f'<line class="aftl" x1="{x["low"]:.1f}" x2="{x["high"]:.1f}" y1="20" y2="20"/>'
    body += f'<circle class="on" cx="{x["at"]:.1f}" cy="20" r="5"/>'
    body += _text(x["limit"], 48, words, "mid soft small") + _text(8, 48, "0", "soft small")
    return _framed(220, 54, label, body)
