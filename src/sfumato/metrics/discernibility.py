"""Discernibility: every record pays the size of its group, a suppressed record pays the table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sfumato.contracts.metric import DataMetric, Measured, MetricTraits
from sfumato.groups.published import PublishedStats
from sfumato.groups.stats import GroupStats

__all__ = ["Discernibility"]


@dataclass(frozen=True, kw_only=True)
class Discernibility(DataMetric):
    """Every record pays the size of its group, a suppressed record pays the table.

    ``DM = sum over groups of |G|^2 + suppressed * n``, between ``n`` and ``n^2``. As a search metric the *increase*
    ``DM(after) - DM(before)`` is meant, see :meth:`increase`; the book prints the sum of squares before the step and
    draws the opposite conclusion from it.

    Examples
    --------
    >>> from sfumato.groups.stats import GroupStats
    >>> before = GroupStats.from_sizes([99, 1])
    >>> Discernibility().increase(before, before.merge([0, 0]))
    198

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 4.1.3.
    Bayardo, Agrawal, "Data privacy through optimal k-anonymization", 2005, doi:10.1109/ICDE.2005.42.
    """

    id: ClassVar[str] = "discernibility"
    traits: ClassVar[MetricTraits] = MetricTraits(better="lower", additive_over_groups=True, monotone_under_merge=True)

    def of_groups(self, groups: GroupStats) -> int:
        """Return the sum of squared group sizes."""
        return int((groups.sizes.astype(object) ** 2).sum()) if len(groups) else 0

    def increase(self, before: GroupStats, after: GroupStats) -> int:
        """Return what a generalization step costs: after minus before."""
        return self.of_groups(after) - self.of_groups(before)

    def measure(self, published: PublishedStats) -> Measured:
        """Return the discernibility of a release."""
        n = published.records
        value = self.of_groups(published.groups) + published.suppressed * n
        return Measured(self.id, value, lowest=n, highest=n * n)
