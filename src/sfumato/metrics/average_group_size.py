"""Average group size: how many records a group holds on average, as a multiple of k."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sfumato.contracts.metric import DataMetric, Measured, MetricTraits
from sfumato.contracts.thing import param
from sfumato.groups.published import PublishedStats

__all__ = ["AverageGroupSize"]


@dataclass(frozen=True, kw_only=True)
class AverageGroupSize(DataMetric):
    """How many records a group holds on average, as a multiple of k.

    ``C_avg = (records in groups / groups) / k``; 1 is the best a k-anonymous release can reach. Suppressed records are
    in no group and do not count.

    Examples
    --------
    >>> from sfumato.groups.published import PublishedStats
    >>> from sfumato.groups.stats import GroupStats
    >>> AverageGroupSize(k=3).measure(PublishedStats(7, 0, GroupStats.from_sizes([3, 4]))).value
    1.1666666666666667

    References
    ----------
    LeFevre, DeWitt, Ramakrishnan, "Mondrian multidimensional k-anonymity", 2006, doi:10.1109/ICDE.2006.101.
    """

    id: ClassVar[str] = "average-group-size"
    traits: ClassVar[MetricTraits] = MetricTraits(better="lower", monotone_under_merge=True)

    k: int = param(default=1, ge=1, doc="the k the release was made for; 1 gives the plain average")

    def measure(self, published: PublishedStats) -> Measured:
        """Return the normalised average group size of a release."""
        kept = int(published.groups.sizes.sum())
        groups = len(published.groups)
        value = kept / groups / self.k if groups else 0.0
        return Measured(self.id, value, lowest=1 / self.k, highest=max(kept, 1) / self.k)
