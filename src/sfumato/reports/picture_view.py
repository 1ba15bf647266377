"""Pictures of a shape, drawn: bars before and after, curves, shaded grids, paths in the plane."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import chain

from markupsafe import Markup

from sfumato.contracts.picture import Bars, Cells, Curves, Line, Picture, Plot, Point, Texts
from sfumato.data.messages import tell, worded
from sfumato.reports.charts import WIDTH, clip, framed, grid, label_width, piece
from sfumato.reports.figure import Figure
from sfumato.reports.words import number, printable

__all__ = ["picture_views"]

_ROW, _BAR = 22.0, 9.0
_LEFT, _RIGHT, _TOP, _TALL = 64.0, 190.0, 30.0, 200.0
_LINE = 15.0  # below this two names at the end of lines would lie on each other
_COLOURS = 6  # that texts are marked with
_LONGEST = 5_000  # signs of a piece of a text
_SHOWN = 60  # what is read out of a long picture


def picture_views(pictures: Sequence[Picture]) -> list[Figure]:
    """Draw each picture, with its title and caption in the language that is spoken."""
    return [
        Figure(
            _drawn(f"picture-{at}", picture),
            printable(f"{worded(picture.title)}. {worded(picture.caption)}".strip(), 2000),
        )
        for at, picture in enumerate(pictures)
    ]


def _drawn(key: str, picture: Picture) -> Markup:
    if isinstance(picture, Bars):
        return _bars(key, picture)
    if isinstance(picture, Curves):
        return _curves(key, picture)
    if isinstance(picture, Texts):
        return _texts(picture)
    return _cells(key, picture) if isinstance(picture, Cells) else _plot(key, picture)


def _bars(key: str, picture: Bars) -> Markup:
    """Draw a bar for each label; what it was before stands above it, dashed."""
    labels = [worded(label) for label in picture.labels]
    before = picture.before
    most = max(chain(picture.after, before or ()), default=0.0) or 1.0
    left = min(max((label_width(printable(label)) for label in labels), default=0.0), 260.0) + 14
    room = WIDTH - left - 150
    parts, said = [], []
    for at, (label, count) in enumerate(zip(labels, picture.after, strict=True)):
        top = at * _ROW
        words = number(count) if before is None else tell("page.picture.changed", before=before[at], after=count)
        said.append(f"{printable(label)}: {words}")
        if before is not None:
            parts.append(_rect(left, top + 2, room * before[at] / most, "bar before"))
        parts.append(
            piece(
                '<g><title>{said}</title><text x="{at}" y="{base}" class="end">{label}</text>{bar}'
                '<text x="{after}" y="{base}">{words}</text></g>',
                said=said[-1],
                at=left - 8,
                base=top + 15,
                label=clip(label, left - 14),
                bar=_rect(left, top + (11 if before is not None else 6), room * count / most, "bar"),
                after=left + room * max(count, before[at] if before is not None else 0) / most + 6,
                words=words,
            )
        )
    return framed(key, worded(picture.title), _told(said), len(labels) * _ROW + 4, parts)


def _rect(x: float, y: float, width: float, kind: str) -> Markup:
    return piece(
        '<rect x="{x}" y="{y}" width="{width}" height="{height}" class="{kind}"/>',
        x=x,
        y=y,
        width=max(width, 0.0),
        height=_BAR,
        kind=kind,
    )


# ---- curves --------------------------------------------------------------------------------------------------------------


def _curves(key: str, picture: Curves) -> Markup:
    """Draw lines in one frame, each named where it ends."""
    lines = [Line(name=one.name, before=one.before, points=_placed(one.points, picture)) for one in picture.lines]
    places = [point for line in lines for point in line.points]
    across, up = (
        _axis([x for x, _ in places], log=picture.log_across),
        _axis([y for _, y in places], log=picture.log_up),
    )
    right, base = WIDTH - _RIGHT, _TOP + _TALL

    def x_of(value: float) -> float:
        return _LEFT + (right - _LEFT) * _share(value, across)

    def y_of(value: float) -> float:
        return base - _TALL * _share(value, up)

    parts = [piece('<text x="4" y="{y}" class="strong">{text}</text>', y=_TOP - 14, text=worded(picture.up))]
    parts += [
        grid(_LEFT, right, y_of(mark), _mark(mark, log=picture.log_up)) for mark in _marks(up, log=picture.log_up)
    ]
    parts += [
        piece(
            '<text x="{x}" y="{y}" class="middle soft">{text}</text>',
            x=x_of(mark),
            y=base + 17,
            text=_mark(mark, log=picture.log_across),
        )
        for mark in _marks(across, log=picture.log_across)
    ]
    parts.append(
        piece(
            '<text x="{x}" y="{y}" class="middle">{text}</text>',
            x=(_LEFT + right) / 2,
            y=base + 36,
            text=worded(picture.across),
        )
    )
    ends: list[float] = []
    for at, line in enumerate(lines):
        if line.points:
            parts += _line(line, at, x_of, y_of, right, ends)
    said = [f"{worded(line.name)}: {_spoken(line, picture)}" for line in lines if line.points]
    return framed(key, worded(picture.title), _told(said), base + 44, parts)


def _placed(points: Sequence[Point], picture: Curves) -> list[Point]:
    """Return where points lie, on logarithmic axes by their exponents; what has no place there is left out."""
    out = []
    for x, y in points:
        if (picture.log_across and x <= 0) or (picture.log_up and y <= 0):
            continue
        out.append((math.log10(x) if picture.log_across else x, math.log10(y) if picture.log_up else y))
    return out


def _axis(values: Sequence[float], *, log: bool) -> tuple[float, float]:
    low, high = min(values, default=0.0), max(values, default=1.0)
    low = float(math.floor(low)) if log else min(low, 0.0) if low < high / 2 else low
    high = float(math.ceil(high)) if log else high
    return (low, high) if high > low else (low, low + 1)


def _share(value: float, axis: tuple[float, float]) -> float:
    return (value - axis[0]) / (axis[1] - axis[0])


def _marks(axis: tuple[float, float], *, log: bool) -> list[float]:
    low, high = axis
    if log:
        decades = max(math.ceil((high - low) / 6), 1)
        return [float(mark) for mark in range(int(low), int(high) + 1, decades)]
    wide = (high - low) / 4
    power = 10.0 ** math.floor(math.log10(wide))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= wide)
    first = math.ceil(low / step - 1e-9)
    return [step * at for at in range(first, math.floor(high / step + 1e-9) + 1)]


def _mark(mark: float, *, log: bool) -> str:
    value = 10.0**mark if log else mark
    return number(round(value, 6))


def _line(
    line: Line, at: int, x_of: Callable[[float], float], y_of: Callable[[float], float], right: float, ends: list[float]
) -> list[Markup]:
    kind = "line before" if line.before else f"line l{at % 4}"
    path = "M" + "L".join(f"{x_of(x):.1f} {y_of(y):.1f}" for x, y in line.points)
    level = y_of(line.points[-1][1]) + 4
    while any(abs(level - other) < _LINE for other in ends):
        level += _LINE
    ends.append(level)
    name = worded(line.name)
    return [
        piece(
            '<path d="{path}" class="{kind}"><title>{name}</title></path>', path=path, kind=kind, name=printable(name)
        ),
        piece('<text x="{x}" y="{y}">{text}</text>', x=right + 10, y=level, text=clip(name, _RIGHT - 14)),
    ]


def _spoken(line: Line, picture: Curves) -> str:
    first, last = line.points[0], line.points[-1]
    return " … ".join(
        f"{_mark(x, log=picture.log_across)}, {_mark(y, log=picture.log_up)}" for x, y in dict.fromkeys((first, last))
    )


# ---- grids and maps ------------------------------------------------------------------------------------------------------


def _cells(key: str, picture: Cells) -> Markup:
    """Draw a grid of shades; a cell that is not told stays empty."""
    rows, columns = [[worded(name) for name in names] for names in (picture.rows, picture.columns)]
    known = [value for row in picture.values for value in row if value is not None]
    most = max(known, default=0.0) or 1.0
    left = min(max((label_width(printable(name)) for name in rows), default=0.0), 200.0) + 14
    wide = (WIDTH - left - 4) / max(len(columns), 1)
    tall = min(max(wide, 8.0), 22.0)
    every = max(math.ceil((max((label_width(name) for name in columns), default=0.0) + 8) / wide), 1)
    parts = [
        piece(
            '<text x="{x}" y="12" class="middle soft">{text}</text>', x=left + wide * (at + 0.5), text=printable(name)
        )
        for at, name in enumerate(columns)
        if at % every == 0
    ]
    for at, (name, values) in enumerate(zip(rows, picture.values, strict=True)):
        top = 20 + at * tall
        parts.append(
            piece(
                '<text x="{x}" y="{y}" class="end">{text}</text>',
                x=left - 8,
                y=top + tall - 4,
                text=clip(name, left - 14),
            )
        )
        parts += [
            piece(
                '<rect x="{x}" y="{y}" width="{wide}" height="{tall}" class="bar" fill-opacity="{shade}">'
                "<title>{row}, {column}: {value}</title></rect>",
                x=left + wide * place,
                y=top,
                wide=max(wide - 1, 0.5),
                tall=tall - 1,
                shade=f"{0.06 + 0.94 * value / most:.2f}",
                row=printable(name),
                column=printable(columns[place]),
                value=number(value),
            )
            for place, value in enumerate(values)
            if value is not None
        ]
    told = tell("page.picture.cells", rows=len(rows), columns=len(columns), most=most)
    return framed(key, worded(picture.title), told, 24 + len(rows) * tall, parts)


def _texts(picture: Texts) -> Markup:
    """Write texts with their places coloured; each kind has one of a few colours, and is named when it is pointed at."""
    kinds = list(dict.fromkeys(kind for text in picture.texts for _, kind in text if kind))
    written = [
        piece(
            '<p class="marked">{pieces}</p>',
            pieces=Markup("").join(
                piece(
                    '<mark class="kind-{number}" title="{kind}">{said}</mark>' if kind else "{said}",
                    number=kinds.index(kind) % _COLOURS if kind else 0,
                    kind=kind,
                    said=printable(said, _LONGEST),
                )
                for said, kind in text
            ),
        )
        for text in picture.texts
    ]
    legend = Markup(" ").join(
        piece('<mark class="kind-{number}">{kind}</mark>', number=at % _COLOURS, kind=kind)
        for at, kind in enumerate(kinds)
    )
    return piece('<p class="small">{legend}</p>{texts}', legend=legend, texts=Markup("").join(written))


def _plot(key: str, picture: Plot) -> Markup:
    """Draw paths and points to one scale; the second coordinate goes upwards."""
    every = [*picture.points, *chain.from_iterable(path.points for path in picture.paths)]
    low_x, high_x = _range(x for x, _ in every)
    low_y, high_y = _range(y for _, y in every)
    scale = min((WIDTH - 24) / (high_x - low_x), 480.0 / (high_y - low_y))
    tall = (high_y - low_y) * scale + 24

    def place(point: Point) -> tuple[float, float]:
        return 12 + (point[0] - low_x) * scale, tall - 12 - (point[1] - low_y) * scale

    parts = [
        piece(
            '<path d="{path}" class="{kind}"/>',
            path="M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in map(place, path.points)),
            kind="line before" if path.before else "line thin",
        )
        for path in sorted(picture.paths, key=lambda path: not path.before)
        if path.points
    ]
    sizes = picture.sizes or [0.3] * len(picture.points)
    for point, size in zip(picture.points, sizes, strict=True):
        x, y = place(point)
        parts.append(piece('<circle cx="{x}" cy="{y}" r="{r}" class="spot"/>', x=x, y=y, r=1.5 + 6 * size))
    for point, name in zip(picture.points, picture.labels, strict=False):
        x, y = place(point)
        parts.append(
            piece('<text x="{x}" y="{y}" class="soft">{name}</text>', x=x + 5, y=y - 5, name=clip(printable(name), 90))
        )
    told = tell("page.picture.plot", paths=len(picture.paths), points=len(picture.points))
    return framed(key, worded(picture.title), told, tall, parts)


def _range(values: Iterable[float]) -> tuple[float, float]:
    held = list(values)
    low, high = min(held, default=0.0), max(held, default=1.0)
    return (low, high) if high > low else (low - 0.5, low + 0.5)


def _told(said: Sequence[str]) -> str:
    text = "; ".join(said[:_SHOWN])
    return tell("page.chart.more", said=text, count=len(said) - _SHOWN) if len(said) > _SHOWN else text
