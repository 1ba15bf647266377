"""Mobility before and after: distributions, compared by Jensen-Shannon divergence and earth mover's distance."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar, TypeVar

import numpy as np

from sfumato.contracts.metric import Measured, MetricTraits
from sfumato.errors import Unsupported
from sfumato.kernels.arrays import Floats, Ints
from sfumato.trajectories.metric import Masked, TrajectoryMetric
from sfumato.trajectories.moving_objects import clock, in_metres, origin
from sfumato.trajectories.trajectories import Trajectories

__all__ = [
    "CountMetric",
    "PersonMetric",
    "earth_mover",
    "jensen_shannon",
    "numbered_alike",
    "point_metres",
    "stamps",
]

T = TypeVar("T")
_BINS = 20


def jensen_shannon(one: Floats, other: Floats) -> float:
    """Return the Jensen-Shannon divergence of two rows of counts, in bits: 0 if they are alike, 1 if nothing is in both.

    ``JS(p, q) = H((p + q) / 2) - (H(p) + H(q)) / 2``. Nothing at all beside something is as far as it can be.

    >>> jensen_shannon(np.array([1.0, 1.0]), np.array([2.0, 2.0])), jensen_shannon(np.array([1.0, 0.0]), np.array([0.0, 3.0]))
    (0.0, 1.0)
    """
    first, second = float(one.sum()), float(other.sum())
    if not first or not second:
        return 0.0 if first == second else 1.0
    p, q = one / first, other / second
    return float(min(max(_entropy((p + q) / 2) - (_entropy(p) + _entropy(q)) / 2, 0.0), 1.0))


def earth_mover(one: Floats, other: Floats) -> float:
    """Return the earth mover's distance of two samples on a line: the area between their distribution functions.

    >>> earth_mover(np.array([0.0, 1.0]), np.array([5.0, 6.0]))
    5.0
    """
    if not len(one) or not len(other):
        return 0.0 if len(one) == len(other) else float("inf")
    every = np.sort(np.concatenate((one, other)))
    below = [np.searchsorted(np.sort(sample), every[:-1], side="right") / len(sample) for sample in (one, other)]
    return float((np.abs(below[0] - below[1]) * np.diff(every)).sum())


class PersonMetric(TrajectoryMetric):
    """Compares a number of every person who has points: Jensen-Shannon over 20 equal bins, and earth mover's distance."""

    traits: ClassVar[MetricTraits] = MetricTraits(better="lower")

    @abstractmethod
    def values(self, paths: Trajectories) -> Floats:
        """Return the number of each person who has points."""

    def measure(self, published: Masked) -> Measured:
        """Return the divergence, and beside it the earth mover's distance in the unit of the numbers."""
        before, after = self.values(published.before), self.values(published.after)
        both = np.concatenate((before, after))
        edges = np.histogram_bin_edges(both, _BINS) if len(both) else np.array([0.0, 1.0])
        found = jensen_shannon(*(np.histogram(sample, edges)[0].astype(np.float64) for sample in (before, after)))
        apart = earth_mover(before, after)
        return Measured(self.id, found, {"jensen_shannon": found, "earth_mover": apart}, lowest=0.0, highest=1.0)


class CountMetric(TrajectoryMetric):
    """Compares how often things occur before and after, by the Jensen-Shannon divergence of their shares."""

    traits: ClassVar[MetricTraits] = MetricTraits(better="lower")

    @abstractmethod
    def codes(self, published: Masked) -> tuple[Ints, Ints]:
        """Return a number for everything that occurs before and after, equal for equal things."""

    def measure(self, published: Masked) -> Measured:
        before, after = self.codes(published)
        used, codes = np.unique(np.concatenate((before, after)), return_inverse=True)
        counts = [np.bincount(part, minlength=len(used)) for part in (codes[: len(before)], codes[len(before) :])]
        found = jensen_shannon(*(one.astype(np.float64) for one in counts))
        return Measured(self.id, found, lowest=0.0, highest=1.0)


def numbered_alike(one: Sequence[T], other: Sequence[T]) -> tuple[Ints, Ints, int]:
    """Return numbers for two lists of things, equal for equal things, and how many different ones there are."""
    number = {thing: at for at, thing in enumerate(dict.fromkeys((*one, *other)))}
    first, second = (np.array([number[thing] for thing in held], np.int64) for held in (one, other))
    return first, second, max(len(number), 1)


def point_metres(paths: Trajectories, frame: Trajectories | None = None) -> tuple[Floats, Floats]:
    """Return where points are, in metres from where those of the frame are counted; refuse places without coordinates."""
    if paths.x is None or paths.y is None:
        raise Unsupported("distances need coordinates: name the columns x and y of the place", thing="place")
    return in_metres(paths.x, paths.y, paths.unit, origin(paths if frame is None else frame))


def stamps(paths: Trajectories) -> Floats:
    """Return the time of each point as a number: itself, days, or seconds."""
    return np.array([clock(moment) for moment in paths.moments], np.float64)[paths.times]


def _entropy(shares: Floats) -> float:
    held = shares[shares > 0]
    return float(-(held * np.log2(held)).sum())
