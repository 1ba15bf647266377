"""Dominance rule: no sum may consist mostly of what a few records contribute."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar

import numpy as np

from sfumato.contracts.model import Bound, Numbers, TableTraits, Verdict, at_most
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.groups.stats import GroupStats
from sfumato.models.sensitive_model import Counterexamples, SensitiveModel
from sfumato.models.shares import numbers_of, refuse_counting, single

__all__ = ["DominanceRule"]


class DominanceRule(SensitiveModel):
    """No sum of a cell consists by more than k percent of its n largest contributions.

    A cell of a table of sums has contributions ``x_1 >= x_2 >= ... >= 0``, one of each record. It may be published iff
    ``x_1 + ... + x_n <= k/100 (x_1 + x_2 + ...)``. Otherwise a contributor, who knows the own part, comes too close to
    the largest one. A cell with n contributions or fewer is dominated by them, unless k is 100. Negative contributions
    are refused; a cell whose sum is 0 is safe.

    The largest n of two cells together are at most the largest n of each, so merging safe cells stays safe.

    Adversary: one of the contributors of a cell, who knows the own contribution and estimates the largest other one.

    Examples
    --------
    >>> from sfumato.groups.stats import GroupStats
    >>> cells = GroupStats.from_histograms([{50: 1, 30: 1, 10: 1, 5: 2}, {90: 1, 5: 2}], column="Turnover")
    >>> verdict = DominanceRule(n=2, k=80, sensitive="Turnover").check(cells)
    >>> verdict.satisfied, verdict.strongest, verdict.violating_groups
    (False, 95.0, 1)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 5.4.
    Cox, "Suppression methodology and statistical disclosure control", 1980, doi:10.1080/01621459.1980.10477481.
    """

    id: ClassVar[str] = "dominance-rule"
    traits: ClassVar[TableTraits] = TableTraits(
        prevents=frozenset({"attribute"}),
        evaluation="group",
        closed_under_merge=True,
        violations_shrink_under_merge=False,
        sensitive="numeric",
    )
    adversary: ClassVar[str] = say("adversary.dominance-rule")
    level: ClassVar[str] = "k"
    counterexamples: ClassVar[Counterexamples] = {
        "violations_shrink_under_merge": (
            GroupStats.from_histograms([{1000: 1}, {1: 10}], column="Turnover"),
            [0, 0],
        )
    }

    n: int = param(default=2, ge=1, doc="how many of the largest contributions are added up")
    k: float = param(default=80.0, gt=0, le=100, doc="largest share of the sum, in percent, that they may make up")

    def validate(self) -> None:
        """Refuse to count missing values as contributions."""
        super().validate()
        refuse_counting(self)

    def measure(self, groups: GroupStats) -> Numbers:
        """Return the share of the n largest contributions in each cell, in percent; 0 where the sum is 0."""
        histogram, numbers = numbers_of(groups, self.sensitive)
        if (numbers[histogram.code] < 0).any():
            raise BadRequest("must not hold negative contributions", column=self.sensitive, parameter=self.id)
        cell, values = histogram.group(), numbers[histogram.code]
        order = np.lexsort((-values, cell))
        cell, values, counts = cell[order], values[order], histogram.count[order]
        before = np.cumsum(counts) - counts
        before = before - before[histogram.start[:-1]][cell]
        taken = np.clip(self.n - before, 0, counts)
        total = np.bincount(cell, weights=values * counts, minlength=len(groups))
        largest = np.bincount(cell, weights=values * taken, minlength=len(groups))
        return np.asarray(np.divide(100 * largest, total, out=np.zeros(len(groups)), where=total > 0))

    def bound(self) -> Bound:
        """Shares must be at most k percent."""
        return at_most(float(self.k))

    def check(self, groups: GroupStats, *, worst: int = 10) -> Verdict:
        """Judge the cells; the bound is told in percent."""
        return replace(super().check(groups, worst=worst), bound=f"<= {self.k:g} %")

    def witness(self, groups: GroupStats, group: int) -> Mapping[str, object]:
        """Return the share of the largest contributions."""
        return {"share_of_the_largest": float(self.measure(single(groups, self.sensitive, group))[0])}
