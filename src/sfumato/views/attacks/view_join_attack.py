"""Join published views: what recipients learn together from columns that none of them has alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from sfumato.contracts.attack import AttackTraits, Details, Risk, spread
from sfumato.contracts.run import Run
from sfumato.contracts.thing import columns, param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.views.attack import ViewAttack, ViewKnowledge
from sfumato.views.attacks._bag_join import BagJoin
from sfumato.views.view_set import ViewSet

__all__ = ["ViewJoinAttack", "ViewJoinDetails"]


@frozen(eq=False)
class ViewJoinDetails(Details):
    """Counts of a join of views: its rows, its groups on the global quasi-identifier, the worst of them, and each view alone.

    ``offending`` groups are smaller than k, or tell a value with a confidence above h. ``alone`` holds the smallest group of
    each view on its own part of the quasi-identifier.
    """

    joined_rows: int
    known_values: int
    smallest: int | None
    certain: int
    offending: int
    alone: Mapping[str, int]


class ViewJoinAttack(ViewAttack):
    """Join the views on their common columns, and look somebody up by columns of several of them.

    The natural join is one of bags: m rows that match n rows give m n rows, also of different persons, so that counts are those
    of joined rows. Rows are grouped by the quasi-identifier; the belief in a value s of whoever falls into a group g is
    ``|g, s| / |g|``, and her risk the largest of these beliefs, or ``1 / |g|`` where no column is to be learnt. Groups of the
    join may be smaller or larger than those of each view. Where the join columns are a key of the table, the join has as many
    rows as it. Missing values never match.

    Adversary: recipients who put their views together, and know a person's values in columns of several of them.

    Examples
    --------
    >>> one = {"Age": [30, 30, 40, 40], "Job": ["Lawyer", "Lawyer", "Clerk", "Cook"]}
    >>> two = {"Job": ["Lawyer", "Lawyer", "Clerk", "Cook"], "Disease": ["Flu", "HIV", "HIV", "Flu"]}
    >>> views = ViewSet.of_answers({"T1": one, "T2": two})
    >>> risk = ViewJoinAttack().on_views(views, ViewKnowledge(known=("Age", "Job"), learn=("Disease",)), Run())
    >>> risk.highest, risk.details["joined_rows"], risk.details["smallest"]
    (1.0, 6, 1)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 8.1, example 8.1.
    """

    id: ClassVar[str] = "view-join-attack"
    traits: ClassVar[AttackTraits] = AttackTraits(
        aims_at=frozenset({"record", "attribute"}),
        knowledge="every view, and a person's values in the known columns",
        needs=frozenset({"qid"}),
        victims="records",
    )
    adversary: ClassVar[str] = say("adversary.view-join-attack")

    on: tuple[str, ...] | None = columns(
        "any", doc="columns by which rows match; all common ones if not given", default=None
    )
    cross: bool = param(default=False, doc="whether views without a common column are joined, every row with every row")
    k: int = param(default=2, ge=1, doc="smallest group of joined rows that does not count as an offence")
    h: float = param(default=1.0, gt=0, le=1, doc="highest confidence in a value that does not count as an offence")

    def join(self, views: ViewSet) -> BagJoin:
        """Return the join, counted and not written out."""
        return BagJoin.of(views, self.on, cross=self.cross)

    def on_views(self, views: ViewSet, knowledge: ViewKnowledge, run: Run) -> Risk:
        """Count the join; each value on the quasi-identifier is a victim, as often as it is joined."""
        if not knowledge.known:
            raise BadRequest(f"{self.id} needs the columns that an adversary knows", parameter="qid")
        run.stage("joining views")
        join = self.join(views)
        learn = [name for name in knowledge.learn if name in join.columns]
        if set(learn) & set(knowledge.known):
            raise BadRequest("is known and cannot be learnt", parameter="sensitive", value=learn[0])
        groups = join.groups(knowledge.known, learn[:1])
        histogram = groups.histograms.get(learn[0]) if learn else None
        beliefs = np.asarray(1 / groups.sizes if histogram is None else histogram.largest() / groups.sizes)
        highest, mean = spread(beliefs, groups.sizes)
        alone = {
            views.views[at].name: int(one.sizes.min()) for at, one in join.alone(knowledge.known).items() if len(one)
        }
        bad = (groups.sizes < self.k) | ((beliefs > self.h) if histogram is not None else False)
        details = ViewJoinDetails(
            joined_rows=int(groups.sizes.sum()),
            known_values=len(groups),
            smallest=int(groups.sizes.min()) if len(groups) else None,
            certain=int((beliefs == 1).sum()),
            offending=int(np.count_nonzero(bad)),
            alone=alone,
        )
        told = {"rows": details.joined_rows, "known": details.known_values, "certain": details.certain}
        reading = say("reading.view_join", highest=highest, mean=mean, **told)
        return Risk(
            attack=self.id,
            per_victim=beliefs,
            counts=groups.sizes,
            highest=highest,
            mean=mean,
            reading=reading,
            details=details,
        )
