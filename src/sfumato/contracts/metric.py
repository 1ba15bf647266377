"""Information metrics: what a release costs (data metrics) and what one step of a search is worth (search metrics).

A data metric's ``measure`` is the truth. Where it is also a sum over attributes, or follows from group sizes alone, it says so
(:class:`LevelTerms`, :class:`SizeTerms`): a search over the levels of whole columns then knows a floor under the cost of nodes
that it has not looked at.

Searches walk in two directions and see different things on the way, so there are three small contracts for their scores: a
:class:`SearchMetric` values steps that refine a value, a :class:`CoarseningMetric` steps that make several values one, an
:class:`AttributeMetric` says which attribute comes next.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from math import floor, inf, isnan
from typing import ClassVar, Generic, Literal, TypeVar

import numpy as np

from sfumato.contracts.foreign import look_at
from sfumato.contracts.thing import Thing
from sfumato.data.frozen import frozen
from sfumato.errors import BadRequest
from sfumato.groups.compared import ComparedTables
from sfumato.groups.published import PublishedStats
from sfumato.kernels.arrays import Floats, Ints

__all__ = [
    "Aggregate",
    "AttributeMetric",
    "Coarsening",
    "CoarseningMetric",
    "ComparedMetric",
    "Counted",
    "DataMetric",
    "Level",
    "LevelCost",
    "LevelTerms",
    "Measured",
    "MetricTraits",
    "Refinement",
    "ReleaseMetric",
    "SearchMetric",
    "SizeTerms",
]

V = TypeVar("V")
Aggregate = Literal["mean", "sum", "maximum", "geometric-mean", "rank"]


@frozen
class MetricTraits:
    """Claims about a metric: which way is better, whether groups add up, whether merging can only raise the cost.

    A class carries the claims of its default parameters. An instance whose parameters break one carries its own: ask the
    instance where it matters. ``compared``: its parts are shown wherever several releases are set side by side.
    """

    better: Literal["lower", "higher"]
    purpose: Literal["general", "special", "trade-off"] = "general"
    additive_over_groups: bool = False
    monotone_under_merge: bool = False
    needs_target: bool = False
    compared: bool = False


@frozen
class Measured:
    """A metric's value for a release, in total and by attribute, with the bounds that let a report normalise it.

    ``rank`` is there if releases are to be compared by several numbers, the first that differs deciding; ``value`` is then
    the first of them. ``denominator`` is the number that the value is a share of, or a mean over, where the metric says it.
    """

    metric: str
    value: float
    by_attribute: Mapping[str, float] = field(default_factory=dict)
    lowest: float | None = None
    highest: float | None = None
    rank: tuple[float, ...] | None = None
    denominator: int | None = None

    @property
    def normalised(self) -> float | None:
        """Where the value lies between its bounds, from 0 to 1; ``None`` where they are not known or fall together.

        >>> Measured("loss", 3.0, lowest=1.0, highest=5.0).normalised
        0.5
        """
        if self.lowest is None or self.highest is None or not self.lowest < self.highest < inf:
            return None
        return (self.value - self.lowest) / (self.highest - self.lowest)


@frozen(eq=False)
class Level:
    """One level of one attribute: the values it shows, what they cover, how many of the table's records have them.

    ``height`` counts the levels above the raw values; ``even`` if every leaf lies that deep and no node on two levels.
    ``covers``, ``depth`` and ``counts`` go by shown value, ``raw`` (records), ``raw_value`` (the value shown for it) and
    ``raw_depth`` by raw value.
    """

    level: int
    height: int
    even: bool
    covers: Floats
    domain: int
    depth: Floats
    counts: Floats
    records: float
    raw: Floats
    raw_value: Ints
    raw_depth: Floats


@frozen(eq=False)
class LevelCost:
    """What the records of a level cost in all, and what leaving one out of each shown value adds."""

    total: float
    extra: Floats


@frozen
class LevelTerms:
    """A metric that puts attributes together, each at one level; the search measures node by node if a level has no cost.

    ``entropy`` weighs the bits of what was left out, ``sum of a log2(S / a)`` over its values.
    """

    of: Callable[[Level], LevelCost | None]
    weights: Mapping[str, float]
    aggregate: Aggregate = "sum"
    entropy: float = 0.0


@frozen(eq=False)
class Counted:
    """What was counted at a node: groups and records, kept and left out, and the squares of group sizes.

    ``records`` is the size of the table, of which ``budget`` may be left out. Every node below leaves out the ``firm`` records
    too, and ``loose`` others. Records that stand for several persons each count so many times.
    """

    records: float
    budget: float
    groups: int
    left_out: float
    kept: int
    kept_squares: float
    all_squares: float
    firm: float
    loose: float

    @property
    def lasting(self) -> float:
        """How many records every node below must leave out."""
        return self.firm + self.loose


def _unknown(counted: Counted) -> float:
    return -inf


@frozen
class SizeTerms:
    """A metric of group sizes alone: the cost of a node, and what the nodes above and below it cost at least."""

    score: Callable[[Counted], float]
    above: Callable[[Counted], float] = _unknown
    below: Callable[[Counted], float] = _unknown


def _not_measured(found: object, published: object) -> str | None:
    if not isinstance(found, Measured):
        return f"a Measured; it gave a {type(found).__name__}"
    number = isinstance(found.value, (int, float)) and not isinstance(found.value, bool) and not isnan(found.value)
    return None if number else "a Measured whose value is a number"


class ReleaseMetric(Thing, Generic[V]):
    """Scores a whole release from the view that its shape offers."""

    kind: ClassVar[str] = "metric"
    traits: ClassVar[MetricTraits]

    def __init_subclass__(cls, **given: object) -> None:
        super().__init_subclass__(**given)
        look_at(cls, "measure", _not_measured)

    @abstractmethod
    def measure(self, published: V) -> Measured:
        """Return the value of the release."""


class DataMetric(ReleaseMetric[PublishedStats]):
    """Scores a released table from its published statistics; never sees rows."""

    def applies(self, published: PublishedStats) -> str | None:
        """Return why the metric cannot judge this release, or ``None`` if it can."""
        return None

    def rises_under_merge(self) -> bool:
        """Tell whether merging groups can only raise the cost, as long as nothing is left out."""
        return self.traits.monotone_under_merge and self.traits.better == "lower"

    def lattice_terms(self, names: Sequence[str]) -> LevelTerms | SizeTerms | None:
        """Return how the metric adds up where every column of ``names`` has one level; ``None`` if it must be measured."""
        return None


class ComparedMetric(ReleaseMetric[ComparedTables]):
    """Scores a released table beside the raw one: by numbers record by record, or by how often values occur together."""

    @abstractmethod
    def applies(self, published: ComparedTables) -> str | None:
        """Return why the metric cannot judge these tables, or ``None`` if it can."""


@frozen
class Refinement:
    """What a search metric sees of candidate steps that refine one value: how its records would part, in b ways.

    ``parent_classes`` (classes) counts the records masked to the value, ``child_classes`` (b x children x classes) those
    of each child. ``parent_share`` and ``child_share`` (b x children) are the shares of the domain that each leaves open.
    """

    parent_classes: Ints
    child_classes: Ints
    parent_share: float
    child_share: Floats


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

    def merit(self, step: Refinement, gain: Floats) -> Floats:
        """Return how good each of the ways to cut a range is: the place of the largest is where it would be cut."""
        return gain


@frozen
class Coarsening:
    """What a search metric sees of one candidate step that makes several values one.

    ``child_classes`` (values x classes) counts the records of each value; without a class there is one column. ``child_share``
    and ``parent_share`` are the shares of the domain that the values and the one they become leave open. ``finer`` and
    ``coarser`` are the sizes of the groups that the step touches, before and after it.
    """

    child_classes: Ints
    child_share: Floats
    parent_share: float
    finer: Ints
    coarser: Ints


class CoarseningMetric(Thing):
    """Values one step of a bottom-up search: ``cost`` is what the step loses, ``score`` weighs it against what it gains.

    The smallest score is best; where scores are equal, or all infinite, the smallest cost; then the first candidate.
    """

    kind: ClassVar[str] = "metric"
    traits: ClassVar[MetricTraits]

    @abstractmethod
    def cost(self, step: Coarsening) -> float:
        """Return what the step loses."""

    def score(self, cost: Floats, anonymity_gain: Floats) -> Floats:
        """Weigh costs against how much the smallest group would grow; by default the gain makes no difference."""
        return cost

    def best(self, cost: Floats, anonymity_gain: Floats) -> int:
        """Return the position of the best candidate; numbers are compared in whole steps of 2^-40."""
        keys = [
            (_steps(score), _steps(own), position)
            for position, (score, own) in enumerate(
                zip(self.score(cost, anonymity_gain).tolist(), cost.tolist(), strict=True)
            )
        ]
        return min(keys)[2]


def _steps(score: float) -> float:
    return floor(score * 2**40 + 0.5) if score < inf else inf


class AttributeMetric(Thing):
    """Says which attribute a search generalizes next: the one with the highest score, the first of equals."""

    kind: ClassVar[str] = "metric"
    traits: ClassVar[MetricTraits]

    @abstractmethod
    def score(self, distinct: Ints) -> Floats:
        """Return the score of each attribute, given how many distinct values it shows now."""

    def choose(self, distinct: Mapping[str, int]) -> str:
        """Return the attribute that comes next, given how many distinct values each shows now."""
        if not distinct:
            raise BadRequest("needs at least one attribute", parameter=f"{self.id}.distinct")
        names = list(distinct)
        return names[int(np.argmax(self.score(np.array([distinct[name] for name in names], np.int64))))]
