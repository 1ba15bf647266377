"""p-sensitive k-anonymity: every group holds at least k records and at least p different sensitive values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from sfumato.contracts.model import Bound, Numbers, TableTraits, Verdict, at_least
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.groups.stats import GroupStats
from sfumato.models.sensitive_model import SensitiveModel, leveled

__all__ = ["PSensitiveKAnonymity"]


class PSensitiveKAnonymity(SensitiveModel):
    """Every group holds at least k records and at least p different sensitive values.

    With ``a(g)`` records and ``m(g)`` different sensitive values in group ``g``: ``a(g) >= k`` and ``m(g) >= p``, where
    ``p <= k``. With ``k = p`` it is distinct l-diversity with ``l = p``. A group of fewer than k records measures 0.

    Adversary: knows the quasi-identifier of a person who is in the table and looks for the record or its sensitive value.

    Examples
    --------
    >>> from sfumato.groups.stats import GroupStats
    >>> groups = GroupStats.from_histograms([{"Hepatitis": 2, "HIV": 1}, {"Flu": 1, "HIV": 3}], column="Disease")
    >>> verdict = PSensitiveKAnonymity(p=2, k=3, sensitive="Disease").check(groups)
    >>> verdict.satisfied, verdict.strongest
    (True, 2)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 2.2.1.
    Truta, Vinay, "Privacy protection: p-sensitive k-anonymity property", 2006.
    """

    id: ClassVar[str] = "p-sensitive-k-anonymity"
    traits: ClassVar[TableTraits] = TableTraits(
        prevents=frozenset({"record", "attribute"}),
        evaluation="group",
        closed_under_merge=True,
        violations_shrink_under_merge=True,
        sensitive="categorical",
    )
    adversary: ClassVar[str] = say("adversary.p-sensitive-k-anonymity")
    level: ClassVar[str] = "p at this k"

    p: int = param(ge=1, doc="smallest number of different sensitive values in a group; at most k")
    k: int = param(ge=1, doc="smallest number of records that must look alike")

    def validate(self) -> None:
        """Refuse more values than records."""
        super().validate()
        if self.p > self.k:
            raise BadRequest(f"must be at most k = {self.k}", parameter=f"{self.id}.p", value=self.p)

    def measure(self, groups: GroupStats) -> Numbers:
        """Return the number of different sensitive values of each group, 0 where it has fewer than k records."""
        return np.where(groups.sizes >= self.k, self.histogram(groups).distinct(), 0)

    def bound(self) -> Bound:
        """Each group needs at least p values."""
        return at_least(self.p)

    def least_size(self) -> int:
        """Return k."""
        return self.k

    def witness(self, groups: GroupStats, group: int) -> Mapping[str, object]:
        """Return the size of the group and the shares of its values."""
        size = int(groups.sizes[group])
        shares = {value: count / size for value, count in self.histogram(groups).row(group).items()}
        return {"records": size, "distinct": len(shares), "shares": shares}

    def check(self, groups: GroupStats, *, worst: int = 10) -> Verdict:
        """Judge a partition; the bound is told in full."""
        return leveled(super().check(groups, worst=worst), bound=say("bound.values_and_records", p=self.p, k=self.k))

    def necessary(self, records: int) -> str | None:
        """A table of fewer than k records cannot be k-anonymous."""
        return f"k={self.k} is larger than the number of records, {records}" if records < self.k else None
