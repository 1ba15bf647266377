"""k-anonymity of a view set: nobody's value is among fewer than k, whatever table gave these answers."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from sfumato.contracts.model import Bound, Model, ModelTraits, Verdict, Violation, at_least
from sfumato.contracts.thing import column, param
from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.views.covers import Covers, covers_by_cells, refuse_strange
from sfumato.views.models._projections import covers_by_join
from sfumato.views.view_set import ViewSet

__all__ = ["CoverCheck", "SPViewKAnonymity"]


@frozen(eq=False)
class CoverCheck:
    """What the smallest covers say of k: whoever has one of fewer values."""

    covers: Covers
    k: int

    @property
    def violates(self) -> bool:
        """Whether somebody's cover is too small."""
        return bool((self.covers.sizes < self.k).any())

    @property
    def violating(self) -> list[tuple[object, ...]]:
        """Whoever has a cover of fewer than k values, followed by these values."""
        return [(name, *cover) for name, cover in self.covers.below(self.k)]


class SPViewKAnonymity(Model[ViewSet]):
    """Whatever table gave the answers, nobody's value is known to be among fewer than k.

    An *association cover* of i is a set of pairs ``{(i, p_1), ..., (i, p_m)}`` of which every possible world holds one at
    least; the views violate k-anonymity if some cover has fewer than k pairs. A view cuts the record space into one record set
    for each of its rows and what its condition leaves out; intersections of one set of each view are *cells*. If all cells that
    can witness a row fix the identifier to i, their values cover i. That is exact where the recipients know no dependencies
    between columns; for these see ``fd-view-kanon-check``. Another view never enlarges a cover. Only links between the two
    columns count: a view of names alone links nothing.

    Adversary: recipients who put all views together, know their queries and that all are of one table.

    Examples
    --------
    >>> from sfumato.views import View, ViewSet
    >>> table = {"Name": ["Ann", "Bob", "Cal"], "Job": ["Cook", "Cook", "Lawyer"], "Disease": ["Flu", "Diabetes", "HIV"]}
    >>> views = ViewSet.of(table, [View.of("V1", ["Name", "Job"]), View.of("V2", ["Job", "Disease"])])
    >>> model = SPViewKAnonymity(k=2, identifier="Name", sensitive="Disease")
    >>> model.check(views).violating, model.check(views).covers["Ann"]
    ([('Cal', 'HIV')], ('Diabetes', 'Flu'))
    >>> model.judge(views).satisfied
    False

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, sections 8.2.1 and 8.2.3.
    Yao, Wang, Jajodia, "Checking for k-anonymity violation by views", 2005.
    """

    id: ClassVar[str] = "sp-view-kanon-check"
    traits: ClassVar[ModelTraits] = ModelTraits(prevents=frozenset({"attribute"}), evaluation="worlds")
    adversary: ClassVar[str] = say("adversary.sp-view-kanon-check")
    level: ClassVar[str] = "k"

    k: int = param(ge=1, doc="fewest values among which everybody's must be")
    identifier: str = column("any", doc="column that names persons")
    sensitive: str = column("any", doc="column whose values nobody should be linked to")

    def covers(self, views: ViewSet) -> Covers:
        """Return the smallest association cover of everybody who has one."""
        refuse_strange(views, self.identifier, self.sensitive, self.id)
        shown = any(self.sensitive in view.columns for view in views.views)
        if len(views) > 1 and views.projections and (shown or self.sensitive not in views.domains):
            return covers_by_join(views, self.identifier, self.sensitive)
        return covers_by_cells(views, self.identifier, self.sensitive)

    def check(self, views: ViewSet) -> CoverCheck:
        """Return whose cover is too small."""
        return CoverCheck(self.covers(views), self.k)

    def bound(self) -> Bound:
        """Every cover needs k values."""
        return at_least(self.k)

    def judge(self, view: ViewSet, *, worst: int = 10) -> Verdict:
        return verdict_on(self, self.covers(view), self.bound(), worst)


def verdict_on(model: Model[ViewSet], covers: Covers, bound: Bound, worst: int) -> Verdict:
    """Return the verdict on the covers of everybody; a cover is told by its size and values, never by whose it is."""
    broken = np.flatnonzero(~bound.holds(covers.sizes))
    shown = broken[np.argsort(covers.sizes[broken], kind="stable")][:worst].tolist()
    return model.verdict(
        satisfied=len(broken) == 0,
        strongest=covers.smallest,
        groups=len(covers),
        records=len(covers),
        bound=str(bound),
        violations=[Violation(covers.cover(at), 1, int(covers.sizes[at])) for at in shown],
        violating_groups=len(broken),
        violating_records=len(broken),
    )
