"""Negative/positive-disclosure-recursive diversity: some values may be learnt, the absence of others may not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from sfumato.contracts.model import Bound, Numbers, TableTraits, Verdict, at_least, at_most
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.groups.stats import GroupStats
from sfumato.kernels.arrays import Floats
from sfumato.models.l_diversity_recursive import smallest_c
from sfumato.models.sensitive_model import Counterexamples, SensitiveModel, Value, leveled

__all__ = ["NPDRecursiveLDiversity"]


class NPDRecursiveLDiversity(SensitiveModel):
    """Recursive (c,l)-diversity in which some values may be learnt and the absence of others must stay hidden.

    pd-recursive (c1,l)-diversity with tolerated values ``Y``, and every value ``w`` of ``W`` has a share of at least ``c2`` in
    every group: if it were rarer, or absent, an adversary could exclude it. The measured value of a group is the c1 that it
    needs, infinite where a value of ``W`` is too rare.

    Adversary: knows the quasi-identifier of a person who is in the table, and up to l - 2 values which that person lacks;
    wants to learn a value, or that the person does not have one.

    Examples
    --------
    >>> from sfumato.groups.stats import GroupStats
    >>> groups = GroupStats.from_histograms([{"s0": 6, "s1": 3, "s2": 2, "s3": 1}], column="Disease")
    >>> verdict = NPDRecursiveLDiversity(
    ...     c1=2, c2=0.05, l=2, sensitive="Disease", tolerated=("s0",), never_excluded=("s1",)
    ... ).check(groups)
    >>> verdict.satisfied, round(verdict.strongest, 4)
    (True, 0.3333)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 2.2.1.
    Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam, "l-diversity: privacy beyond k-anonymity", 2007,
    doi:10.1145/1217299.1217302.
    """

    id: ClassVar[str] = "l-diversity-npd-recursive"
    traits: ClassVar[TableTraits] = TableTraits(
        prevents=frozenset({"record", "attribute"}),
        evaluation="group",
        closed_under_merge=True,
        violations_shrink_under_merge=False,
        sensitive="categorical",
    )
    counterexamples: ClassVar[Counterexamples] = {
        "violations_shrink_under_merge": (
            GroupStats.from_histograms([{"s2": 30}, {"s0": 4, "s1": 4, "s2": 4}], column="Disease"),
            [0, 0],
        )
    }
    adversary: ClassVar[str] = say("adversary.l-diversity-npd-recursive")
    level: ClassVar[str] = "smallest c1 at this l and c2 (to be exceeded if strict)"
    named: ClassVar[tuple[str, ...]] = ("tolerated", "never_excluded")

    c1: float = param(
        gt=0, doc="how many times the rare values must outweigh the most frequent one that is not tolerated"
    )
    c2: float = param(ge=0, le=1, doc="smallest share of each value in W in every group")
    l: int = param(ge=1, doc="rank from which on a sensitive value counts as rare")
    tolerated: tuple[Value, ...] = param(default=(), doc="sensitive values that an adversary may learn (Y)")
    never_excluded: tuple[Value, ...] = param(default=(), doc="sensitive values whose absence must stay hidden (W)")
    strict: bool = param(default=True, doc="whether equality is a violation of the c1 part")

    def rarest_share(self, groups: GroupStats) -> Floats:
        """Return the smallest share that a value of W has in each group; 1 without W."""
        histogram = self.histogram(groups)
        shares = [histogram.of(value) / groups.sizes for value in self.never_excluded]
        smallest = np.ones(len(groups), np.float64)
        for share in shares:
            np.minimum(smallest, share, out=smallest)
        return smallest

    def measure(self, groups: GroupStats) -> Numbers:
        """Return the c1 that each group needs, infinite where a value of W is too rare."""
        needed = smallest_c(self.histogram(groups), self.l, self.tolerated)
        return np.where(at_least(self.c2).holds(self.rarest_share(groups)), needed, np.inf)

    def bound(self) -> Bound:
        """The needed c1 must stay below c1."""
        return at_most(self.c1, strict=self.strict)

    def least_size(self) -> int:
        """Return l if nothing is tolerated; else a group of one tolerated value may be safe."""
        return 1 if self.tolerated else self.l

    def witness(self, groups: GroupStats, group: int) -> Mapping[str, object]:
        """Return the values of W that are too rare, the most frequent value that is not tolerated, and all counts."""
        row, size = self.histogram(groups).row(group), int(groups.sizes[group])
        shares = {value: row.get(value, 0) / size for value in self.never_excluded}
        rare = [value for value, share in shares.items() if not at_least(self.c2).holds(np.array([share]))[0]]
        guarded = [value for value in row if value not in self.tolerated]
        return {
            "value": max(guarded, key=lambda known: row[known]) if guarded else None,
            "too_rare": {value: shares[value] for value in rare},
            "counts": sorted(row.values(), reverse=True),
        }

    def check(self, groups: GroupStats, *, worst: int = 10) -> Verdict:
        """Judge a partition; there is no level if no c1 is large enough for some group."""
        verdict = super().check(groups, worst=worst)
        bound = verdict.bound
        return leveled(
            verdict, bound=say("bound.and_each", bound=bound, least=self.c2) if self.never_excluded else bound
        )

    def necessary(self, records: int) -> str | None:
        """Without tolerated values a table of fewer than l records cannot hold l values."""
        least = self.least_size()
        return f"l={self.l} is larger than the number of records, {records}" if records < least else None
