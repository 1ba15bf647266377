"""Minimal distortion: one unit for every value and every level it climbs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from sfumato.contracts.metric import DataMetric, Level, LevelCost, LevelTerms, Measured, MetricTraits
from sfumato.contracts.thing import param
from sfumato.groups.published import AttributeStats, PublishedStats
from sfumato.metrics.aggregation import refuse_bad_weights

__all__ = ["MinimalDistortion"]


class MinimalDistortion(DataMetric):
    """One unit for every value instance and every level it climbs.

    ``MD = sum over records and attributes of w_A * (depth(raw) - depth(published))``. A suppressed cell climbs to the
    root. In a full-domain recoding of balanced trees ``MD = n * height``. Intervals of numbers without a hierarchy have
    no levels: each instance is charged 1. ``penalty`` is the price of one level.

    Examples
    --------
    >>> import sfumato
    >>> from sfumato.datasets import patients
    >>> table = sfumato.from_dataset(patients())
    >>> release = sfumato.recode(table, {"Job": {"id": "full-domain-generalization", "level": 1}}, patients().taxonomies)
    >>> sfumato.measure(table, release, "minimal-distortion").value
    7.0

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 4.1.1.
    """

    id: ClassVar[str] = "minimal-distortion"
    traits: ClassVar[MetricTraits] = MetricTraits(better="lower", additive_over_groups=True, monotone_under_merge=True)

    weights: Mapping[str, float] | None = param(default=None, doc="weight of each attribute; 1 where not given")
    penalty: float = param(default=1.0, gt=0, doc="what one level costs")

    def validate(self) -> None:
        """Refuse weights that are no numbers, or below 0."""
        refuse_bad_weights(f"{self.id}.weights", self.weights)

    def of_attribute(self, attribute: AttributeStats, suppressed_climb: float) -> float:
        """Return the unweighted levels climbed in one attribute."""
        climbed = np.where(attribute.climbed < 0, 1, attribute.climbed)
        return float(climbed @ attribute.count) + suppressed_climb

    def lattice_terms(self, names: Sequence[str]) -> LevelTerms:
        """Return the levels climbed."""
        weights = self.weights or {}
        return LevelTerms(self._at_level, {name: weights.get(name, 1.0) * self.penalty for name in names})

    def _at_level(self, at: Level) -> LevelCost:
        climbed = at.raw_depth - at.depth[at.raw_value]
        return LevelCost(float(climbed @ at.raw), at.depth)

    def measure(self, published: PublishedStats) -> Measured:
        """Return the distortion of a release, by attribute and in total."""
        weights = self.weights or {}
        by: dict[str, float] = {}
        highest = 0.0
        for name, stats in published.attributes.items():
            weight = self.penalty * weights.get(name, 1.0)
            climb = published.suppressed_climb.get(name, 0)
            by[name] = weight * self.of_attribute(stats, climb)
            highest += weight * (float(np.where(stats.root_climb < 0, 1, stats.root_climb) @ stats.count) + climb)
        return Measured(self.id, sum(by.values()), by, 0.0, highest)
