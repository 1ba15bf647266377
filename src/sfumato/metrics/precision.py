"""Precision: how far values climb, as a share of the way to the root."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

import numpy as np

from sfumato.contracts.metric import DataMetric, Level, LevelCost, LevelTerms, Measured, MetricTraits
from sfumato.contracts.thing import param
from sfumato.groups.published import AttributeStats, PublishedStats
from sfumato.metrics.aggregation import AGGREGATES, Aggregate, combine, factors, refuse_bad_weights, relative_weights

__all__ = ["Precision"]


class Precision(DataMetric):
    """How far values climb, as a share of the way to the root.

    A cell costs ``levels climbed / levels to the root``, which is level over height in a balanced tree; a suppressed record
    costs 1 in each attribute. Per attribute the mean over all records; 0 for the raw table, 1 if nothing is left. The
    literature's ``Prec`` is 1 minus the mean over attributes. An interval of numbers without hierarchy has no levels and
    costs its width over the width of the range.

    ARX computes ``v = ((n - S) gF level/height + S sF) / n`` for S suppressed records, with the factors that follow from
    ``gs_factor``; its ``variant="monotone"`` is ``v = gF level/height`` over the records kept, whatever is suppressed.

    Examples
    --------
    >>> import sfumato
    >>> from sfumato.datasets import patients
    >>> table = sfumato.from_dataset(patients())
    >>> release = sfumato.recode(table, {"Job": {"id": "full-domain-generalization", "level": 1}}, patients().taxonomies)
    >>> sfumato.measure(table, release, "precision").value
    0.5

    References
    ----------
    Sweeney, "Achieving k-anonymity privacy protection using generalization and suppression", 2002,
    doi:10.1142/S021848850200165X.
    """

    id: ClassVar[str] = "precision"
    traits: ClassVar[MetricTraits] = MetricTraits(better="lower", monotone_under_merge=True)

    aggregate: Aggregate = param(default="mean", choices=AGGREGATES, doc="how the attributes are put together")
    weights: Mapping[str, float] | None = param(default=None, doc="weight of each attribute; 1 where not given")
    gs_factor: float = param(
        default=0.5, ge=0, le=1, doc="below 0.5 suppression counts less, above 0.5 generalization does"
    )
    variant: Literal["literature", "monotone"] = param(
        default="literature", choices=("literature", "monotone"), doc="whether suppressed records are charged"
    )

    def validate(self) -> None:
        """Refuse weights that are no numbers, or below 0."""
        refuse_bad_weights(f"{self.id}.weights", self.weights)

    def of_attribute(self, attribute: AttributeStats, suppressed: float) -> float:
        """Return the mean cost of one attribute over kept and suppressed records."""
        general, left_out = factors(self.gs_factor)
        width = attribute.covered / attribute.domain if attribute.domain > 0 else np.zeros(len(attribute.count))
        way = np.where(attribute.root_climb > 0, attribute.climbed / np.maximum(attribute.root_climb, 1), 0.0)
        climbed = general * float(np.where(attribute.climbed < 0, width, way) @ attribute.count)
        kept: float = attribute.count.sum().item()
        if self.variant == "monotone":
            return climbed / kept if kept else 0.0
        return (climbed + left_out * suppressed) / (kept + suppressed) if kept + suppressed else 0.0

    def lattice_terms(self, names: Sequence[str]) -> LevelTerms:
        """Return how far each level is from the raw values, where all lie equally deep."""
        return LevelTerms(self._at_level, relative_weights(self.weights, names), self.aggregate)

    def _at_level(self, at: Level) -> LevelCost | None:
        if not at.even:
            return None
        general, left_out = factors(self.gs_factor)
        way = general * at.level / at.height if at.height else 0.0
        nothing = np.zeros(len(at.counts))
        return LevelCost(way, nothing if self.variant == "monotone" else nothing + (left_out - way) / at.records)

    def measure(self, published: PublishedStats) -> Measured:
        """Return how far values climbed, by attribute and in total."""
        by = {name: self.of_attribute(stats, published.suppressed) for name, stats in published.attributes.items()}
        return combine(self.id, by, dict.fromkeys(by, 1.0), self.aggregate, self.weights)
