"""Maximal frequent sequences: the longest ways that enough persons went, and how many of them masking broke."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import ceil
from typing import ClassVar

import numpy as np

from sfumato.contracts.metric import Measured, MetricTraits
from sfumato.contracts.thing import param
from sfumato.errors import BadRequest
from sfumato.itemsets import frequent_sets, maximal_frequent_sets
from sfumato.kernels.arrays import Codes
from sfumato.trajectories.metric import Masked, TrajectoryMetric
from sfumato.trajectories.trajectories import Path, Trajectories

__all__ = ["MaximalFrequentSequences"]


class MaximalFrequentSequences(TrajectoryMetric):
    """The share of the original maximal frequent sequences of which a pair was left out.

    A sequence q of pairs is frequent if ``|T(q)|`` is at least ``support``, and maximal if no frequent sequence contains it.
    With U(T) the maximal frequent sequences before masking, the metric is ``1 - |{q in U(T): q still frequent}| / |U(T)|``.
    Shorter sequences that become maximal because a longer one was lost do not count.

    Examples
    --------
    >>> before = Trajectories.of([[("a", 1), ("b", 2)], [("a", 1), ("b", 2)], [("c", 1)], [("c", 1)]])
    >>> metric = MaximalFrequentSequences(support=2)
    >>> metric.mine(before)
    {(Pair(place='a', time=1), Pair(place='b', time=2)): 2, (Pair(place='c', time=1),): 2}
    >>> metric.measure(Masked(before, before.without([("b", 2)]))).value
    0.5

    References
    ----------
    Fung, Wang, Fu, Yu, *Introduction to Privacy-Preserving Data Publishing*, 2010, section 14.2.1.3, Definition 14.2.
    """

    id: ClassVar[str] = "maximal-frequent-sequences"
    aliases: ClassVar[tuple[str, ...]] = ("mfs",)
    traits: ClassVar[MetricTraits] = MetricTraits(better="lower")

    support: int | float = param(
        gt=0, default=0.01, doc="smallest number of persons of a frequent sequence, or their share if it is below 1"
    )
    length: int | None = param(ge=1, default=None, doc="longest sequence that is looked at; all if not given")

    def validate(self) -> None:
        """Refuse numbers of persons that are no whole ones."""
        super().validate()
        if self.support > 1 and self.support != int(self.support):
            raise BadRequest("must be a whole number, or a share below 1", parameter=f"{self.id}.support")

    def least(self, persons: int) -> int:
        """Return the smallest number of persons of a frequent sequence; a share is rounded up."""
        if self.support >= 1:
            return int(self.support)
        return max(1, ceil(Fraction(str(self.support)) * persons))

    def mine(self, paths: Trajectories) -> Mapping[Path, int]:
        """Return the maximal frequent sequences with their supports, by time and place."""
        found = maximal_frequent_sets(paths.database(), self.least(len(paths)), self.length)
        return {tuple(paths.pairs[code] for code in members): support for members, support in found}

    def frequent(self, paths: Trajectories) -> Mapping[Path, int]:
        """Return all frequent sequences with their supports, short ones first."""
        longest = self.length or int(paths.lengths.max(initial=1))
        return {
            tuple(paths.pairs[code] for code in members): support
            for sets in frequent_sets(paths.database(), self.least(len(paths)), longest)
            for members, support in zip(sets.members.tolist(), sets.supports.tolist(), strict=True)
        }

    def families(self, paths: Trajectories) -> list[Codes]:
        """Return the codes of the maximal frequent sequences, those of one length together."""
        by_size: dict[int, list[tuple[int, ...]]] = {}
        for members, _ in maximal_frequent_sets(paths.database(), self.least(len(paths)), self.length):
            by_size.setdefault(len(members), []).append(members)
        return [np.array(sets, np.int32) for _, sets in sorted(by_size.items())]

    def kept(self, published: Masked) -> tuple[list[Path], int]:
        """Return the original maximal frequent sequences that are still frequent, and how many there were."""
        before = self.mine(published.before)
        least = self.least(len(published.before))
        return [path for path in before if len(published.after.holding(path)) >= least], len(before)

    def measure(self, published: Masked) -> Measured:
        kept, before = self.kept(published)
        lost = (before - len(kept)) / before if before else 0.0
        return Measured(self.id, lost, lowest=0.0, highest=1.0, denominator=before)
