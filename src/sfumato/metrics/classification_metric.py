"""Classification metric: the share of records whose class is not the most frequent one of their group."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, Literal

import numpy as np

from sfumato.contracts.metric import DataMetric, Measured, MetricTraits
from sfumato.contracts.thing import columns, param
from sfumato.errors import BadRequest
from sfumato.groups.published import AttributeStats, PublishedStats
from sfumato.groups.stats import CodedKeys, GroupStats, Histogram
from sfumato.metrics.aggregation import factors

__all__ = ["ClassificationMetric"]


class ClassificationMetric(DataMetric):
    """The share of records whose class is not the most frequent one of their group.

    ``CM = (1/|T|) * sum of penalty(r)``: 1 for a suppressed record and for one whose class is not the majority of its group,
    else 0. With a tie any one of the most frequent classes is the majority; the value is the same. It is an error on the
    records themselves, not on later ones: how well a release trains a classifier must be tried.

    ARX (``variant="arx"``), with x the ``gs_factor`` and its factors ``gF`` and ``sF``: a minority record costs ``gF``, each
    record of a group without a single majority ``sF``, a suppressed record x; the sum is divided by the records times the
    largest of the three, P. Merging can lower it: a group joins another one and gets a single majority, or loses it.

    ``response`` names quasi-identifiers to predict from all others, in place of the target; several add up. Groups are merged
    that differ in the response alone, and its published values are the classes. A coarser class is easier to tell and worth
    less: with ``q = 1 - (published values - 1) / (raw values - 1)``, counted over what occurs, ``gF`` and ``sF`` become
    ``gF (1 - q) + P q`` and ``sF (1 - q) + P q``, and where one value is left (q = 1) every record costs P.

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

    response: tuple[str, ...] | None = columns(
        "quasi-identifier", default=None, doc="quasi-identifiers to predict from the others; the target if not given"
    )

    def validate(self) -> None:
        """Claim less for the variant arx and for responses."""
        if self.variant == "arx" or self.response is not None:
            object.__setattr__(self, "traits", replace(self.traits, monotone_under_merge=False))
        if self.response is not None:
            object.__setattr__(self, "traits", replace(self.traits, needs_target=False))
            if not self.response or len(set(self.response)) < len(self.response):
                raise BadRequest("must name different columns", parameter=f"{self.id}.response", value=self.response)

    def applies(self, published: PublishedStats) -> str | None:
        """Say so if no class column was counted, or a response is none of the columns."""
        if self.response is None:
            known = published.target is not None and published.target in published.groups.histograms
            return None if known else "needs a class: a target column that is published and no quasi-identifier"
        strange = [name for name in self.response if name not in published.attributes]
        return f"predicts {strange[0]}, which is no quasi-identifier" if strange else None

    def measure(self, published: PublishedStats) -> Measured:
        """Return the share of records that their group's majority misjudges."""
        refusal = self.applies(published)
        if refusal is not None:
            raise BadRequest(refusal, parameter=self.id)
        asked = self.response or (str(published.target),)
        if published.records == 0:
            return Measured(self.id, 0.0, lowest=0.0, highest=float(len(asked)))
        value = sum(self._error(published, name) for name in asked)
        return Measured(self.id, value, lowest=0.0, highest=float(len(asked)))

    def _error(self, published: PublishedStats, name: str) -> float:
        """Return what the records cost whose class, in one column, is not told by the others."""
        lost = 0.0
        if self.response is None:
            histogram = published.groups.histograms[name]
        else:
            histogram, lost = _merged(published.groups, name), _lost(published.attributes[name])
        sizes, top, n = histogram.totals(), histogram.largest(), published.records
        if self.variant == "literature":
            charged = (sizes if lost == 1 else sizes - top).sum().item()
            return float(charged + published.suppressed) / n
        general, left_out = factors(self.gs_factor)
        most = max(self.gs_factor, general, left_out)
        if lost == 1:
            return float(most * sizes.sum() + self.gs_factor * published.suppressed) / (most * n)
        minority, tie = (factor * (1 - lost) + most * lost for factor in (general, left_out))
        tied = np.add.reduceat(histogram.count == np.repeat(top, histogram.distinct()), histogram.start[:-1]) > 1
        charged = np.where(tied, tie * sizes, minority * (sizes - top)).sum() + self.gs_factor * published.suppressed
        return float(charged) / (most * n)


def _merged(groups: GroupStats, name: str) -> Histogram:
    """Return how often each published value of a column occurs among records that look alike in all others."""
    coded = {column: CodedKeys.of(keys) for column, keys in zip(groups.columns, groups.keys, strict=True)}
    others = [keys.codes for column, keys in coded.items() if column != name]
    alike = np.zeros(len(groups), np.int64)
    if others and len(groups):
        alike = np.unique(np.column_stack(others), axis=0, return_inverse=True)[1].reshape(-1)
    own, classes = coded[name], int(alike.max(initial=-1)) + 1
    return Histogram.from_pairs(classes, tuple(own.values), alike, own.codes.astype(np.int64), groups.sizes)


def _lost(attribute: AttributeStats) -> float:
    """Return the share of the values of a column that cannot be told apart any more, counted over all records."""
    held = attribute.count if attribute.suppressed is None else attribute.count + attribute.suppressed
    present = held > 0
    raw, shown = int(present.sum()), len(np.unique(attribute.label[present]))
    return 0.0 if raw <= 1 else 1 - (shown - 1) / (raw - 1)
