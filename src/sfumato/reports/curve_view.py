"""The trade-off that a bottom-up search walked along: after each step, the smallest group and what is left of the data.

Two strips over the same steps, the published point filled. Columns are named, values are not: most of them lie below the cut.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from markupsafe import Markup

from sfumato.contracts.facts import CoarseningFacts, CurvePoint
from sfumato.data.messages import tell
from sfumato.reports.charts import WIDTH, dot, framed, grid, piece
from sfumato.reports.words import number, printable

__all__ = ["curve_view"]

_LEFT, _RIGHT, _TALL = 64.0, 12.0, 120.0
_FIRST, _SECOND, _END = 26.0, 200.0, 352.0
_DOTS = 120


def curve_view(key: str, facts: CoarseningFacts) -> Markup | None:
    """Draw the curve; ``None`` where there is none of at least two points. ``key`` makes ids unique."""
    curve, published = facts.curve, facts.generalizations
    if len(curve) < 2:
        return None
    largest = max(point.smallest_group for point in curve)
    decades = max(math.ceil(math.log10(max(largest, 2))), 1)
    what, left = _left(curve)
    sizes = [math.log10(point.smallest_group) / decades for point in curve]
    parts = [
        *_strip(tell("page.curve.smallest_group"), _FIRST, [(n / decades, number(10**n)) for n in range(decades + 1)]),
        *_strip(what, _SECOND, [(0.0, "0 %"), (0.5, "50 %"), (1.0, "100 %")]),
        *_line(curve, sizes, _FIRST, published),
        *_line(curve, left, _SECOND, published),
        *_steps(len(curve) - 1, published),
    ]
    return framed(key, tell("page.curve.quality"), _told(curve, left, what, published), _END, parts)


def _left(curve: Sequence[CurvePoint]) -> tuple[str, list[float]]:
    """Return what is drawn as quality, and its share at each point."""
    whole = curve[0].information
    if whole:
        return tell("page.curve.information"), [(point.information or 0.0) / whole for point in curve]
    return tell("page.curve.detail"), [point.detail for point in curve]


def _across(step: int, last: int) -> float:
    return _LEFT + (WIDTH - _LEFT - _RIGHT) * step / max(last, 1)


def _strip(title: str, top: float, marks: Sequence[tuple[float, str]]) -> list[Markup]:
    out = [piece('<text x="4" y="{y}" class="strong">{title}</text>', y=top - 10, title=title)]
    for share, text in marks:
        out.append(grid(_LEFT, WIDTH - _RIGHT, top + _TALL * (1 - share), text))
    return out


def _line(curve: Sequence[CurvePoint], shares: Sequence[float], top: float, published: int | None) -> list[Markup]:
    """Draw stairs: a point holds until the next step; where there are few, each has a dot."""
    last = len(curve) - 1
    places = [(_across(step, last), top + _TALL * (1 - min(max(share, 0.0), 1.0))) for step, share in enumerate(shares)]
    path = f"M{places[0][0]:.1f} {places[0][1]:.1f}" + "".join(f"H{x:.1f}V{y:.1f}" for x, y in places[1:])
    out = [piece('<path d="{path}" class="twig"/>', path=path)]
    for point, (x, y) in zip(curve, places, strict=True):
        on = point.step == published
        if on or last <= _DOTS:
            out.append(dot(tell("page.curve.published", words=_words(point)) if on else _words(point), x, y, on=on))
    return out


def _steps(last: int, published: int | None) -> list[Markup]:
    every = max(math.ceil(last / 12), 1)
    marks = [step for step in range(0, last + 1, every) if published is None or abs(step - published) * 12 > last]
    base = _SECOND + _TALL + 17
    out = [
        piece('<text x="{x}" y="{y}" class="middle soft">{step}</text>', x=_across(step, last), y=base, step=step)
        for step in marks
    ]
    if published is not None:
        out.append(
            piece(
                '<text x="{x}" y="{y}" class="middle strong">{step}</text>',
                x=_across(published, last),
                y=base,
                step=published,
            )
        )
    out.append(
        piece(
            '<text x="{x}" y="{y}" class="end soft">{text}</text>',
            x=WIDTH - _RIGHT,
            y=base + 14,
            text=tell("page.curve.generalizations"),
        )
    )
    return out


def _words(point: CurvePoint) -> str:
    done = (
        tell("page.curve.raw_table") if point.attribute is None else f"{point.step}. {printable(point.attribute, 60)}"
    )
    return tell("page.curve.point", done=done, records=point.smallest_group, groups=point.groups)


def _told(curve: Sequence[CurvePoint], left: Sequence[float], what: str, published: int | None) -> str:
    chosen = curve[-1] if published is None else curve[published]
    return tell(
        "page.curve.told",
        steps=len(curve) - 1,
        first=curve[0].smallest_group,
        last=curve[-1].smallest_group,
        step=chosen.step,
        smallest=chosen.smallest_group,
        what=what,
        left=left[chosen.step],
    )
