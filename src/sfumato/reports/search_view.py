"""How the release was found: steps by column, what each step gave and cost, and why the levels are these."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from sfumato.contracts.facts import CoarseningFacts, LocalFacts, OptimalFacts
from sfumato.contracts.levels import Choice
from sfumato.contracts.published import Published
from sfumato.contracts.trace import Step
from sfumato.data.messages import tell, worded
from sfumato.reports.curve_view import curve_view
from sfumato.reports.refinement_curve import refinement_curve
from sfumato.reports.words import number, printable
from sfumato.tables.policy import policy_of

__all__ = ["LevelsView", "chosen_levels", "levels_view", "search_curve", "steps_by_column"]


@dataclass(frozen=True)
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


@dataclass(frozen=True)
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
