"""Attempts side by side: a table of what each reached and cost, and risk against what is lost.

In the picture every attempt is a dot, the best for each k is filled and named, and a line joins these.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from markupsafe import Markup

from sfumato.contracts.comparison import Attempt, Criterion
from sfumato.data.messages import tell, worded
from sfumato.reports.charts import WIDTH, clip, dot, framed, grid, label_width, piece
from sfumato.reports.words import number, percent, printable

__all__ = ["comparison_rows", "comparison_table", "failures", "risk_view"]

_LEFT, _RIGHT, _TOP, _TALL = 64.0, 40.0, 40.0, 260.0
_TICKS = (1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005, 0.0002, 0.0001)


def comparison_rows(attempts: Sequence[Attempt]) -> tuple[list[str], list[list[str]]]:
    """Return the header and a row of texts for each attempt that ended in a release."""
    made = [attempt for attempt in attempts if attempt.reason is None]
    varied = [name for name in ("k", "m") if any(getattr(attempt, name) is not None for attempt in made)]
    predicted = any(attempt.prediction is not None for attempt in made)
    shares = list(dict.fromkeys(name for attempt in made for name in attempt.shares))
    models = list(dict.fromkeys(_titles(attempt)[at] for attempt in made for at in range(len(attempt.reached))))
    header = [
        tell("page.compare.algorithm"),
        *varied,
        *models,
        tell("page.compare.risk"),
        tell("page.compare.loss"),
        tell("page.compare.left"),
        tell("page.compare.queries"),
        *([tell("page.compare.prediction")] if predicted else []),
        *shares,
        tell("page.compare.seconds"),
        "",
    ]
    rows = []
    for attempt in made:
        levels = dict(zip(_titles(attempt), attempt.reached, strict=True))
        told = [tell("page.compare.best")] if attempt.best else []
        told += [worded(attempt.stopped)] if attempt.stopped else []
        rows.append(
            [
                attempt.algorithm,
                *(number(getattr(attempt, name)) for name in varied),
                *(number(levels[model].level) if model in levels else "–" for model in models),
                _share(attempt.risk),
                _share(attempt.cost),
                "–" if attempt.left is None else percent(attempt.left, attempt.read or 1),
                _share(attempt.queries),
                *([_share(attempt.prediction)] if predicted else []),
                *(_share(attempt.shares.get(name)) for name in shares),
                number(attempt.seconds),
                ", ".join(told),
            ]
        )
    return header, rows


def failures(attempts: Sequence[Attempt]) -> list[str]:
    """Return a line for each attempt that ended in nothing, with its reason; an algorithm with one reason is told once."""
    said: dict[tuple[str, str], list[Attempt]] = {}
    for attempt in attempts:
        if attempt.reason is not None:
            said.setdefault((attempt.algorithm, worded(attempt.reason)), []).append(attempt)
    return [f"{algorithm}{_levels(failed)}: {reason}" for (algorithm, reason), failed in said.items()]


def _levels(attempts: Sequence[Attempt]) -> str:
    """Return the k and m of some attempts in brackets, if they have any."""
    held = {"k": [attempt.k for attempt in attempts], "m": [attempt.m for attempt in attempts]}
    told = {name: list(dict.fromkeys(one for one in values if one is not None)) for name, values in held.items()}
    said = [f"{name} = {', '.join(map(number, values))}" for name, values in told.items() if values]
    return f" ({'; '.join(said)})" if said else ""


def comparison_table(attempts: Sequence[Attempt]) -> Markup:
    """Return the rows as a table of a page, the best set in bold, and below it why others are not there."""
    header, rows = comparison_rows(attempts)
    made = [attempt for attempt in attempts if attempt.reason is None]
    head = Markup("").join(piece("<th>{name}</th>", name=name) for name in header)
    body = [
        piece(
            "<tr{style}>{cells}</tr>",
            style=Markup(' style="font-weight: 600"') if attempt.best else "",
            cells=Markup("").join(piece("<td>{cell}</td>", cell=cell) for cell in row),
        )
        for attempt, row in zip(made, rows, strict=True)
    ]
    reasons = Markup("").join(piece("<li>{line}</li>", line=printable(line)) for line in failures(attempts))
    table = piece(
        "<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>", head=head, body=Markup("").join(body)
    )
    return table + (piece("<ul>{reasons}</ul>", reasons=reasons) if reasons else "")


def risk_view(key: str, attempts: Sequence[Attempt], criterion: Criterion) -> Markup:
    """Draw the highest risk of a record, smaller to the right, against what is lost; ``key`` makes ids unique."""
    shown = [
        (attempt, attempt.risk, error)
        for attempt in attempts
        if attempt.risk is not None and (error := attempt.by(criterion)) is not None
    ]
    highest = max((risk for _, risk, _ in shown), default=1.0)
    lowest = min((risk for _, risk, _ in shown), default=0.1)
    ceiling = _ceiling(max((error for _, _, error in shown), default=1.0))
    marks = [mark for mark in _TICKS if lowest / 1.01 <= mark <= highest * 1.01]
    places = {id(attempt): (_across(risk, highest, lowest), _down(error, ceiling)) for attempt, risk, error in shown}
    title = tell("page.compare.picture", what=tell(f"page.compare.{criterion}_axis"))
    parts = [piece('<text x="4" y="18" class="strong">{title}</text>', title=tell(f"page.compare.{criterion}_axis"))]
    parts += [
        grid(_LEFT, WIDTH - _RIGHT, _down(ceiling * part, ceiling), percent(ceiling * part, 1))
        for part in (0.0, 0.5, 1.0)
    ]
    base = _TOP + _TALL + 18
    parts += [
        piece(
            '<text x="{x}" y="{y}" class="middle soft">{text}</text>',
            x=_across(mark, highest, lowest),
            y=base,
            text=percent(mark, 1),
        )
        for mark in marks
    ]
    parts.append(
        piece(
            '<text x="{x}" y="{y}" class="end soft">{text}</text>',
            x=WIDTH - _RIGHT,
            y=base + 20,
            text=tell("page.compare.risk_axis"),
        )
    )
    best = sorted((attempt for attempt, _, _ in shown if attempt.best), key=lambda attempt: places[id(attempt)])
    for m in dict.fromkeys(attempt.m for attempt in best):  # a line for each m, over all k
        joined = (places[id(attempt)] for attempt in best if attempt.m == m)
        path = "M" + "L".join("{:.1f} {:.1f}".format(*place) for place in joined)
        parts.append(piece('<path d="{path}" class="twig"/>', path=path))
    parts += [dot(_words(attempt, error), *places[id(attempt)], on=attempt.best) for attempt, _, error in shown]
    parts += _names(best, places)
    told = "; ".join(_words(attempt, error) for attempt, _, error in shown)
    return framed(key, title, told or tell("page.compare.nothing"), base + 28, parts)


def _names(best: Sequence[Attempt], places: dict[int, tuple[float, float]]) -> list[Markup]:
    """Write the names of the best ones below their dots, where no other dot can be, if they leave room for each other."""
    out, free = [], 0.0
    for attempt in best:
        x, y = places[id(attempt)]
        text = clip(attempt.algorithm + _named(attempt), 180)
        width = label_width(text)
        left = min(max(x - width / 2, _LEFT), WIDTH - width - 4)
        if left >= free:
            free = left + width + 8
            out.append(
                piece(
                    '<text x="{x}" y="{y}">{text}</text>',
                    x=left,
                    y=y + 20 if y + 24 < _TOP + _TALL else y - 10,
                    text=text,
                )
            )
    return out


def _named(attempt: Attempt) -> str:
    """Return the k and m of an attempt behind a comma each, if it has any."""
    held = {"k": attempt.k, "m": attempt.m}
    return "".join(f", {name} = {number(value)}" for name, value in held.items() if value is not None)


def _titles(attempt: Attempt) -> list[str]:
    """Name the requirements; of two with one id the second has a number."""
    out: list[str] = []
    for one in attempt.reached:
        same = sum(title.partition(" ")[0] == one.model for title in out)
        out.append(one.model if not same else f"{one.model} {same + 1}")
    return out


def _across(risk: float, highest: float, lowest: float) -> float:
    room = WIDTH - _LEFT - _RIGHT - 40
    span = math.log(highest / lowest)
    return _LEFT + 20 + room * (math.log(highest / risk) / span if span > 0 else 0.5)


def _down(error: float, ceiling: float) -> float:
    return _TOP + _TALL * (1 - error / ceiling)


def _ceiling(most: float) -> float:
    return next(
        (top for top in (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0) if top >= most), max(most, 1.0)
    )


def _share(value: float | None) -> str:
    return "–" if value is None else percent(value, 1)


def _words(attempt: Attempt, error: float) -> str:
    return tell(
        "page.compare.point",
        name=attempt.algorithm + _named(attempt),
        error=percent(error, 1),
        risk=_share(attempt.risk),
    )
