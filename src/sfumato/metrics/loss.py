"""Loss: the share of its domain that a published value leaves open."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from sfumato.contracts.metric import DataMetric, Measured, MetricTraits
from sfumato.contracts.thing import param
from sfumato.groups.published import AttributeStats, PublishedStats

__all__ = ["Loss"]


@dataclass(frozen=True, kw_only=True)
class Loss(DataMetric):
    """The share of its domain that a published value leaves open.

    A cell published as ``v`` costs ``(|v| - 1) / (|D| - 1)``, where ``|v|`` counts the raw values that ``v`` may stand for
    and ``|D|`` those of the whole domain; an interval of numbers without hierarchy costs its width over the width of the
    range. A suppressed record costs 1 in each attribute. Per attribute the mean over all records, in [0, 1]; over
    attributes the mean, or the sum as the literature prints it.

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
    """

    id: ClassVar[str] = "loss"
    traits: ClassVar[MetricTraits] = MetricTraits(better="lower", monotone_under_merge=True)

    aggregate: Literal["mean", "sum"] = param(
        default="mean", choices=("mean", "sum"), doc="how the attributes are put together"
    )

    def of_attribute(self, attribute: AttributeStats, suppressed: int) -> float:
        """Return the mean cost of one attribute over kept and suppressed records."""
        records = int(attribute.count.sum()) + suppressed
        if records == 0:
            return 0.0
        if attribute.continuous:
            cost = attribute.covered / attribute.domain if attribute.domain > 0 else np.zeros(len(attribute.count))
        elif attribute.domain > 1:
            cost = (attribute.covered - 1) / (attribute.domain - 1)
        else:
            cost = np.zeros(len(attribute.count))
        return float((cost * attribute.count).sum() + suppressed) / records

    def measure(self, published: PublishedStats) -> Measured:
        """Return the loss of a release, by attribute and in total."""
        by = {name: self.of_attribute(stats, published.suppressed) for name, stats in published.attributes.items()}
        total = sum(by.values())
        count = max(len(by), 1)
        if self.aggregate == "mean":
            return Measured(self.id, total / count, by, 0.0, 1.0)
        return Measured(self.id, total, by, 0.0, float(count))
