"""Pictures of views and marginals: among how many values everybody's is, and what each marginal buys."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sfumato.contracts.facts import Facts
from sfumato.contracts.model import Requirement
from sfumato.contracts.picture import Bars, Picture
from sfumato.data.messages import say
from sfumato.views.marginal_release import MarginalFacts
from sfumato.views.models.sp_view_kanon_check import SPViewKAnonymity
from sfumato.views.view_set import ViewSet

__all__ = ["cover_pictures", "marginal_pictures"]

_MOST = 15  # bars


def cover_pictures(views: ViewSet, models: Sequence[Requirement]) -> list[Picture]:
    """Return how many rows each view has, and for each requirement on pairs how large the covers of persons are."""
    found: list[Picture] = [
        Bars(
            title=say("views.rows_title"),
            labels=[view.name for view in views.views],
            after=[float(answer.rows) for answer in views.answers],
        )
    ]
    for model in models:
        sizes = model.covers(views).sizes if isinstance(model, SPViewKAnonymity) else np.zeros(0, np.int64)
        if not len(sizes):
            continue
        least = int(sizes.min())
        counted = np.bincount(np.minimum(sizes - least, _MOST - 1))
        last = len(counted) == _MOST and int(sizes.max()) >= least + _MOST
        found.append(
            Bars(
                title=say("views.covers_title"),
                caption=say("views.covers_caption"),
                labels=[
                    say("range.or_more", edge=least + at) if last and at == _MOST - 1 else str(least + at)
                    for at in range(len(counted))
                ],
                after=[float(count) for count in counted.tolist()],
            )
        )
    return found


def marginal_pictures(facts: Facts | None) -> list[Picture]:
    """Return what each marginal buys, in the order in which they were chosen; nothing where the search is not known."""
    if not isinstance(facts, MarginalFacts) or not facts.choices:
        return []
    return [
        Bars(
            title=say("marginals.title"),
            caption=say("marginals.caption"),
            labels=[one.marginal for one in facts.choices],
            before=[one.before for one in facts.choices],
            after=[one.after for one in facts.choices],
        )
    ]
