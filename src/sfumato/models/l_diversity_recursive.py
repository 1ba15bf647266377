"""Recursive (c,l)-diversity: the most frequent sensitive value is outweighed by c times the rare ones."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping
from typing import ClassVar

import numpy as np

from sfumato.contracts.model import Bound, Numbers, TableTraits, Verdict, at_most
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.groups.stats import GroupStats, Histogram
from sfumato.kernels.arrays import Floats
from sfumato.models.sensitive_model import Counterexamples, SensitiveModel, chosen, leveled

__all__ = ["RecursiveLDiversity", "smallest_c"]


class RecursiveLDiversity(SensitiveModel):
    """In every group the most frequent sensitive value is outweighed by c times the values from rank l on.

    With ``r_1 >= r_2 >= ... >= r_m`` the counts of the sensitive values in a group: ``r_1 < c * (r_l + ... + r_m)``. A group
    with fewer than l values violates it; with ``l = 1`` every group satisfies it. The measured value of a group is
    ``r_1 / (r_l + ... + r_m)``, which c must exceed; it is infinite where the sum is empty, and the table then has no
    level. After an adversary has excluded one value the rest is still (c, l-1)-diverse, hence the name.

    Adversary: knows the quasi-identifier of a person who is in the table, and up to l - 2 values which that person lacks.

    Notes
    -----
    The original definition is strict; ``strict=False`` accepts equality, as the book prints it in its definition 2.2.
    A larger c is weaker, a larger l is stronger.

    Examples
    --------
    >>> from sfumato.groups.stats import GroupStats
    >>> groups = GroupStats.from_histograms([{"Hepatitis": 2, "HIV": 1}, {"Flu": 1, "HIV": 3}], column="Disease")
    >>> verdict = RecursiveLDiversity(c=3, l=2, sensitive="Disease").check(groups)
    >>> verdict.satisfied, verdict.strongest
    (False, 3.0)

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 2.2.1, definition 2.2.
    Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam, "l-diversity: privacy beyond k-anonymity", 2007,
    doi:10.1145/1217299.1217302.
    """

    id: ClassVar[str] = "l-diversity-recursive"
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
    adversary: ClassVar[str] = say("adversary.l-diversity-recursive")
    level: ClassVar[str] = "smallest c at this l (to be exceeded if strict)"

    c: float = param(gt=0, doc="how many times the rare values must outweigh the most frequent one")
    l: int = param(ge=1, doc="rank from which on a sensitive value counts as rare")
    strict: bool = param(default=True, doc="whether equality is a violation")

    def measure(self, groups: GroupStats) -> Numbers:
        """Return the c that each group needs."""
        return smallest_c(self.histogram(groups), self.l)

    def bound(self) -> Bound:
        """The needed c must stay below c."""
        return at_most(self.c, strict=self.strict)

    def least_size(self) -> int:
        """Return l: as many records as values."""
        return self.l

    def witness(self, groups: GroupStats, group: int) -> Mapping[str, object]:
        """Return the most frequent value and all counts, largest first."""
        row = self.histogram(groups).row(group)
        return {"value": max(row, key=lambda known: row[known]), "counts": sorted(row.values(), reverse=True)}

    def check(self, groups: GroupStats, *, worst: int = 10) -> Verdict:
        """Judge a partition; there is no level if some group has fewer than l values."""
        return leveled(super().check(groups, worst=worst))

    def necessary(self, records: int) -> str | None:
        """A table of fewer than l records cannot hold l values."""
        return f"l={self.l} is larger than the number of records, {records}" if records < self.l else None


def smallest_c(histogram: Histogram, l: int, tolerated: Collection[Hashable] = ()) -> Floats:
    """Return, for each group, the largest lower bound of the c for which it is (c,l)-diverse.

    Ranks go by falling count. With ``y`` the first rank whose value is not tolerated, it is ``r_y`` over what is left of the
    other values after the ``l - 2`` most frequent of them are excluded: ``r_l + ... + r_m`` if ``y <= l - 1``, else
    ``r_(l-1) + ... + r_m - r_y``. Infinite where nothing is left; 0 where every value is tolerated or ``l`` is 1.
    """
    groups = len(histogram.start) - 1
    if groups == 0 or l == 1:
        return np.zeros(groups, np.float64)
    first = histogram.start[:-1]
    order = np.lexsort((-histogram.count, histogram.group()))
    count = histogram.count[order]
    rank = np.arange(len(count), dtype=np.int64) - np.repeat(first, np.diff(histogram.start)) + 1
    bad = ~chosen(histogram, tolerated)[order]
    y = np.minimum.reduceat(np.where(bad, rank, len(count) + 1), first)
    every = y > len(count)
    r_y = count[np.where(every, 0, first + y - 1)]
    from_l = np.add.reduceat(np.where(rank >= l, count, 0), first)
    from_before_l = np.add.reduceat(np.where(rank >= l - 1, count, 0), first)
    left = np.where(y <= l - 1, from_l, from_before_l - r_y)
    needed = np.full(groups, np.inf)
    np.divide(r_y, left, out=needed, where=left > 0)
    needed[every] = 0.0
    return needed
