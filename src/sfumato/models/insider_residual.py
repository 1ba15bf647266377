"""Insider residual: what is left of a group when a site takes out its own records, which it knows."""

from __future__ import annotations

from collections.abc import Hashable
from typing import ClassVar

import numpy as np

from sfumato.contracts.model import Bound, Numbers, TableTraits, Verdict, at_least
from sfumato.contracts.thing import column, param
from sfumato.data.messages import say
from sfumato.groups.stats import GroupStats
from sfumato.models.sensitive_model import Counterexamples, SensitiveModel, checked_histogram, leveled

__all__ = ["InsiderResidual", "insider_residuals"]


class InsiderResidual(SensitiveModel):
    """When any one site takes its own records out of the joint table, no group is left with fewer than k of them, but for none.

    ``residual(i) = min over groups g of |g| - |g from site i|``, over groups of which something is left; the requirement is
    ``residual(i) >= k`` for every site i. It is m-privacy for m = 1: one holder that looks at the joint table with its own
    records in hand sees groups of k others. A site sees the groups of others as they are. Merging groups never lowers it,
    and a site that holds every record has no residual.

    Adversary: one of the sites, which knows its own records and their owners.

    Examples
    --------
    >>> from sfumato.groups.stats import GroupStats
    >>> groups = GroupStats.from_histograms([{"north": 2, "west": 3}, {"south": 2, "west": 2}], column="site")
    >>> verdict = InsiderResidual(k=2, sensitive="site").check(groups)
    >>> verdict.satisfied, verdict.strongest
    (True, 2)
    >>> insider_residuals(groups, "site")
    {'north': 3, 'south': 2, 'west': 2}

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 12.4.
    Goryczka, Xiong, Fung, "m-privacy for collaborative data publishing", 2014, doi:10.1109/TKDE.2013.18.
    """

    id: ClassVar[str] = "insider-residual"
    traits: ClassVar[TableTraits] = TableTraits(
        prevents=frozenset({"record"}),
        evaluation="group",
        closed_under_merge=True,
        violations_shrink_under_merge=False,
        sensitive="categorical",
    )
    counterexamples: ClassVar[Counterexamples] = {
        "violations_shrink_under_merge": (
            GroupStats.from_histograms([{"north": 30}, {"south": 1}], column="site"),
            [0, 0],
        ),
    }
    adversary: ClassVar[str] = say("adversary.insider-residual")
    level: ClassVar[str] = "k"

    k: int = param(ge=1, doc="smallest number of records that may be left of a group, if any is")
    sensitive: str = column("private", doc="column that names the site of a record")

    def private(self) -> tuple[str, ...]:
        """Return the column of the site: it is read by the check alone."""
        return (self.sensitive,)

    def measure(self, groups: GroupStats) -> Numbers:
        """Return the smallest part of each group that a site can see without its own records; infinite if there is one site."""
        left = groups.sizes - self.histogram(groups).largest()
        alone = np.count_nonzero(groups.whole_table(self.sensitive)) < 2
        return np.where(left > 0, left, np.inf if alone else groups.sizes)

    def bound(self) -> Bound:
        """At least k records must be left."""
        return at_least(self.k)

    def check(self, groups: GroupStats, *, worst: int = 10) -> Verdict:
        """Judge a partition; there is no level if all records are of one site."""
        return leveled(super().check(groups, worst=worst))


def insider_residuals(groups: GroupStats, site: str) -> dict[Hashable, int | None]:
    """Return for each site the smallest group that is left when it takes out its own records; nothing if none is left.

    >>> groups = GroupStats.from_histograms([{"north": 2}, {"west": 1}], column="site")
    >>> insider_residuals(groups, "site")
    {'north': 1, 'west': 2}
    """
    held = checked_histogram(groups, site, "count")
    out: dict[Hashable, int | None] = {}
    for value in held.values:
        left = groups.sizes - held.of(value)
        out[value] = min(left[left > 0].tolist(), default=None)
    return out
