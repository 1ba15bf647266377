"""Entropy-based information loss: the share of a record's bits that its published values leave open."""

from __future__ import annotations

from typing import ClassVar

from sfumato.contracts.metric import DataMetric, Measured, MetricTraits
from sfumato.contracts.thing import param
from sfumato.errors import BadRequest
from sfumato.estimates.attack_payoff import bits_left_open
from sfumato.groups.published import PublishedStats
from sfumato.metrics.aggregation import factors

__all__ = ["EntropyBasedInformationLoss"]


class EntropyBasedInformationLoss(DataMetric):
    """The share of a record's bits that its published values leave open, summed over records.

    If all raw combinations are equally likely, a record published as ``(v_1, ..., v_d)`` leaves
    ``L = log(|v_1| * ... * |v_d|) / log(|D_1| * ... * |D_d|)`` of its bits open: 0 for a raw record, 1 for the root in all
    attributes. The release costs ``gF * sum of L over kept records + sF * suppressed``, with the factors that follow from
    ``gs_factor``. Of a number without hierarchy the values that occur are counted.

    Examples
    --------
    >>> import numpy as np
    >>> from sfumato.groups.stats import GroupStats
    >>> cover, domain = np.array([[2.0, 1.0], [4.0, 2.0]]), np.array([4.0, 2.0])
    >>> groups = GroupStats.from_sizes([3, 4])
    >>> EntropyBasedInformationLoss().measure(PublishedStats(8, 1, groups, group_cover=cover, cover_domain=domain)).value
    6.0

    References
    ----------
    Wan, Vorobeychik, Xia, Clayton, Kantarcioglu, Ganta, Heatherly, Malin, "A game theoretic framework for analyzing
    re-identification risk", 2015, doi:10.1371/journal.pone.0120592.
    """

    id: ClassVar[str] = "entropy-based-information-loss"
    traits: ClassVar[MetricTraits] = MetricTraits(better="lower", monotone_under_merge=True)

    gs_factor: float = param(
        default=0.5, ge=0, le=1, doc="below 0.5 suppression counts less, above 0.5 generalization does"
    )

    def applies(self, published: PublishedStats) -> str | None:
        """Say so if it is not known how much the published values cover."""
        known = published.group_cover is not None and published.cover_domain is not None
        return None if known else "needs to know how many raw values each published value covers"

    def measure(self, published: PublishedStats) -> Measured:
        """Return the share of bits left open, summed over records."""
        cover, domain = published.group_cover, published.cover_domain
        if cover is None or domain is None:
            raise BadRequest(str(self.applies(published)), parameter=self.id)
        general, left_out = factors(self.gs_factor)
        real = published.groups.sizes - (0 if published.added is None else published.added)
        value = general * float(real @ bits_left_open(cover, domain)) + left_out * published.suppressed
        return Measured(self.id, value, lowest=0.0, highest=float(published.records))
