"""Noisy answers: what each aggregate costs, how far it may be off, and the draw, which OpenDP makes."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, exp, log

import numpy as np

from sfumato.data.frozen import frozen
from sfumato.data.messages import say
from sfumato.data.schema import ColumnType
from sfumato.errors import BadRequest
from sfumato.interactive.policy import DeskColumn
from sfumato.interactive.question import Aggregate
from sfumato.kernels.arrays import Bools, Floats, Ints
from sfumato.perturbations.opendp_noise import OpenDPLaplace, OpenDPQuantile

__all__ = ["NoisyAggregate"]

_CANDIDATES = 1_000
_WIDEST = 1e15  # of noise, in steps
_QUANTILES = {"min": 0.0, "median": 0.5, "max": 1.0}


@frozen
class NoisyAggregate:
    """One aggregate with noise that spends ``epsilon``: on all of its groups together, because no record is in two of them.

    One record more or less changes a count by 1 and a sum by the larger of the absolute bounds. Counts and sums get discrete
    Laplace noise of the scale ``sensitivity / epsilon``, sums in whole steps. Minimum, median and maximum are chosen among
    declared candidates by report noisy max.
    """

    aggregate: Aggregate
    epsilon: float
    bounds: tuple[float, float] | None = None
    step: float = 1.0

    @classmethod
    def of(
        cls, aggregate: Aggregate, epsilon: float, column: DeskColumn | None, kind: ColumnType | None
    ) -> NoisyAggregate:
        """Return an aggregate with noise; one of a column without declared bounds is refused."""
        if isinstance(epsilon, str) or not 0 < epsilon < float("inf"):
            raise BadRequest("must be a number above 0", parameter="epsilon", value=epsilon)
        if aggregate.function == "count" or column is None:
            return cls(aggregate, epsilon)._drawable()
        if column.bounds is None:
            raise BadRequest(
                say("desk.bad.bounds", function=aggregate.function),
                parameter="question",
                column=aggregate.column,
            )
        low, high = column.bounds
        step = column.step or (1.0 if kind is ColumnType.INTEGER else (high - low) / 10_000)
        return cls(aggregate, epsilon, column.bounds, step)._drawable()

    def _drawable(self) -> NoisyAggregate:
        if self.sensitivity > _WIDEST * self.epsilon:
            raise BadRequest(say("desk.bad.tiny"), parameter="epsilon", value=self.epsilon)
        return self

    @property
    def sensitivity(self) -> int:
        """How much one record changes the answer, in steps."""
        if self.bounds is None:
            return 1
        return max(1, ceil(max(map(abs, self.bounds)) / self.step - 1e-9))

    @property
    def mechanism(self) -> str:
        """What draws the noise, in words that repeats are told by."""
        about = "" if self.bounds is None else f", bounds {self.bounds[0]:g} to {self.bounds[1]:g}, step {self.step:g}"
        return f"{'quantile' if self.chosen else 'laplace'}, epsilon {self.epsilon:g}{about}"

    @property
    def chosen(self) -> bool:
        """Whether the answer is chosen among candidates."""
        return self.aggregate.function in _QUANTILES

    def error(self, confidence: float) -> float:
        """Return how far an answer is off at most, with this confidence: in its unit, for a quantile in records of rank.

        With ``q = exp(-epsilon / sensitivity)`` discrete Laplace noise is ``t`` or more with ``2 q^t / (1 + q)``. A candidate
        of m is worse than the best by more than ``2 (ln m - ln(1 - confidence)) / epsilon`` ranks with 1 - confidence.
        """
        if not 0 < confidence < 1:
            raise BadRequest("must be between 0 and 1", parameter="confidence", value=confidence)
        if self.chosen:
            return 2 * (log(len(self.candidates())) - log(1 - confidence)) / self.epsilon
        q = exp(-self.epsilon / self.sensitivity)
        beyond = max(1, ceil(log((1 - confidence) * (1 + q) / 2) / log(q)))
        return (beyond - 1) * self.step

    def candidates(self) -> Floats:
        """Return the values among which a quantile is chosen."""
        assert self.bounds is not None
        low, high = self.bounds
        count = int(min(_CANDIDATES, round((high - low) / self.step) + 1))
        return np.linspace(low, high, max(2, count))

    def draw(self, masks: Sequence[Bools], values: Floats | None) -> list[float]:
        """Return one noisy answer for each group; the true ones are forgotten here."""
        if self.chosen:
            assert values is not None
            best = OpenDPQuantile(self.epsilon, _QUANTILES[self.aggregate.function], self.candidates().tolist())
            return [best.choose(values[mask].tolist()) for mask in masks]
        noise = OpenDPLaplace(self.epsilon, self.sensitivity)
        if self.aggregate.function == "count":
            return [float(one) for one in noise.add([int(mask.sum()) for mask in masks])]
        assert values is not None
        steps: Ints = np.rint(values / self.step).astype(np.int64)
        limit = self.sensitivity
        steps = np.clip(steps, -limit, limit)
        return [one * self.step for one in noise.add([int(steps[mask].sum()) for mask in masks])]
