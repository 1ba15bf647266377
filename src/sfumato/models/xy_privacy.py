"""(X,Y)-privacy: (X,Y)-anonymity and (X,Y)-linkability at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, ClassVar, Self

from sfumato.contracts.model import Bound, Numbers, TableTraits, Verdict, at_least, at_most
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.errors import BadRequest
from sfumato.groups.stats import GroupStats
from sfumato.kernels.arrays import Ints
from sfumato.models._xy_model import XYModel
from sfumato.models.sensitive_model import (
    Counterexamples,
    Value,
    fewest_records,
    largest_of,
    leveled,
    share_or_shortfall,
)
from sfumato.models.xy_linkability import held_values, refuse_unfit_values

__all__ = ["XYPrivacy"]


class XYPrivacy(XYModel):
    """Every value on X has at least k records, and no value on Y can be inferred from it with confidence above h.

    With ``a(x)`` the number of records with ``x`` on X and ``l_y(x)`` the share of ``y`` among them: ``a(x) >= k`` and
    ``l_y(x) <= h`` for every ``x`` and every ``y`` (or every one of ``values``). X is ``qid``, Y is ``y`` and disjoint from it.
    Either part may be left out. ``anonymity_counts="distinct_y"`` counts different values on Y instead of records, as
    (X,Y)-anonymity does. With h, a group measures its largest share, or 1 and the part of k that is lacking; without h, its
    count.

    Adversary: knows the values on X of a person who is in the table and looks for the record, or infers a value on Y.

    Examples
    --------
    >>> from sfumato.groups.stats import GroupStats
    >>> groups = GroupStats.from_histograms([{"Hepatitis": 2, "HIV": 1}, {"Flu": 1, "HIV": 3}], column="Disease")
    >>> verdict = XYPrivacy(y=("Disease",), k=3, h=0.75).check(groups)
    >>> verdict.satisfied, verdict.strongest
    (True, 0.75)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 2.2.4.
    Wang, Fung, "Anonymizing sequential releases", 2006.
    """

    id: ClassVar[str] = "xy-privacy"
    traits: ClassVar[TableTraits] = TableTraits(
        prevents=frozenset({"record", "attribute"}),
        evaluation="group",
        closed_under_merge=True,
        violations_shrink_under_merge=False,
        sensitive="value",
    )
    counterexamples: ClassVar[Counterexamples] = {
        "violations_shrink_under_merge": (
            GroupStats.from_histograms([{"s0": 90}, {"s0": 5, "s1": 5}], column="Disease"),
            [0, 0],
        )
    }
    adversary: ClassVar[str] = say("adversary.xy-privacy")
    level: ClassVar[str] = "smallest h at this k (largest k without h)"

    k: int | None = param(default=None, ge=1, doc="smallest count for each value on X; no bound if not given")
    h: float | None = param(default=None, gt=0, le=1, doc="largest confidence in a value on Y; no bound if not given")
    anonymity_counts: str = param(
        default="records", choices=("records", "distinct_y"), doc="whether k counts records or different values on Y"
    )
    values: tuple[Value | tuple[Value, ...], ...] | None = param(
        default=None, doc="values on Y to protect, all if not given; with several columns in Y, one list per value"
    )

    def validate(self) -> None:
        """Refuse a requirement without k and h, and values that do not fit Y."""
        super().validate()
        if self.k is None and self.h is None:
            raise BadRequest("needs k, h or both", parameter=f"{self.id}.k")
        if self.h is None and self.values is not None:
            raise BadRequest("values are protected by h, which is not given", parameter=f"{self.id}.values")
        refuse_unfit_values(self.id, self.y, self.values)

    def with_values(self, held: Callable[[str, Any], Any]) -> Self:
        """Return the model with the values it protects as their column holds them."""
        return replace(self, values=held_values(self.y, self.values, held))

    def counted(self, groups: GroupStats) -> Ints:
        """Return what k bounds: the records of each group, or its different values on Y."""
        return groups.sizes if self.anonymity_counts == "records" else self.histogram(groups).distinct()

    def measure(self, groups: GroupStats) -> Numbers:
        """Return the largest share of each group, or 1 and the lacking part of k; without h what k bounds."""
        if self.h is None:
            return self.counted(groups)
        share = largest_of(self.histogram(groups), self.values) / groups.sizes
        return share_or_shortfall(share, self.counted(groups), self.k or 1)

    def bound(self) -> Bound:
        """Shares must not exceed h; without h counts must reach k."""
        return at_most(self.h) if self.h is not None else at_least(self.k or 1)

    def least_size(self) -> int:
        """Return k, or the smallest size whose single records do not exceed h."""
        single = 1 if self.h is None or self.values is not None else fewest_records(1 / self.h)
        return max(self.k or 1, single)

    def witness(self, groups: GroupStats, group: int) -> Mapping[str, object]:
        """Return the size, the number of values on Y, and the value that can be inferred most surely."""
        row, size = self.histogram(groups).row(group), int(groups.sizes[group])
        told: dict[str, object] = {"records": size, "distinct": len(row)}
        if self.h is not None:
            known = {value: count for value, count in row.items() if self.values is None or value in self.values}
            value = max(known, key=lambda candidate: known[candidate], default=None)
            told |= {"value": value, "confidence": known.get(value, 0) / size}
        return told

    def check(self, groups: GroupStats, *, worst: int = 10) -> Verdict:
        """Judge a partition; there is no level if some group misses k."""
        verdict = super().check(groups, worst=worst)
        if self.h is None:
            return verdict
        if self.k is None:
            bound = say("bound.share", bound=verdict.bound)
        elif self.anonymity_counts == "records":
            bound = say("bound.share_and_records", bound=verdict.bound, k=self.k)
        else:
            bound = say("bound.share_and_values", bound=verdict.bound, k=self.k)
        return leveled(verdict, highest=1.0, bound=bound)

    def necessary(self, records: int) -> str | None:
        """A table of too few records fails even as one group."""
        least = self.least_size()
        return f"a group needs {least} records, the table has only {records}" if records < least else None
