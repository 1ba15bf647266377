"""Non-uniform entropy: how many bits the published value withholds about the raw one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

import numpy as np

from sfumato.contracts.metric import DataMetric, Level, LevelCost, LevelTerms, Measured, MetricTraits
from sfumato.contracts.thing import param
from sfumato.groups.published import AttributeStats, PublishedStats
from sfumato.kernels.arrays import Floats, Ints
from sfumato.metrics.aggregation import AGGREGATES, Aggregate, combine, factors, refuse_bad_weights, relative_weights

__all__ = ["NonUniformEntropy"]


class NonUniformEntropy(DataMetric):
    """How many bits the published value withholds about the raw one.

    A cell published as ``v`` costs ``-log2 P(raw | v) = log2(count(v) / count(raw))``, counted in the raw table, where
    ``count(v)`` is the number of records whose value ``v`` covers; a suppressed record costs ``log2(n / count(raw))`` in each
    attribute, as if generalized to the root. Summed over records, and over attributes. ``normalized`` divides each attribute by
    its highest value, ``sum over records of log2(n / count(raw))``.

    ARX (``variant="arx"``) charges ``gF * g``, the sum over all records, suppressed ones too, of
    ``log2(count(v) / count(raw))``, and on top, for S suppressed records, ``sF * sum over v of a log2(S / a)`` with a the
    suppressed records that would be published as ``v``: the entropy of what was suppressed. Its ``variant="monotone"`` is
    ``gF * g`` alone.

    Examples
    --------
    >>> import sfumato
    >>> from sfumato.datasets import patients
    >>> table = sfumato.from_dataset(patients())
    >>> release = sfumato.recode(table, {"Job": {"id": "full-domain-generalization", "level": 1}}, patients().taxonomies)
    >>> round(sfumato.measure(table, release, NonUniformEntropy()).value, 4)
    6.7549

    References
    ----------
    de Waal, Willenborg, "Information loss through global recoding and local suppression", 1999.
    Gionis, Tassa, "k-anonymization with minimal loss of information", 2009, doi:10.1109/TKDE.2008.129.
    """

    id: ClassVar[str] = "non-uniform-entropy"
    traits: ClassVar[MetricTraits] = MetricTraits(better="lower", monotone_under_merge=True)

    normalized: bool = param(default=False, doc="whether each attribute is divided by its highest value")
    aggregate: Aggregate = param(default="sum", choices=AGGREGATES, doc="how the attributes are put together")
    weights: Mapping[str, float] | None = param(default=None, doc="weight of each attribute; 1 where not given")
    gs_factor: float = param(
        default=0.5, ge=0, le=1, doc="below 0.5 suppression counts less, above 0.5 generalization does"
    )
    variant: Literal["literature", "arx", "monotone"] = param(
        default="literature", choices=("literature", "arx", "monotone"), doc="how suppressed records are charged"
    )

    def validate(self) -> None:
        """Refuse weights that are no numbers, or below 0."""
        refuse_bad_weights(f"{self.id}.weights", self.weights)

    def applies(self, published: PublishedStats) -> str | None:
        """Say so if it is not known which raw values became which published ones."""
        for stats in published.attributes.values():
            if not stats.paired:
                return "needs to know which published value each raw value became"
            if published.suppressed and stats.suppressed is None:
                return "needs to know what the suppressed records would have become"
        return None

    def of_attribute(self, attribute: AttributeStats) -> tuple[float, float]:
        """Return the bits of one attribute, and the most there could be."""
        general, left_out = factors(self.gs_factor)
        kept = attribute.count
        gone = np.zeros_like(kept) if attribute.suppressed is None else attribute.suppressed
        every = kept + gone
        n, suppressed = every.sum().item(), gone.sum().item()
        labels = np.bincount(attribute.label, weights=every).astype(np.float64)
        climb, root = _bits(labels[attribute.label], every), _bits(np.full(len(every), float(n)), every)
        if self.variant == "literature":
            bits = general * float(climb @ kept) + left_out * float(root @ gone)
        else:
            bits = general * float(climb @ every)
        if self.variant == "arx" and suppressed:
            parts = np.bincount(attribute.label, weights=gone)
            bits += left_out * float(_bits(np.full(len(parts), float(suppressed)), parts) @ parts)
        return bits, float(root @ every)

    def lattice_terms(self, names: Sequence[str]) -> LevelTerms:
        """Return the bits of each level; what was left out pays by its own entropy with ARX."""
        entropy = factors(self.gs_factor)[1] if self.variant == "arx" else 0.0
        return LevelTerms(self._at_level, relative_weights(self.weights, names), self.aggregate, entropy)

    def _at_level(self, at: Level) -> LevelCost | None:
        general, left_out = factors(self.gs_factor)
        if (self.variant == "literature" and general != left_out) or (self.variant == "arx" and self.normalized):
            return None
        present = at.raw > 0
        bits = np.log2(at.counts[at.raw_value[present]] / at.raw[present]) @ at.raw[present]
        most = float(np.log2(at.records / at.raw[present]) @ at.raw[present])
        scale = 1.0
        if self.normalized:
            scale = 1.0 / most if most > 0 else 0.0
        root = np.log2(at.records / np.where(at.counts > 0, at.counts, 1.0))
        extra = root if self.variant == "literature" else np.zeros(len(at.counts))
        return LevelCost(scale * general * float(bits), scale * general * extra)

    def measure(self, published: PublishedStats) -> Measured:
        """Return the bits withheld by a release, by attribute and in total."""
        found = {name: self.of_attribute(stats) for name, stats in published.attributes.items()}
        if self.normalized:
            found = {name: (bits / most if most > 0 else 0.0, 1.0) for name, (bits, most) in found.items()}
        by = {name: bits for name, (bits, _) in found.items()}
        return combine(self.id, by, {name: most for name, (_, most) in found.items()}, self.aggregate, self.weights)


def _bits(whole: Floats, part: Floats | Ints) -> Floats:
    """Return ``log2(whole / part)``, 0 where there is no part."""
    ratio = np.divide(whole, part, out=np.ones(len(part)), where=np.asarray(part) > 0)
    return np.asarray(np.log2(ratio))
