"""Classification metric: the share of records whose class is not the most frequent one of their group."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, Literal

import numpy as np

from sfumato.contracts.metric import DataMetric, Measured, MetricTraits
from sfumato.contracts.thing import param
from sfumato.errors import BadRequest
from sfumato.groups.published import PublishedStats
from sfumato.metrics.aggregation import factors

__all__ = ["ClassificationMetric"]


class ClassificationMetric(DataMetric):
    """The share of records whose class is not the most frequent one of their group.

    ``CM = (1/|T|) * sum of penalty(r)``: 1 for a suppressed record and for one whose class is not the majority of its group,
    else 0. With a tie any one of the most frequent classes is the majority; the value is the same. It is an error on the
    records themselves, not on later ones: how well a release trains a classifier must be tried.

    ARX (``variant="arx"``), with x the ``gs_factor`` and its factors ``gF`` and ``sF``: a minority record costs ``gF``, each
    record of a group without a single majority ``sF``, a suppressed record x; the sum is divided by the records times the
    largest of the three. Merging can lower it: a group joins another one and gets a single majority, or loses it. The class
    must not be a quasi-identifier.

    Examples
    --------
    >>> from sfumato.groups.stats import GroupStats
    >>> groups = GroupStats.from_histograms([{"Hepatitis": 2, "HIV": 1}, {"Flu": 1, "HIV": 3}], "Disease")
    >>> round(ClassificationMetric().measure(PublishedStats(7, 0, groups, target="Disease")).value, 4)
    0.2857

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 4.2.
    Iyengar, "Transforming data to satisfy privacy constraints", 2002, doi:10.1145/775047.775089.
    """

    id: ClassVar[str] = "classification-metric"
    traits: ClassVar[MetricTraits] = MetricTraits(
        better="lower", purpose="special", monotone_under_merge=True, needs_target=True
    )

    gs_factor: float = param(default=0.5, ge=0, le=1, doc="the factor of the variant arx")
    variant: Literal["literature", "arx"] = param(
        default="literature",
        choices=("literature", "arx"),
        doc="whether a group without a single majority is charged whole",
    )

    def validate(self) -> None:
        """Claim less for the variant arx."""
        if self.variant == "arx":
            object.__setattr__(self, "traits", replace(self.traits, monotone_under_merge=False))

    def applies(self, published: PublishedStats) -> str | None:
        """Say so if no class column was counted."""
        known = published.target is not None and published.target in published.groups.histograms
        return None if known else "needs a class: a target column that is published and no quasi-identifier"

    def measure(self, published: PublishedStats) -> Measured:
        """Return the share of records that their group's majority misjudges."""
        refusal = self.applies(published)
        if refusal is not None:
            raise BadRequest(refusal, parameter=self.id)
        histogram = published.groups.histograms[str(published.target)]
        sizes, top, n = histogram.totals(), histogram.largest(), published.records
        if n == 0:
            return Measured(self.id, 0.0, lowest=0.0, highest=1.0)
        if self.variant == "literature":
            value = (int((sizes - top).sum()) + published.suppressed) / n
            return Measured(self.id, value, lowest=0.0, highest=1.0)
        general, left_out = factors(self.gs_factor)
        tied = np.add.reduceat(histogram.count == np.repeat(top, histogram.distinct()), histogram.start[:-1]) > 1
        charged = (
            np.where(tied, left_out * sizes, general * (sizes - top)).sum() + self.gs_factor * published.suppressed
        )
        value = float(charged) / (max(self.gs_factor, general, left_out) * n)
        return Measured(self.id, value, lowest=0.0, highest=1.0)
