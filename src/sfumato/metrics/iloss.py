"""ILoss: the share of domain values that a published value adds to the one that is meant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from sfumato.contracts.metric import DataMetric, Level, LevelCost, LevelTerms, Measured, MetricTraits
from sfumato.contracts.thing import param
from sfumato.data.tree import Tree
from sfumato.groups.published import AttributeStats, PublishedStats
from sfumato.metrics.aggregation import refuse_bad_weights

__all__ = ["ILoss"]


class ILoss(DataMetric):
    """The share of domain values that a published value adds to the one that is meant, summed over records.

    ``ILoss(v) = (|v| - 1) / |D_A|``; a record costs ``sum over attributes of w_A * ILoss(v_A)``, the table the sum over
    records. A raw value costs 0, the root ``(|D| - 1) / |D|``; a suppressed record is charged the root everywhere. An
    interval of numbers without hierarchy costs its width over the width of the range.

    Examples
    --------
    >>> from sfumato.data.tree import Tree
    >>> job = Tree.from_nested({"ANY": [{"Professional": ["Engineer", "Lawyer"]}, {"Artist": ["Dancer", "Writer"]}]})
    >>> ILoss().of_value(job, "Artist")
    0.25

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 4.1.2.
    Xiao, Tao, "Personalized privacy preservation", 2006, doi:10.1145/1142473.1142500.
    """

    id: ClassVar[str] = "iloss"
    traits: ClassVar[MetricTraits] = MetricTraits(better="lower", additive_over_groups=True, monotone_under_merge=True)

    weights: Mapping[str, float] | None = param(default=None, doc="weight of each attribute; 1 where not given")

    def validate(self) -> None:
        """Refuse weights that are no numbers, or below 0."""
        refuse_bad_weights(f"{self.id}.weights", self.weights)

    def of_value(self, tree: Tree, label: str) -> float:
        """Return the cost of one published value."""
        return float(tree.leaf_count[tree.node(label)] - 1) / len(tree.leaves)

    def of_attribute(self, attribute: AttributeStats, suppressed: float) -> float:
        """Return the unweighted sum over the records of one attribute."""
        if attribute.domain <= 0:
            return 0.0
        own = 0.0 if attribute.continuous else 1.0
        cost = (attribute.covered - own) / attribute.domain
        root = (attribute.domain - own) / attribute.domain
        return float(np.maximum(cost, 0.0) @ attribute.count) + suppressed * root

    def lattice_terms(self, names: Sequence[str]) -> LevelTerms:
        """Return the cost of each level."""
        return LevelTerms(self._at_level, self.weights or {})

    def _at_level(self, at: Level) -> LevelCost:
        kept = (at.covers - 1.0) / at.domain
        return LevelCost(float(kept @ at.counts), (at.domain - 1.0) / at.domain - kept)

    def measure(self, published: PublishedStats) -> Measured:
        """Return the information loss of a release, by attribute and in total."""
        weights = self.weights or {}
        by = {
            name: weights.get(name, 1.0) * self.of_attribute(stats, published.suppressed)
            for name, stats in published.attributes.items()
        }
        highest = published.records * sum(weights.get(name, 1.0) for name in by)
        return Measured(self.id, sum(by.values()), by, 0.0, float(highest))
