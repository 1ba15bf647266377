"""Privacy against detail along a top-down search: each step publishes more detail and leaves smaller groups.

One strip over the steps, the published point filled. Columns are named, values are not: they lie at or below the cut.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from markupsafe import Markup

from sfumato.contracts.trace import RefinementStep, Step
from sfumato.reports.charts import WIDTH, dot, framed, grid, piece
from sfumato.reports.words import counted, number, printable

__all__ = ["refinement_curve"]

_LEFT, _RIGHT, _TALL, _TOP = 64.0, 12.0, 150.0, 30.0
_DOTS = 120


def refinement_curve(key: str, trace: Sequence[Step], counts: Mapping[str, int]) -> Markup | None:
    """Draw the smallest group after each step; ``None`` where the steps do not tell it. ``key`` makes ids unique."""
    taken = [
        (step.attribute, min(step.after.values()))
        for step in trace
        if isinstance(step, RefinementStep) and step.after and min(step.after.values()) > 0
    ]
    if not taken or len(taken) != len(trace):
        return None
    start = max(counts.get("records_published", 0), *(size for _, size in taken))
    sizes = [start, *(size for _, size in taken)]
    names = ["everything masked", *(f"{at + 1}. {printable(name, 60)}" for at, (name, _) in enumerate(taken))]
    decades = max(math.ceil(math.log10(max(start, 2))), 1)
    tall = [_TOP + _TALL * (1 - math.log10(max(size, 1)) / decades) for size in sizes]
    places = [(_across(at, len(taken)), y) for at, y in enumerate(tall)]
    path = f"M{places[0][0]:.1f} {places[0][1]:.1f}" + "".join(f"H{x:.1f}V{y:.1f}" for x, y in places[1:])
    parts = [*_grid(decades), piece('<path d="{path}" class="twig"/>', path=path)]
    for at, ((x, y), size, name) in enumerate(zip(places, sizes, names, strict=True)):
        on = at == len(taken)
        if on or len(taken) <= _DOTS:
            words = f"{name}: {counted(size, 'record')} in the smallest group{' (published)' if on else ''}"
            parts.append(dot(words, x, y, on=on))
    parts += _steps(len(taken))
    told = (
        f"{counted(len(taken), 'step')}, each of which publishes more detail. The smallest group shrinks from "
        f"{number(sizes[0])} records to {number(sizes[-1])}, which is what is published."
    )
    return framed(key, "Privacy against detail, step by step", told, _TOP + _TALL + 38, parts)


def _across(step: int, last: int) -> float:
    return _LEFT + 6 + (WIDTH - _LEFT - _RIGHT - 12) * step / last


def _grid(decades: int) -> list[Markup]:
    return [
        piece('<text x="4" y="14" class="strong">Records in the smallest group</text>'),
        *(
            grid(_LEFT, WIDTH - _RIGHT, _TOP + _TALL * (1 - power / decades), f"{10**power:,}")
            for power in range(decades + 1)
        ),
    ]


def _steps(last: int) -> list[Markup]:
    every = max(math.ceil(last / 12), 1)
    base = _TOP + _TALL + 18
    marks = [step for step in range(0, last, every) if (last - step) * 24 > last] + [last]
    return [
        *(
            piece(
                '<text x="{x}" y="{y}" class="middle {kind}">{step}</text>',
                x=_across(step, last),
                y=base,
                kind="strong" if step == last else "soft",
                step=step,
            )
            for step in marks
        ),
        piece('<text x="{x}" y="{y}" class="end soft">steps towards more detail</text>', x=WIDTH - _RIGHT, y=base + 16),
    ]
