"""How the release was found: steps by column, privacy against detail along them, and why the levels are these."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from markupsafe import Markup

from sfumato.contracts.facts import CoarseningFacts, LocalFacts, OptimalFacts
from sfumato.contracts.levels import Choice
from sfumato.contracts.published import Published
from sfumato.contracts.trace import RefinementStep, Step
from sfumato.data.frozen import frozen
from sfumato.data.messages import tell, worded
from sfumato.reports.charts import WIDTH, dot, framed, grid, piece
from sfumato.reports.curve_view import curve_view
from sfumato.reports.words import number, printable
from sfumato.tables.policy import policy_of

__all__ = ["LevelsView", "chosen_levels", "levels_view", "search_curve", "steps_by_column"]


@frozen
class LevelsView:
    """A choice of levels as the report shows it: how sure it is, why no column is finer, and the other choices.

    ``refined``: groups were then given values of their own.
    """

    certainty: str
    refined: bool
    why: Sequence[tuple[str, str, str]]
    names: Sequence[str]
    others: Sequence[ChoiceRow]
    metric: str


@frozen
class ChoiceRow:
    """A choice of levels as a row of a table; the one that is published is marked."""

    rank: int
    levels: Sequence[str]
    score: str
    left_out: str
    groups: str
    published: bool


def steps_by_column(trace: Sequence[Step]) -> list[tuple[str, str]]:
    """Count the steps of the search by column; which values they touched stays in the trace."""
    taken = Counter(step.attribute for step in trace if step.attribute is not None)
    return [(printable(name), number(count)) for name, count in taken.most_common()]


def search_curve(release: Published) -> Markup | None:
    """Draw privacy against quality along the steps of the search, where it kept account of both."""
    facts = release.private.facts
    drawn = curve_view("curve", facts) if isinstance(facts, CoarseningFacts) else None
    return drawn or refinement_curve("curve", release.private.trace, release.certified.counts)


def chosen_levels(release: Published) -> bool:
    """Tell whether the policy named the levels, so that nothing was searched."""
    policy = policy_of(release)
    return policy is not None and policy.algorithm.get("levels") is not None


def levels_view(release: Published) -> LevelsView | None:
    """Return what a search over levels says about its choice: why no level is finer, how sure it is, what else there was."""
    facts = release.private.facts
    if not isinstance(facts, OptimalFacts):
        return None
    return LevelsView(
        certainty=worded(facts.certainty(chosen=chosen_levels(release))),
        refined=isinstance(facts, LocalFacts),
        why=[
            (printable(one.attribute), tell("page.levels.of", level=one.level, height=one.height), worded(one.words()))
            for one in facts.why
        ],
        names=[printable(name) for name in facts.levels],
        others=[_row(at, choice, facts.levels) for at, choice in enumerate(facts.solutions, start=1)],
        metric=printable(facts.metric["id"]),
    )


def _row(rank: int, choice: Choice, published: Mapping[str, int]) -> ChoiceRow:
    return ChoiceRow(
        rank=rank,
        levels=[number(level) for level in choice.levels.values()],
        score=number(choice.score),
        left_out=number(choice.left_out),
        groups=number(choice.groups_kept),
        published=dict(choice.levels) == dict(published),
    )


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
    names = [
        tell("page.curve.everything_masked"),
        *(f"{at + 1}. {printable(name, 60)}" for at, (name, _) in enumerate(taken)),
    ]
    decades = max(math.ceil(math.log10(max(start, 2))), 1)
    tall = [_TOP + _TALL * (1 - math.log10(max(size, 1)) / decades) for size in sizes]
    places = [(_across(at, len(taken)), y) for at, y in enumerate(tall)]
    path = f"M{places[0][0]:.1f} {places[0][1]:.1f}" + "".join(f"H{x:.1f}V{y:.1f}" for x, y in places[1:])
    parts = [*_grid(decades), piece('<path d="{path}" class="twig"/>', path=path)]
    for at, ((x, y), size, name) in enumerate(zip(places, sizes, names, strict=True)):
        on = at == len(taken)
        if on or len(taken) <= _DOTS:
            words = tell("page.curve.last_step" if on else "page.curve.step", name=name, records=size)
            parts.append(dot(words, x, y, on=on))
    parts += _steps(len(taken))
    told = tell("page.curve.steps_told", steps=len(taken), first=sizes[0], last=sizes[-1])
    return framed(key, tell("page.curve.detail_title"), told, _TOP + _TALL + 38, parts)


def _across(step: int, last: int) -> float:
    return _LEFT + 6 + (WIDTH - _LEFT - _RIGHT - 12) * step / last


def _grid(decades: int) -> list[Markup]:
    return [
        piece('<text x="4" y="14" class="strong">{text}</text>', text=tell("page.curve.smallest_group")),
        *(
            grid(_LEFT, WIDTH - _RIGHT, _TOP + _TALL * (1 - power / decades), number(10**power))
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
        piece(
            '<text x="{x}" y="{y}" class="end soft">{text}</text>',
            x=WIDTH - _RIGHT,
            y=base + 16,
            text=tell("page.curve.towards_detail"),
        ),
    ]
