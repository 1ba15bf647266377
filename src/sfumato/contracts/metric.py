"""Information metrics: what a release costs (data metrics) and what one step of a search is worth (search metrics)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal

import numpy as np
import numpy.typing as npt

from sfumato.contracts.thing import Thing
from sfumato.groups.published import PublishedStats

__all__ = ["DataMetric", "Measured", "MetricTraits", "Refinement", "SearchMetric"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class MetricTraits:
    """Claims about a metric: which way is better, whether groups add up, whether merging can only raise the cost."""

    better: Literal["lower", "higher"]
    purpose: Literal["general", "special", "trade-off"] = "general"
    additive_over_groups: bool = False
    monotone_under_merge: bool = False
    needs_target: bool = False


@dataclass(frozen=True)
class Measured:
    """A metric's value for a release, in total and by attribute, with the bounds that let a report normalise it."""

    metric: str
    value: float
    by_attribute: Mapping[str, float] = field(default_factory=dict)
    lowest: float | None = None
    highest: float | None = None


@dataclass(frozen=True, kw_only=True)
class DataMetric(Thing):
    """Scores a whole release from its published statistics; never sees rows."""

    kind: ClassVar[str] = "metric"
    traits: ClassVar[MetricTraits]

    @abstractmethod
    def measure(self, published: PublishedStats) -> Measured:
        """Return the value of the release."""

    def applies(self, published: PublishedStats) -> str | None:
        """Return why the metric cannot judge this release, or ``None`` if it can."""
        return None


@dataclass(frozen=True)
class Refinement:
    """What a search metric sees of candidate steps that refine one value: how its records would part, in b ways.

    ``parent_classes`` (classes) counts the records masked to the value, ``child_classes`` (b x children x classes) those
    of each child. ``parent_share`` and ``child_share`` (b x children) are the shares of the domain that each leaves open.
    """

    parent_classes: Ints
    child_classes: Ints
    parent_share: float
    child_share: Floats


@dataclass(frozen=True, kw_only=True)
class SearchMetric(Thing):
    """Values one step of a top-down search: ``gain`` is fixed when the candidate is born, ``score`` follows its loss."""

    kind: ClassVar[str] = "metric"
    traits: ClassVar[MetricTraits]

    @abstractmethod
    def gain(self, step: Refinement) -> Floats:
        """Return what each of the b ways to refine the value would give back."""

    @abstractmethod
    def score(self, gain: Floats, anonymity_loss: Floats) -> Floats:
        """Weigh gains against the average loss of anonymity over the quasi-identifiers concerned."""
