"""Normalized certainty penalty: the share of the domain that a masked cell covers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from sfumato.contracts.metric import DataMetric, Level, LevelCost, LevelTerms, Measured, MetricTraits
from sfumato.contracts.thing import param
from sfumato.data.tree import Tree
from sfumato.groups.published import AttributeStats, PublishedStats
from sfumato.metrics.aggregation import refuse_bad_weights

__all__ = ["NormalizedCertaintyPenalty"]


class NormalizedCertaintyPenalty(DataMetric):
    """The share of the domain that a masked cell covers, summed over cells.

    A cell published as an inner node ``v`` costs ``|v| / |D_A|``, a leaf 0, the root 1; an interval of numbers without
    hierarchy its width over the width of the range; a suppressed record 1 in each attribute. ``|v|`` counts the leaves below a
    node, and a node above a single leaf costs 0 like the leaf: whoever reads it knows the value. (Read to the letter, the
    paper's case "inner node" would cost ``1 / |D_A|`` there.) A record costs
    ``NCP = sum over attributes of w_A * NCP(v_A)``, the table the sum over records. Divided by its highest value, which is
    records times the sum of weights, it is the global certainty penalty.

    Examples
    --------
    >>> from sfumato.data.tree import Tree
    >>> job = Tree.from_nested({"ANY": [{"Professional": ["Engineer", "Lawyer"]}, {"Artist": ["Dancer", "Writer"]}]})
    >>> [NormalizedCertaintyPenalty().of_value(job, label) for label in ("Dancer", "Artist", "ANY")]
    [0.0, 0.5, 1.0]

    References
    ----------
    Xu, Wang, Pei, Wang, Shi, Fu, "Utility-based anonymization using local recoding", 2006, doi:10.1145/1150402.1150504.
    """

    id: ClassVar[str] = "normalized-certainty-penalty"
    traits: ClassVar[MetricTraits] = MetricTraits(better="lower", additive_over_groups=True, monotone_under_merge=True)

    weights: Mapping[str, float] | None = param(default=None, doc="weight of each attribute; 1 where not given")

    def validate(self) -> None:
        """Refuse weights that are no numbers, or below 0."""
        refuse_bad_weights(f"{self.id}.weights", self.weights)

    def of_value(self, tree: Tree, label: str) -> float:
        """Return the cost of one published value."""
        covered = int(tree.leaf_count[tree.node(label)])
        return covered / len(tree.leaves) if covered > 1 else 0.0

    def of_attribute(self, attribute: AttributeStats, suppressed: float) -> float:
        """Return the unweighted sum over the records of one attribute."""
        if attribute.domain <= 0:
            return float(suppressed)
        masked = attribute.continuous | (attribute.covered > 1)
        return float(np.where(masked, attribute.covered / attribute.domain, 0.0) @ attribute.count) + suppressed

    def lattice_terms(self, names: Sequence[str]) -> LevelTerms:
        """Return the penalty of each level."""
        return LevelTerms(self._at_level, self.weights or {})

    def _at_level(self, at: Level) -> LevelCost:
        kept = np.where(at.covers > 1, at.covers / at.domain, 0.0)
        return LevelCost(float(kept @ at.counts), 1.0 - kept)

    def measure(self, published: PublishedStats) -> Measured:
        """Return the penalty of a release, by attribute and in total."""
        weights = self.weights or {}
        by = {
            name: weights.get(name, 1.0) * self.of_attribute(stats, published.suppressed)
            for name, stats in published.attributes.items()
        }
        highest = published.records * sum(weights.get(name, 1.0) for name in by)
        return Measured(self.id, float(sum(by.values())), by, 0.0, float(highest))
