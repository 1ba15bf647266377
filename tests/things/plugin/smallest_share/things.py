"""A model, a metric, an algorithm and a hierarchy of somebody's own."""

from __future__ import annotations

from typing import ClassVar

from sfumato.algorithms.stepwise.tdr import TDR
from sfumato.contracts.model import Bound, GroupModel, Numbers, TableTraits, at_least
from sfumato.contracts.thing import param
from sfumato.groups.stats import GroupStats
from sfumato.hierarchies.intervals import Intervals
from sfumato.metrics.discernibility import Discernibility


class SmallestShare(GroupModel):
    """Every group holds at least a share of the records."""

    id: ClassVar[str] = "smallest-share"
    traits: ClassVar[TableTraits] = TableTraits(
        prevents=frozenset({"record"}),
        evaluation="group+table",
        closed_under_merge=True,
        violations_shrink_under_merge=True,
    )
    adversary: ClassVar[str] = "knows the quasi-identifier of a person who is in the table"

    share: float = param(gt=0, le=1, doc="smallest share of the records that a group may hold")

    def measure(self, groups: GroupStats) -> Numbers:
        """Return the share of each group."""
        shares: Numbers = groups.sizes / groups.records
        return shares

    def bound(self) -> Bound:
        """Shares must not fall below the limit."""
        return at_least(self.share)


class OwnCost(Discernibility):
    """Discernibility under another name."""

    id: ClassVar[str] = "own-cost"


class OwnSearch(TDR):
    """Top-down refinement under another name."""

    id: ClassVar[str] = "own-search"


class OwnIntervals(Intervals):
    """Intervals under another name."""

    id: ClassVar[str] = "own-intervals"


class KAnonymity(SmallestShare):
    """A thing that takes an id of ours, which it does not get."""

    id: ClassVar[str] = "k-anonymity"
