"""(k,e)-anonymity: every group holds at least k different numbers that span at least e."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar

import numpy as np

from sfumato.contracts.model import Bound, Numbers, TableTraits, Verdict, at_least
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.groups.stats import GroupStats
from sfumato.kernels.arrays import Floats, Ints
from sfumato.models.sensitive_model import SensitiveModel
from sfumato.models.shares import by_group_max, numbers_of, refuse_counting, single

__all__ = ["KEAnonymity"]


class KEAnonymity(SensitiveModel):
    """Every group holds at least k different values of a sensitive number, and they span at least e.

    A group with the different values ``s_1 < ... < s_d`` is safe iff ``d >= k`` and ``s_d - s_1 >= e``. Both only grow when
    groups are merged. The distribution inside the range is ignored: nine of ten values may lie close together.

    The number of a group is the smaller of ``d / k`` and ``(s_d - s_1) / e``, which must be at least 1. The strongest level
    is the largest k that holds with the same e, ``None`` where a range is too small for any.

    Adversary: knows which group a person is in and looks for the person's number, exactly or within a range.

    Examples
    --------
    >>> from sfumato.groups.stats import GroupStats
    >>> groups = GroupStats.from_histograms([{30: 2, 31: 1, 35: 2, 80: 1}, {40: 1, 90: 1}], column="Salary")
    >>> verdict = KEAnonymity(k=3, e=50, sensitive="Salary").check(groups)
    >>> verdict.satisfied, verdict.strongest, dict(verdict.violations[0].witness)
    (False, 2, {'distinct': 2, 'range': 50.0})

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 2.2.7.
    Zhang, Koudas, Srivastava, Yu, "Aggregate query answering on anonymized tables", 2007,
    doi:10.1109/ICDE.2007.367857.
    """

    id: ClassVar[str] = "k-e-anonymity"
    traits: ClassVar[TableTraits] = TableTraits(
        prevents=frozenset({"attribute"}),
        evaluation="group",
        closed_under_merge=True,
        violations_shrink_under_merge=True,
        sensitive="numeric",
    )
    adversary: ClassVar[str] = say("adversary.k-e-anonymity")
    level: ClassVar[str] = "k with the same e"

    k: int = param(ge=1, doc="smallest number of different values in a group")
    e: float = param(ge=0, doc="smallest difference between the largest and the smallest value of a group")

    def validate(self) -> None:
        """Refuse to count missing values as numbers."""
        super().validate()
        refuse_counting(self)

    def distinct(self, groups: GroupStats) -> Ints:
        """Return the number of different values in each group."""
        return numbers_of(groups, self.sensitive)[0].distinct()

    def ranges(self, groups: GroupStats) -> Floats:
        """Return the largest minus the smallest value of each group."""
        histogram, numbers = numbers_of(groups, self.sensitive)
        here = numbers[histogram.code]
        return np.asarray(by_group_max(here, histogram.start) + by_group_max(-here, histogram.start))

    def measure(self, groups: GroupStats) -> Numbers:
        """Return how far each group gets: the smaller of its different values over k and its range over e."""
        spread = self.ranges(groups)
        wide = spread / self.e if self.e > 0 else np.full(len(spread), np.inf)
        return np.minimum(self.distinct(groups) / self.k, wide)

    def bound(self) -> Bound:
        """Both quotients must be at least 1."""
        return at_least(1.0)

    def least_size(self) -> int:
        """Return k, and 2 where the values must differ at all."""
        return max(self.k, 2 if self.e > 0 else 1)

    def necessary(self, records: int) -> str | None:
        """A table of fewer records than different values asked for cannot hold them."""
        if records < self.least_size():
            return f"k={self.k} and e={self.e:g} need {self.least_size()} records, the table has {records}"
        return None

    def check(self, groups: GroupStats, *, worst: int = 10) -> Verdict:
        """Judge a partition; the strongest level is the largest k with the same e."""
        verdict = super().check(groups, worst=worst)
        wide = at_least(float(self.e)).holds(self.ranges(groups)).all()
        strongest = int(self.distinct(groups).min()) if len(groups) and wide else None
        return replace(verdict, strongest=strongest, bound=say("bound.over_range", k=self.k, e=self.e))

    def witness(self, groups: GroupStats, group: int) -> Mapping[str, object]:
        """Return the number of different values and their range."""
        alone = single(groups, self.sensitive, group)
        return {"distinct": int(self.distinct(alone)[0]), "range": float(self.ranges(alone)[0])}
