"""Loss: the share of its domain that a published value leaves open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from sfumato.contracts.metric import DataMetric, Level, LevelCost, LevelTerms, Measured, MetricTraits
from sfumato.contracts.thing import param
from sfumato.groups.published import AttributeStats, PublishedStats
from sfumato.metrics.aggregation import AGGREGATES, Aggregate, combine, factors, refuse_bad_weights, relative_weights

__all__ = ["Loss"]


class Loss(DataMetric):
    """The share of its domain that a published value leaves open.

    A cell published as ``v`` costs ``(|v| - 1) / (|D| - 1)``, where ``|v|`` counts the raw values that ``v`` may stand for
    and ``|D|`` those of the whole domain; an interval of numbers without hierarchy costs its width over the width of the
    range. A suppressed record costs 1 in each attribute. Per attribute the mean over all records, in [0, 1]; over
    attributes the mean, or the sum as the literature prints it.

    ARX computes, with ``m = |D|``, ``n`` records, share ``s = |v| / m`` of each cell and the factors ``gF`` and ``sF`` that
    follow from ``gs_factor``: ``t = gF * sum of s over kept + sum of (s + sF (1 - s)) over suppressed``, then
    ``v = max(0, (t - gF n/m) / (n - gF n/m))``. With the factor 0.5 that is the definition above. Its default over
    attributes is ``aggregate="geometric-mean"``; weights are divided by the largest.

    Examples
    --------
    >>> import sfumato
    >>> from sfumato.datasets import patients
    >>> table = sfumato.from_dataset(patients())
    >>> release = sfumato.recode(table, {"Job": {"id": "full-domain-generalization", "level": 1}}, patients().taxonomies)
    >>> round(sfumato.measure(table, release, "loss").by_attribute["Job"], 4)
    0.3333

    References
    ----------
    Iyengar, "Transforming data to satisfy privacy constraints", 2002, doi:10.1145/775047.775089.
    Prasser, Eicher, Spengler, Bild, Kuhn, "Flexible data anonymization using ARX", 2020, doi:10.1002/spe.2812.
    """

    id: ClassVar[str] = "loss"
    aliases: ClassVar[tuple[str, ...]] = ("loss-metric",)
    traits: ClassVar[MetricTraits] = MetricTraits(better="lower", monotone_under_merge=True)

    aggregate: Aggregate = param(default="mean", choices=AGGREGATES, doc="how the attributes are put together")
    weights: Mapping[str, float] | None = param(default=None, doc="weight of each attribute; 1 where not given")
    gs_factor: float = param(
        default=0.5, ge=0, le=1, doc="below 0.5 suppression counts less, above 0.5 generalization does"
    )

    def validate(self) -> None:
        """Refuse weights that are no numbers, or below 0."""
        refuse_bad_weights(f"{self.id}.weights", self.weights)

    def applies(self, published: PublishedStats) -> str | None:
        """Say so if suppressed records must be charged by what they would have become, and nobody knows."""
        unknown = published.suppressed and any(stats.suppressed is None for stats in published.attributes.values())
        return (
            "needs to know what the suppressed records would have become" if unknown and self.gs_factor < 0.5 else None
        )

    def of_attribute(self, attribute: AttributeStats, suppressed: float) -> float:
        """Return the mean cost of one attribute over kept and suppressed records."""
        records: float = attribute.count.sum().item() + suppressed
        general, left_out = factors(self.gs_factor)
        unit = 0.0 if attribute.continuous else 1.0
        domain = attribute.domain
        full = (domain - general * unit) / domain if domain > 0 else 0.0
        if records == 0 or domain <= 0 or full <= 0:
            return suppressed / records if records else 0.0
        # The cost of an untouched cell is taken off cell by cell, so that an untouched column costs exactly nothing.
        cost = general * float(((attribute.covered - unit) / domain) @ attribute.count)
        if left_out == 1.0 or attribute.suppressed is None:
            cost += suppressed * full
        else:
            share = attribute.covered / domain
            cost += (
                float((share + left_out * (1 - share)) @ attribute.suppressed) - general * suppressed * unit / domain
            )
        return max(0.0, cost / (records * full))

    def lattice_terms(self, names: Sequence[str]) -> LevelTerms:
        """Return the mean cost of each level."""
        return LevelTerms(self._at_level, relative_weights(self.weights, names), self.aggregate)

    def _at_level(self, at: Level) -> LevelCost:
        general, left_out = factors(self.gs_factor)
        full = (at.domain - general) / at.domain
        if full <= 0:
            return LevelCost(0.0, np.full(len(at.counts), 1.0 / at.records))
        kept = general * (at.covers - 1.0) / at.domain
        share = at.covers / at.domain
        gone = np.full(len(kept), full) if left_out == 1.0 else share + left_out * (1 - share) - general / at.domain
        return LevelCost(float(kept @ at.counts) / (at.records * full), (gone - kept) / (at.records * full))

    def measure(self, published: PublishedStats) -> Measured:
        """Return the loss of a release, by attribute and in total."""
        by = {name: self.of_attribute(stats, published.suppressed) for name, stats in published.attributes.items()}
        return combine(self.id, by, dict.fromkeys(by, 1.0), self.aggregate, self.weights)
