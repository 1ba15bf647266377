"""Average group size: how many records a group holds on average, as a multiple of k."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import ClassVar, Literal

from sfumato.contracts.metric import Counted, DataMetric, Measured, MetricTraits, SizeTerms
from sfumato.contracts.thing import param
from sfumato.groups.published import PublishedStats
from sfumato.metrics.aggregation import factors

__all__ = ["AverageGroupSize"]


class AverageGroupSize(DataMetric):
    """How many records a group holds on average, as a multiple of k.

    ``C_avg = (records in groups / groups) / k``; 1 is the best a k-anonymous release can reach. Suppressed records are
    in no group and do not count.

    ARX (``variant="arx"``) takes all n records, counts the suppressed ones as one group more and does not divide by k: with K
    groups and the factors of ``gs_factor``, which trade places here, ``n / (K sF + gF)`` if anything is suppressed and
    ``n / (K sF)`` if not.

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
    aliases: ClassVar[tuple[str, ...]] = ("c-avg",)
    traits: ClassVar[MetricTraits] = MetricTraits(better="lower", monotone_under_merge=True)

    k: int = param(default=1, ge=1, doc="the k the release was made for; 1 gives the plain average")
    gs_factor: float = param(default=0.5, ge=0, le=1, doc="the factor of the variant arx")
    variant: Literal["literature", "arx"] = param(
        default="literature", choices=("literature", "arx"), doc="whether suppressed records are one group more"
    )

    def lattice_terms(self, names: Sequence[str]) -> SizeTerms:
        """Return the average, and that of all groups if each could be kept."""
        return SizeTerms(self._average, self._least_average)

    def _average(self, at: Counted) -> float:
        if self.variant == "arx":
            one_more, each = factors(self.gs_factor)
            count = at.kept * each + (one_more if at.left_out else 0.0)
            return at.records / count if count > 0 else inf
        return (at.records - at.left_out) / (at.kept * float(self.k)) if at.kept else inf

    def _least_average(self, at: Counted) -> float:
        if self.variant == "arx":
            one_more, each = factors(self.gs_factor)
            return at.records / (at.groups * each + one_more) if each + one_more > 0 else -inf
        return (at.records - at.budget) / (at.groups * float(self.k))

    def measure(self, published: PublishedStats) -> Measured:
        """Return the normalised average group size of a release."""
        groups = len(published.groups)
        if self.variant == "arx":
            return self._as_arx(published.records, groups, published.suppressed)
        kept: float = published.groups.sizes.sum().item()
        value = kept / groups / self.k if groups else 0.0
        return Measured(self.id, value, lowest=1 / self.k, highest=max(kept, 1) / self.k)

    def _as_arx(self, records: float, groups: int, suppressed: float) -> Measured:
        one_more, each = factors(self.gs_factor)
        count = groups * each + (one_more if suppressed else 0.0)
        most = records * each + one_more
        least = min(each, one_more)
        return Measured(
            self.id,
            records / count if count > 0 else inf,
            lowest=records / most if most > 0 else None,
            highest=records / least if least > 0 else None,
        )
