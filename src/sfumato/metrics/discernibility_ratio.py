"""Discernibility ratio: the chance that two records drawn from a release look alike."""

from __future__ import annotations

from typing import ClassVar

from sfumato.contracts.metric import DataMetric, Measured, MetricTraits
from sfumato.groups.published import PublishedStats
from sfumato.metrics.discernibility import sum_of_squares

__all__ = ["DiscernibilityRatio"]


class DiscernibilityRatio(DataMetric):
    """The chance that two records drawn from a release, with replacement, look alike.

    ``DR = sum over groups of |G|^2 / n^2``, in (0, 1]: 1 if all records look alike, ``1/n`` if none do. Suppressed records look
    alike: they count as one group of their own.

    Examples
    --------
    >>> from sfumato.groups.stats import GroupStats
    >>> groups = GroupStats.from_sizes([7, 5, 4, 10, 8])
    >>> round(DiscernibilityRatio().measure(PublishedStats(34, 0, groups)).value, 4)
    0.2197

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 6.7.1, equation 6.8.
    """

    id: ClassVar[str] = "discernibility-ratio"
    traits: ClassVar[MetricTraits] = MetricTraits(better="lower", monotone_under_merge=True)

    def measure(self, published: PublishedStats) -> Measured:
        """Return the discernibility ratio of a release."""
        rows: float = published.groups.sizes.sum().item() + published.suppressed
        if rows == 0:
            return Measured(self.id, 0.0)
        alike = sum_of_squares(published.groups.sizes) + published.suppressed**2
        return Measured(self.id, alike / rows**2, lowest=1 / rows, highest=1.0)
