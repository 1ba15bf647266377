"""Privacy against utility: what the best choice costs, and how many records it leaves out, for each k or suppression limit.

Two strips over the same points, what the policy asks for filled. Points without a satisfying choice are named, not drawn.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from markupsafe import Markup

from sfumato.contracts.levels import Point
from sfumato.data.messages import tell
from sfumato.reports.charts import WIDTH, dot, framed, grid, label_width, piece
from sfumato.reports.words import number, percent

__all__ = ["tradeoff_view"]

_LEFT, _RIGHT, _TALL = 84.0, 24.0, 150.0
_FIRST, _SECOND, _END = 36.0, 240.0, 446.0


def tradeoff_view(key: str, points: Sequence[Point], metric: str, records: int) -> Markup:
    """Draw points with ``k`` or ``suppress_at_most``, ``score``, ``left_out`` and ``asked``; ``key`` makes ids unique."""
    places = _places(points)
    shown = [(x, point) for x, point in zip(places, points, strict=True) if point.score is not None]
    scores = [point.score for point in points if point.score is not None]
    low, high = _limits(scores)
    left_out = [point.left_out or 0 for _, point in shown]
    ceiling = _round_up(max(max(left_out, default=0) / records, 0.01))
    by_k = points[0].k is not None
    parts = [
        *_strip(tell("page.tradeoff.cost", metric=metric), _FIRST, low, high, share=False),
        *_strip(tell("page.tradeoff.left_out"), _SECOND, 0.0, ceiling, share=True),
        *_line(shown, [(score - low) / (high - low) for score in scores], _FIRST, records),
        *_line(shown, [gone / records / ceiling for gone in left_out], _SECOND, records),
        *_ticks(points, places, by_k),
    ]
    title = tell("page.tradeoff.by_k") if by_k else tell("page.tradeoff.by_limit")
    return framed(key, title, _told(points, metric, records), _END, parts)


def _places(points: Sequence[Point]) -> list[float]:
    """Put equal ratios of k equal distances apart; limits, of which one is zero, stand side by side."""
    numbers = [float(at) if point.k is None else math.log(point.k) for at, point in enumerate(points)]
    span = numbers[-1] - numbers[0]
    room = WIDTH - _LEFT - _RIGHT - 20
    return [_LEFT + 10 + (room * (value - numbers[0]) / span if span else room / 2) for value in numbers]


def _limits(scores: Sequence[float]) -> tuple[float, float]:
    """Return the ends of the first strip: zero and a round number, or the scores themselves if one is negative."""
    if not scores or min(scores) >= 0:
        return 0.0, _round_up(max(scores, default=0.0) or 1.0)
    return min(scores), max(scores) if max(scores) > min(scores) else min(scores) + 1.0


def _round_up(value: float) -> float:
    power = 10.0 ** math.floor(math.log10(value))
    return next(
        factor * power for factor in (1, 1.5, 2, 3, 4, 5, 6, 8, 10, 20) if factor * power >= value * (1 - 1e-12)
    )


def _strip(title: str, top: float, low: float, high: float, *, share: bool) -> list[Markup]:
    out = [piece('<text x="8" y="{y}" class="strong">{title}</text>', y=top - 14, title=title)]
    for part in (0.0, 0.5, 1.0):
        value = low + (high - low) * part
        text = percent(value, 1) if share else number(value)
        out.append(grid(_LEFT, WIDTH - _RIGHT, top + _TALL * (1 - part), text))
    return out


def _line(shown: Sequence[tuple[float, Point]], shares: Sequence[float], top: float, records: int) -> list[Markup]:
    places = [(x, top + _TALL * (1 - share)) for (x, _), share in zip(shown, shares, strict=True)]
    if not places:
        return []
    path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
    out = [piece('<path d="{path}" class="twig"/>', path=path)]
    return out + [
        dot(_words(point, records), x, y, on=point.asked, r=3.5)
        for (x, y), (_, point) in zip(places, shown, strict=True)
    ]


def _ticks(points: Sequence[Point], places: Sequence[float], by_k: bool) -> list[Markup]:
    """Write what was varied below both strips; what the policy asks for is always written, others where there is room."""
    base = _SECOND + _TALL + 20
    taken: list[tuple[float, float]] = []
    out = []
    for x, point in sorted(zip(places, points, strict=True), key=lambda one: (not one[1].asked, one[0])):
        text = _at(point) + ("" if point.score is not None else " ✗")
        half = label_width(text) / 2 + 4
        if any(abs(x - other) < half + room for other, room in taken):
            continue
        taken.append((x, half))
        kind = "middle strong" if point.asked else "middle soft"
        out.append(piece('<text x="{x}" y="{y}" class="{kind}">{text}</text>', x=x, y=base, kind=kind, text=text))
    out.append(
        piece(
            '<text x="{x}" y="{y}" class="end soft">{text}</text>',
            x=WIDTH - _RIGHT,
            y=base + 20,
            text="k" if by_k else tell("page.tradeoff.limit"),
        )
    )
    if any(point.score is None for point in points):
        out.append(
            piece(
                '<text x="8" y="{y}" class="soft">✗ {text}</text>', y=base + 20, text=tell("page.tradeoff.unsatisfied")
            )
        )
    return out


def _at(point: Point) -> str:
    return percent(point.suppress_at_most, 1) if point.k is None else number(point.k)


def _words(point: Point, records: int) -> str:
    said = f"k = {_at(point)}" if point.k is not None else tell("page.tradeoff.at_most", share=_at(point))
    if point.score is None:
        return tell("page.tradeoff.none", said=said)
    levels, left_out = ", ".join(map(str, (point.levels or {}).values())), point.left_out or 0
    told = tell(
        "page.tradeoff.point",
        said=said,
        score=point.score,
        levels=levels,
        records=left_out,
        share=percent(left_out, records),
    )
    told = told if point.proven else tell("page.tradeoff.unproven", told=told)
    return tell("page.tradeoff.asked", told=told) if point.asked else told


def _told(points: Sequence[Point], metric: str, records: int) -> str:
    return tell("page.tradeoff.told", metric=metric, told="; ".join(_words(point, records) for point in points))
