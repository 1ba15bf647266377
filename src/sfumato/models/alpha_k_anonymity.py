"""(alpha,k)-anonymity: every group holds at least k records and no sensitive value has a share above alpha."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from sfumato.contracts.model import Bound, Numbers, TableTraits, Verdict, at_most
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.groups.stats import GroupStats
from sfumato.models.sensitive_model import (
    Counterexamples,
    SensitiveModel,
    Value,
    fewest_records,
    largest_of,
    leveled,
    share_or_shortfall,
)

__all__ = ["AlphaKAnonymity"]


class AlphaKAnonymity(SensitiveModel):
    """Every group holds at least k records and no sensitive value has a share above alpha.

    With ``a(g)`` records and shares ``p_s(g)`` in group ``g``: ``a(g) >= k`` and ``p_s(g) <= alpha`` for every sensitive value
    ``s``, or for every one of ``values``. It is k-anonymity together with confidence bounding. The measured value of a
    group is its largest share; a group of fewer than k records measures 1 and the part of k that is lacking.

    Adversary: knows the quasi-identifier of a person who is in the table and looks for the record or its sensitive value.

    Examples
    --------
    >>> from sfumato.groups.stats import GroupStats
    >>> groups = GroupStats.from_histograms([{"Hepatitis": 2, "HIV": 1}, {"Flu": 1, "HIV": 3}], column="Disease")
    >>> verdict = AlphaKAnonymity(alpha=0.7, k=3, sensitive="Disease").check(groups)
    >>> verdict.satisfied, verdict.strongest, verdict.violations[0].witness["value"]
    (False, 0.75, 'HIV')

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 2.2.5.
    Wong, Li, Fu, Wang, "(alpha, k)-anonymity: an enhanced k-anonymity model for privacy preserving data publishing", 2006,
    doi:10.1145/1150402.1150499.
    """

    id: ClassVar[str] = "alpha-k-anonymity"
    traits: ClassVar[TableTraits] = TableTraits(
        prevents=frozenset({"record", "attribute"}),
        evaluation="group",
        closed_under_merge=True,
        violations_shrink_under_merge=False,
        sensitive="categorical",
    )
    counterexamples: ClassVar[Counterexamples] = {
        "violations_shrink_under_merge": (
            GroupStats.from_histograms([{"s0": 30}, {"s0": 5, "s1": 5}], column="Disease"),
            [0, 0],
        )
    }
    adversary: ClassVar[str] = say("adversary.alpha-k-anonymity")
    level: ClassVar[str] = "smallest alpha at this k"
    named: ClassVar[tuple[str, ...]] = ("values",)

    alpha: float = param(ge=0, le=1, doc="largest share that a sensitive value may have in a group")
    k: int = param(ge=1, doc="smallest number of records that must look alike")
    values: tuple[Value, ...] | None = param(default=None, doc="sensitive values to bound; all if not given")

    def validate(self) -> None:
        """Refuse an empty list of values: it would bound nothing."""
        super().validate()
        if self.values is not None and not self.values:
            raise BadRequest("must name at least one value, or be left out for all", parameter=f"{self.id}.values")

    def measure(self, groups: GroupStats) -> Numbers:
        """Return the largest share of each group, or 1 and the lacking part of k."""
        share = largest_of(self.histogram(groups), self.values) / groups.sizes
        return share_or_shortfall(share, groups.sizes, self.k)

    def bound(self) -> Bound:
        """Shares must not exceed alpha."""
        return at_most(self.alpha)

    def least_size(self) -> int:
        """Return k, or the smallest size whose single records do not exceed alpha."""
        if self.values is not None or self.alpha == 0:
            return self.k
        return max(self.k, fewest_records(1 / self.alpha))

    def witness(self, groups: GroupStats, group: int) -> Mapping[str, object]:
        """Return the size of the group, its most frequent value and that value's share."""
        size, row = int(groups.sizes[group]), self.histogram(groups).row(group)
        bounded = {value: count for value, count in row.items() if self.values is None or value in self.values}
        value = max(bounded, key=lambda known: bounded[known], default=None)
        return {"records": size, "value": value, "share": bounded.get(value, 0) / size}

    def check(self, groups: GroupStats, *, worst: int = 10) -> Verdict:
        """Judge a partition; there is no level if some group has fewer than k records."""
        verdict = super().check(groups, worst=worst)
        return leveled(verdict, highest=1.0, bound=say("bound.share_and_records", bound=verdict.bound, k=self.k))

    def necessary(self, records: int) -> str | None:
        """Name what no masking can reach: more records than there are, or no share at all."""
        if self.alpha == 0 and self.values is None:
            return "alpha=0 on all values allows no record"
        least = self.least_size()
        return f"a group needs {least} records, the table has only {records}" if records < least else None
