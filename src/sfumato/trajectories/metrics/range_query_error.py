"""Range queries: how well the release answers how many people were in a part of the map at a part of the time."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from sfumato.contracts.metric import Measured, MetricTraits
from sfumato.contracts.thing import param
from sfumato.kernels.arrays import Floats, Ints
from sfumato.trajectories.metric import Masked, TrajectoryMetric
from sfumato.trajectories.metrics._distributions import point_metres, stamps
from sfumato.trajectories.trajectories import Trajectories

__all__ = ["RangeQueryError"]


class RangeQueryError(TrajectoryMetric):
    """The mean relative error of the number of persons in each part of the map during each part of the time.

    The box around all points before masking is cut into ``parts`` by ``parts`` rectangles, the time into ``parts`` intervals; a
    person counts once in each. The error of a question is ``|n' - n| / max(n, s)`` with s one percent of the persons, so that
    rare answers do not decide; only questions with an answer before masking count.

    Examples
    --------
    >>> before = Trajectories.of([[(0, 0, 1), (90, 90, 2)], [(0, 0, 1)]], unit="metres", grid=10)
    >>> RangeQueryError(parts=2).measure(Masked(before, before.taken(np.array([1])))).value
    0.75

    References
    ----------
    Abul, Bonchi, Nanni, "Never walk alone: uncertainty for anonymity in moving objects databases", 2008,
    doi:10.1109/ICDE.2008.4497446.
    """

    id: ClassVar[str] = "range-query-error"
    traits: ClassVar[MetricTraits] = MetricTraits(better="lower")

    parts: int = param(default=5, ge=1, le=50, doc="how many parts each side of the map and the time have")

    def measure(self, published: Masked) -> Measured:
        before, after = published.before, published.after
        true = self._counts(before, before)
        shown = self._counts(after, before)
        asked = true > 0
        least = max(1.0, 0.01 * len(before))
        errors = np.abs(shown - true)[asked] / np.maximum(true[asked], least)
        return Measured(self.id, float(errors.mean()) if len(errors) else 0.0, lowest=0.0)

    def _counts(self, paths: Trajectories, frame: Trajectories) -> Ints:
        """Return how many persons each part has."""
        part = np.zeros(len(paths.places), np.int64)
        inside = np.ones(len(paths.places), np.bool_)
        for held, whole in zip(
            (*point_metres(paths, frame), stamps(paths)), (*point_metres(frame), stamps(frame)), strict=True
        ):
            place, there = self._part(held, whole)
            part, inside = part * self.parts + place, inside & there
        keys = np.unique(paths.owners[inside] * np.int64(self.parts**3) + part[inside])
        return np.bincount(keys % self.parts**3, minlength=self.parts**3).astype(np.int64)

    def _part(self, held: Floats, whole: Floats) -> tuple[Ints, np.ndarray[tuple[int], np.dtype[np.bool_]]]:
        low, high = float(whole.min(initial=np.inf)), float(whole.max(initial=-np.inf))
        wide = (high - low) / self.parts or 1.0
        place = np.minimum(np.floor((held - low) / wide), self.parts - 1)
        return np.maximum(place, 0).astype(np.int64), (held >= low) & (held <= high)
