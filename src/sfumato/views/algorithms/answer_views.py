"""Answer every view as it is asked, if all answers together keep what is required."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np

from sfumato.contracts.algorithm import Outcome, Search, SearchTraits
from sfumato.contracts.built import Built
from sfumato.contracts.engine import Table
from sfumato.contracts.model import Model
from sfumato.contracts.run import Run
from sfumato.data.messages import tell
from sfumato.errors import BadRequest, Infeasible
from sfumato.views.models.fd_view_kanon_check import FDViewKAnonymity
from sfumato.views.models.sp_view_kanon_check import SPViewKAnonymity
from sfumato.views.releases.view_set import ViewSetRelease
from sfumato.views.task import ViewTask
from sfumato.views.view_set import ViewSet

__all__ = ["AnswerViews"]


class AnswerViews(Search[ViewTask]):
    """Publish each view as it is asked for; refuse all of them if together they tell too much.

    Nothing is masked: the choice of columns and rows is what protects. A refusal names the views without which the others
    would keep the requirement. A condition that every row of the table meets hides nobody, so that its view is judged as if it
    had none. Of other conditions it is said what they protect: whoever knows that somebody meets them may learn more.

    Examples
    --------
    >>> from sfumato.views import View
    >>> from sfumato.views.models import SPViewKAnonymity
    >>> table = {"Name": ["Ann", "Bob", "Eva"], "Job": ["Cook", "Cook", "Cook"], "Disease": ["Flu", "Cold", "Flu"]}
    >>> views = ViewSet.of(table, [View.of("V1", ["Name", "Job"]), View.of("V2", ["Job", "Disease"])])
    >>> task = ViewTask(views, [SPViewKAnonymity(k=2, identifier="Name", sensitive="Disease")])
    >>> list(AnswerViews().run(task, Run()).built.tables)
    ['V1', 'V2']

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 8.2.
    """

    id: ClassVar[str] = "answer-views"
    traits: ClassVar[SearchTraits] = SearchTraits(
        release=ViewSetRelease.id,
        optimal=False,
        deterministic=True,
        truthful=True,
        anytime=False,
        cost="one pass for each view, and the check of each requirement",
    )

    def run(self, task: ViewTask, run: Run) -> Outcome:
        judged = task.views.without_idle_conditions()
        for model in task.models:
            run.checkpoint()
            verdict = model.judge(judged)
            if not verdict.satisfied:
                last = [
                    view.name
                    for at, view in enumerate(judged.views)
                    if len(judged) > 1 and model.judge(_without(judged, at)).satisfied
                ]
                mended = f"; without {' or '.join(last)} the others keep it" if last else ""
                idle = [old.name for old, new in zip(task.views.views, judged.views, strict=True) if old != new]
                mended += f"; every row meets the condition of {' and '.join(idle)}, which hides nobody" if idle else ""
                raise Infeasible(
                    f"together the views break {model.id}: {verdict.violating_groups:,} persons, measured {verdict.strongest}, "
                    f"needed {verdict.bound}{mended}",
                    measured=verdict.strongest,
                    bound=verdict.bound,
                    requirement=model.id,
                )
        kind = ViewSetRelease.of(task.views)
        tables = dict(zip(kind.part_names(), map(_once, task.views.answers), strict=True))
        return Outcome(built=Built(kind, tables, inside=judged), warnings=_protected_by_conditions(judged, task.models))


def _once(answer: Table) -> Table:
    """Return an answer as the set that it is: how often a row comes would tell more than was judged."""
    rows = answer.as_rows()
    first = np.unique(rows.codes(list(rows.columns)), axis=0, return_index=True)[1]
    return rows.take(np.sort(first)).sort()


def _protected_by_conditions(views: ViewSet, models: Sequence[Model[ViewSet]]) -> list[str]:
    """Say what holds no longer for whoever knows that somebody meets the conditions."""
    limited = [view.name for view in views.views if view.where]
    every = replace(views, views=tuple(replace(view, where=()) for view in views.views), source=None)
    told: list[str] = []
    for model in models:
        if not limited or not isinstance(model, (SPViewKAnonymity, FDViewKAnonymity)):
            continue
        plain = SPViewKAnonymity(k=model.k, identifier=model.identifier, sensitive=model.sensitive)
        try:
            found = plain.judge(every)
        except BadRequest:  # somebody is known not to meet them
            told.append(tell("views.conditions", names=limited))
            continue
        if not found.satisfied:
            told.append(
                tell(
                    "views.conditions_counted",
                    names=limited,
                    persons=found.violating_groups,
                    fewest=found.strongest,
                    k=model.k,
                )
            )
    return told


def _without(views: ViewSet, at: int) -> ViewSet:
    return replace(
        views,
        views=views.views[:at] + views.views[at + 1 :],
        answers=views.answers[:at] + views.answers[at + 1 :],
    )
