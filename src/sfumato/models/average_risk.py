"""Average risk: whoever tries to find records by their quasi-identifiers finds few of them on average."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from sfumato.contracts.model import SizesModel, TableTraits, Verdict, Violation, at_most
from sfumato.contracts.publication import Publication
from sfumato.contracts.thing import param
from sfumato.data.messages import say
from sfumato.groups.stats import GroupStats
from sfumato.kernels.arrays import Bools, Ints
from sfumato.models.k_anonymity import KAnonymity

__all__ = ["AverageRisk", "SampleUniqueness"]


class _ShareOfRecords(SizesModel):
    """A share of the published records that must not be too large; the smallest groups decide it."""

    threshold: float = param(ge=0, le=1, doc="largest share")

    def judge(self, publication: Publication, *, worst: int = 10) -> Verdict:
        """Judge the sizes of the published groups."""
        return self.check(publication.groups(self.qid), worst=worst)

    def _counted(self, sizes: Ints) -> Bools:
        """Tell which groups add one to the share."""
        return np.ones(len(sizes), bool)

    def too_many(self, sizes: Ints) -> int:
        """Return how many of the smallest groups must go: each takes its records and what it counts along."""
        counted = self._counted(sizes)
        left = np.append(counted.sum() - np.append(0, np.cumsum(counted))[:-1], 0)
        records = np.append(sizes.sum() - np.append(0, np.cumsum(sizes))[:-1], 0)
        share = np.divide(left, records, out=np.zeros(len(left)), where=records > 0)
        return int(np.argmax(at_most(float(self.threshold)).holds(share)))

    def check(self, groups: GroupStats, *, worst: int = 10) -> Verdict:
        """Judge a partition; if it fails, the smallest groups that would have to go are listed."""
        order = np.argsort(groups.sizes, kind="stable")
        broken = order[: self.too_many(groups.sizes[order])]
        share = float(self._counted(groups.sizes).sum() / groups.sizes.sum()) if len(groups) else None
        return self.verdict(
            qid=groups.columns,
            satisfied=len(broken) == 0,
            strongest=share,
            bound=str(at_most(float(self.threshold))),
            groups=len(groups),
            records=groups.sizes.sum().item(),
            violating_groups=len(broken),
            violating_records=groups.sizes[broken].sum().item(),
            violations=[
                Violation(groups.key(int(i)), groups.sizes[i].item(), 1 / groups.sizes[i].item())
                for i in broken[:worst]
            ],
        )


class AverageRisk(_ShareOfRecords):
    """The chance of pointing at the right record, averaged over all published records, is at most a threshold.

    A record of a group of c has the chance ``1 / c``, so that the mean over n records is ``groups / n``. Single records may
    have a much higher one: together with k-anonymity also that is bounded. Merging groups keeps the model. No group is right
    or wrong by itself; a search that may leave records out leaves out the smallest groups until the mean is low enough.

    Adversary: knows the quasi-identifiers of many persons in the table, and counts how many of them are found.

    Examples
    --------
    >>> from sfumato.groups.stats import GroupStats
    >>> verdict = AverageRisk(threshold=0.3).check(GroupStats.from_sizes([1, 4, 5]))
    >>> verdict.satisfied, verdict.strongest
    (True, 0.3)

    References
    ----------
    El Emam, *Guide to the De-Identification of Personal Health Information*, 2013, chapter 16.
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 2.1 (record linkage).
    """

    id: ClassVar[str] = "average-risk"
    traits: ClassVar[TableTraits] = TableTraits(
        prevents=frozenset({"record"}),
        evaluation="sizes",
        closed_under_merge=True,
        violations_shrink_under_merge=True,
    )
    adversary: ClassVar[str] = say("adversary.average-risk")
    level: ClassVar[str] = "mean chance of finding a record"

    threshold: float = param(gt=0, le=1, doc="largest mean chance of pointing at the right record")

    def in_each_group(self) -> KAnonymity:
        """Ask that every group has so many records that no single one exceeds the mean."""
        return KAnonymity(k=int(np.ceil(1 / self.threshold - 1e-9)))


class SampleUniqueness(_ShareOfRecords):
    """At most a given share of the published records is alone with its quasi-identifier.

    The share is ``groups of one record / n``. Merging groups keeps the model. A search that may leave records out leaves out
    such groups, in the order of their labels, until few enough are left.

    Adversary: knows the quasi-identifiers of persons in the table and looks for records that only one of them can have.

    Examples
    --------
    >>> from sfumato.groups.stats import GroupStats
    >>> verdict = SampleUniqueness(threshold=0.05).check(GroupStats.from_sizes([1, 4, 5]))
    >>> verdict.satisfied, verdict.strongest
    (False, 0.1)

    References
    ----------
    Skinner, Elliot, "A measure of disclosure risk for microdata", 2002, doi:10.1111/1467-9868.00365.
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 2.1 (record linkage).
    """

    id: ClassVar[str] = "sample-uniqueness"
    traits: ClassVar[TableTraits] = AverageRisk.traits
    adversary: ClassVar[str] = say("adversary.sample-uniqueness")
    level: ClassVar[str] = "share of records that are alone"

    threshold: float = param(ge=0, le=1, doc="largest share of records that may be alone")

    def _counted(self, sizes: Ints) -> Bools:
        return np.asarray(sizes == 1)

    def in_each_group(self) -> KAnonymity:
        """Ask that nobody is alone."""
        return KAnonymity(k=2)
