"""Positive-disclosure-recursive (c,l)-diversity: some sensitive values may be learnt, the others may not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from sfumato.contracts.model import Bound, Numbers, TableTraits, Verdict, at_most
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.groups.stats import GroupStats
from sfumato.models.l_diversity_recursive import smallest_c
from sfumato.models.sensitive_model import Counterexamples, SensitiveModel, Value, leveled

__all__ = ["PDRecursiveLDiversity"]


class PDRecursiveLDiversity(SensitiveModel):
    """Recursive (c,l)-diversity in which some sensitive values may be learnt.

    Let ``Y`` be the tolerated values, ``r_1 >= ... >= r_m`` the counts in a group and ``y`` the rank of the most frequent value
    outside ``Y``. A group satisfies it iff all its values are in ``Y``, or ``y <= l - 1`` and
    ``r_y < c * (r_l + ... + r_m)``, or ``y > l - 1`` and ``r_y < c * (r_(l-1) + ... + r_m - r_y)``. In words: whatever
    ``l - 2`` values an adversary excludes, no value outside ``Y`` reaches c times the records left that lack it. Without
    tolerated values it is recursive (c,l)-diversity. With ``l = 1`` every group satisfies it.

    Adversary: knows the quasi-identifier of a person who is in the table, and up to l - 2 values which that person lacks.

    Examples
    --------
    >>> from sfumato.groups.stats import GroupStats
    >>> groups = GroupStats.from_histograms([{"Flu": 6, "HIV": 3, "Cancer": 2, "Asthma": 1}], column="Disease")
    >>> verdict = PDRecursiveLDiversity(c=2, l=3, sensitive="Disease", tolerated=("Flu",)).check(groups)
    >>> verdict.satisfied, verdict.strongest
    (True, 1.0)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 2.2.1.
    Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam, "l-diversity: privacy beyond k-anonymity", 2007,
    doi:10.1145/1217299.1217302.
    """

    id: ClassVar[str] = "l-diversity-pd-recursive"
    traits: ClassVar[TableTraits] = TableTraits(
        prevents=frozenset({"record", "attribute"}),
        evaluation="group",
        closed_under_merge=True,
        violations_shrink_under_merge=False,
        sensitive="categorical",
    )
    counterexamples: ClassVar[Counterexamples] = {
        "violations_shrink_under_merge": (
            GroupStats.from_histograms([{"s0": 30}, {"s0": 4, "s1": 4, "s2": 4}], column="Disease"),
            [0, 0],
        )
    }
    adversary: ClassVar[str] = say("adversary.l-diversity-pd-recursive")
    level: ClassVar[str] = "smallest c at this l (to be exceeded if strict)"
    named: ClassVar[tuple[str, ...]] = ("tolerated",)

    c: float = param(
        gt=0, doc="how many times the rare values must outweigh the most frequent one that is not tolerated"
    )
    l: int = param(ge=1, doc="rank from which on a sensitive value counts as rare")
    tolerated: tuple[Value, ...] = param(default=(), doc="sensitive values that an adversary may learn (Y)")
    strict: bool = param(default=True, doc="whether equality is a violation")

    def measure(self, groups: GroupStats) -> Numbers:
        """Return the c that each group needs."""
        return smallest_c(self.histogram(groups), self.l, self.tolerated)

    def bound(self) -> Bound:
        """The needed c must stay below c."""
        return at_most(self.c, strict=self.strict)

    def least_size(self) -> int:
        """Return l if nothing is tolerated; else a group of one tolerated value is safe."""
        return 1 if self.tolerated else self.l

    def witness(self, groups: GroupStats, group: int) -> Mapping[str, object]:
        """Return the most frequent value that is not tolerated, and all counts, largest first."""
        row = self.histogram(groups).row(group)
        guarded = [value for value in row if value not in self.tolerated]
        return {"value": max(guarded, key=lambda known: row[known]), "counts": sorted(row.values(), reverse=True)}

    def check(self, groups: GroupStats, *, worst: int = 10) -> Verdict:
        """Judge a partition; there is no level if no c is large enough for some group."""
        return leveled(super().check(groups, worst=worst))

    def necessary(self, records: int) -> str | None:
        """Without tolerated values a table of fewer than l records cannot hold l values."""
        least = self.least_size()
        return f"l={self.l} is larger than the number of records, {records}" if records < least else None
