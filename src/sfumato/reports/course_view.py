"""How a series went on: rows, loss and risk from release to release, and which attack cracks what."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from sfumato.contracts.evidence import Course
from sfumato.data.frozen import frozen
from sfumato.data.messages import tell
from sfumato.reports.attack_view import attack_name, chance
from sfumato.reports.charts import WIDTH, clip, dot, framed, grid, piece
from sfumato.reports.words import number, percent

__all__ = ["CourseView", "course_view"]

_LEFT, _RIGHT, _TALL, _STEP = 64.0, 220.0, 110.0, 160.0
_FIRST = 30.0
_LINE = 15.0  # below this two names at the end of lines would lie on each other


@frozen
class CourseView:
    """A picture of the releases, and the same as a table: a row for each, the attacks side by side."""

    drawing: Markup
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    reading: str


def course_view(course: Course | None) -> CourseView | None:
    """Return the view; nothing where the release is no one of several."""
    if course is None or not course["stages"]:
        return None
    stages = course["stages"]
    attacks = list(dict.fromkeys(name for stage in stages for name in stage["risks"]))
    named = {name: attack_name(name, None) for name in attacks}
    header = [tell("page.series.release"), tell("page.series.rows"), tell("page.series.loss"), *named.values()]
    rows = [
        [
            number(stage["number"]),
            number(stage["rows"]),
            "–" if stage["loss"] is None else percent(stage["loss"], 1.0),
            *(chance(stage["risks"][name]) if name in stage["risks"] else "–" for name in attacks),
        ]
        for stage in stages
    ]
    last = stages[-1]["risks"]
    worst = max(last, key=lambda name: last[name], default=None)
    reading = (
        tell("page.series.nothing", count=len(stages))
        if worst is None
        else tell("page.series.reading", count=len(stages), attack=named[worst], risk=chance(last[worst]))
    )
    return CourseView(_drawing(course, named), header, rows, reading)


def _drawing(course: Course, named: dict[str, str]) -> Markup:
    stages = course["stages"]
    count, most = len(stages), max(stage["rows"] for stage in stages) or 1
    share = [(0.0, "0 %"), (0.5, "50 %"), (1.0, "100 %")]
    strips: list[tuple[str, list[tuple[float, str]], dict[str, list[float | None]]]] = [
        (tell("page.series.rows"), [(0.0, "0"), (1.0, number(most))], {"": [stage["rows"] / most for stage in stages]}),
        (tell("page.series.loss"), share, {"": [stage["loss"] for stage in stages]}),
        (
            tell("page.series.risk"),
            share,
            {name: [one["risks"].get(key) for one in stages] for key, name in named.items()},
        ),
    ]
    parts: list[Markup] = []
    for at, (title, marks, lines) in enumerate(strips):
        top, ends = _FIRST + at * _STEP, list[float]()
        parts.append(piece('<text x="4" y="{y}" class="strong">{title}</text>', y=top - 12, title=title))
        parts += [grid(_LEFT, WIDTH - _RIGHT, top + _TALL * (1 - height), text) for height, text in marks]
        for name, shares in lines.items():
            parts += _line(name, shares, top, count, ends)
    base = _FIRST + 2 * _STEP + _TALL + 18
    parts += [
        piece('<text x="{x}" y="{y}" class="middle soft">{text}</text>', x=_across(at, count), y=base, text=at + 1)
        for at in range(count)
    ]
    told = tell("page.series.told", count=count)
    return framed("course", tell("page.series.title"), told, base + 10, parts)


def _across(at: int, count: int) -> float:
    return _LEFT + 20 + (WIDTH - _LEFT - _RIGHT - 40) * at / max(count - 1, 1)


def _line(name: str, shares: Sequence[float | None], top: float, count: int, ends: list[float]) -> list[Markup]:
    """Draw what was measured as dots that are joined, and the name at the end, below those that are there."""
    places = [
        (_across(at, count), top + _TALL * (1 - min(max(share, 0.0), 1.0)), share)
        for at, share in enumerate(shares)
        if share is not None
    ]
    if not places:
        return []
    path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y, _ in places)
    out = [piece('<path d="{path}" class="twig"/>', path=path)]
    out += [
        dot(f"{name} {chance(share)}".strip(), x, y, on=at == len(places) - 1)
        for at, (x, y, share) in enumerate(places)
    ]
    if name:
        level = places[-1][1] + 4
        while any(abs(level - other) < _LINE for other in ends):
            level += _LINE
        ends.append(level)
        out.append(
            piece('<text x="{x}" y="{y}">{text}</text>', x=WIDTH - _RIGHT + 12, y=level, text=clip(name, _RIGHT - 14))
        )
    return out
